import { canonical } from '#fairness';
import { type DomainEvent, type Subject, streamOf } from './decider.ts';
import type { NewEvent, StateChange, StoredState } from './event-log.ts';
import type { Draft, StateRef } from './lane.ts';

/** A state as it stands in the middle of a batch. */
interface Held {
  readonly version: number;
  /** Undefined where the subject's initial state still holds. */
  readonly state: unknown;
}

export type SchemaVersionOf = (type: string) => number;

/** The names under which the states of a work are stored. */
export function stateIds(states: readonly StateRef[]): string[] {
  return states.map(({ subject, id }) => streamOf(subject, id));
}

/** What the works of one batch have decided so far, on the states that were loaded for them. */
export class BatchDraft {
  readonly #loaded: ReadonlyMap<string, StoredState>;
  readonly #held = new Map<string, Held>();
  readonly events: NewEvent[] = [];

  constructor(
    readonly at: string,
    loaded: readonly StoredState[],
    readonly schemaVersionOf: SchemaVersionOf,
  ) {
    this.#loaded = new Map(loaded.map((state) => [state.id, state]));
  }

  held(id: string): Held {
    const held = this.#held.get(id);
    if (held) return held;
    const loaded = this.#loaded.get(id);
    if (!loaded || loaded.version === 0) return { version: 0, state: undefined };
    return loaded;
  }

  /** Decides one work on a draft of its own, and keeps what it wrote only when `decide` returns. */
  decide<Result>(ids: readonly string[], decide: (draft: Draft) => Result): { result: Result; emittedOnce: boolean } {
    const draft = new WorkDraft(this, ids);
    const result = decide(draft);
    for (const [id, held] of draft.written) this.#held.set(id, held);
    this.events.push(...draft.events);
    return { result, emittedOnce: draft.emittedOnce };
  }

  /** Every state that was written, from its loaded version to its last one. */
  changes(): StateChange[] {
    return [...this.#held].map(([id, { version, state }]) => ({
      id,
      from: this.#loaded.get(id)?.version ?? 0,
      to: version,
      state,
    }));
  }
}

class WorkDraft implements Draft {
  readonly at: string;
  readonly events: NewEvent[] = [];
  readonly written = new Map<string, Held>();
  emittedOnce = false;

  constructor(
    private readonly batch: BatchDraft,
    private readonly declared: readonly string[],
  ) {
    this.at = batch.at;
  }

  state<State>(subject: Subject<State, never>, id: string): State {
    const { state } = this.#held(streamOf(subject, id));
    return state === undefined ? subject.initial : (state as State);
  }

  emit<Event extends DomainEvent>(
    subject: Subject<unknown, Event>,
    id: string,
    event: Event,
    correlation: string | null = null,
  ): void {
    const stream = streamOf(subject, id);
    const { version, state } = this.#held(stream);
    this.#append(stream, version + 1, event, correlation);
    const evolved = subject.evolve(state === undefined ? subject.initial : state, event);
    this.written.set(stream, { version: version + 1, state: evolved });
  }

  put<State>(subject: Subject<State, never>, id: string, state: State): void {
    const name = streamOf(subject, id);
    this.written.set(name, { version: this.#held(name).version + 1, state });
  }

  emitOnce(stream: string, event: DomainEvent, correlation: string | null = null): void {
    this.#append(stream, 1, event, correlation);
    this.emittedOnce = true;
  }

  #held(id: string): Held {
    if (!this.declared.includes(id)) throw new Error(`${id} is not among the states that this work declared`);
    return this.written.get(id) ?? this.batch.held(id);
  }

  #append(stream: string, version: number, event: DomainEvent, correlation: string | null): void {
    const { type, ...data } = event;
    this.events.push({
      stream,
      version,
      type,
      schemaVersion: this.batch.schemaVersionOf(type),
      occurredAt: this.at,
      correlation,
      data: canonical(data),
    });
  }
}
