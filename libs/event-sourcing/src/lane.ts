import type { DomainEvent, Subject } from './decider.ts';
import type { KeyRef, SourceRecord } from './event-log.ts';

/** Something a piece of work may read or change: a subject's state, or a copy of another service's facts. */
export interface StateRef {
  // biome-ignore lint/suspicious/noExplicitAny: a list of works mixes subjects; `state()` gives the type back.
  readonly subject: Subject<any, any>;
  readonly id: string;
}

/** The working copy on which one piece of work decides: it sees what the works before it in the same batch decided. */
export interface Draft {
  /** Time of this batch, UTC with three decimals; never earlier than that of the batch before. */
  readonly at: string;
  /** The present state of a subject that the work declared in `states`; throws for one that it did not. */
  state<State>(subject: Subject<State, never>, id: string): State;
  /** Appends the event at the stream's next version and folds it into the state. */
  emit<Event extends DomainEvent>(
    subject: Subject<unknown, Event>,
    id: string,
    event: Event,
    correlation?: string | null,
  ): void;
  /** Changes a state that has no stream of its own: a copy of what another service's events said. */
  put<State>(subject: Subject<State, never>, id: string, state: State): void;
  /** Appends the only event of a stream that keeps no state (`play-<id>`, an incident). */
  emitOnce(stream: string, event: DomainEvent, correlation?: string | null): void;
}

/**
 * One command or one record of the bus. `decide` is synchronous and pure but for the draft; it may run again.
 * What it throws is the work's own failure: a command rejects with it, a record is parked. Neither touches the others.
 */
export interface Work<Answer> {
  readonly states: readonly StateRef[];
  readonly key?: KeyRef & { readonly requestHash: string };
  decide(draft: Draft): Decided<Answer>;
}

export interface Decided<Answer> {
  /** Plain JSON. What is stored with the key, and answered again to whoever repeats it. */
  readonly answer: Answer;
  /** False for what must not spend the key. Default true. */
  readonly spendsKey?: boolean;
}

export type LaneAnswer<Answer> =
  | { readonly kind: 'decided'; readonly answer: Answer }
  /** The key was used before with the same request: the stored answer. */
  | { readonly kind: 'repeated'; readonly answer: Answer }
  /** The key was used before with another request. */
  | { readonly kind: 'key-reused' }
  /** `decide` threw, or the database refuses its values for ever. */
  | { readonly kind: 'failed'; readonly error: Error };

/** Thrown by `run` when the queue is full (back pressure) or the lane is stopping: nothing of it was done. */
export class LaneUnavailable extends Error {
  constructor(readonly reason: 'full' | 'stopped') {
    super(reason === 'full' ? 'the lane is full' : 'the lane has stopped');
    this.name = 'LaneUnavailable';
  }
}

/**
 * Group commit: works that arrive while an append is in flight are decided together and stored by the next one.
 */
export interface Lane {
  /** One answer a work, in order, after they are stored. */
  run<Answer>(works: readonly Work<Answer>[]): Promise<LaneAnswer<Answer>[]>;
  /** Takes no more works, stores what it has, then resolves. */
  stop(): Promise<void>;
}

/** How a service handles the records of one source: see projector.ts. */
export interface RecordHandler {
  readonly source: string;
  /** Reads, once per batch, what `work` will need beside the states; a failure here is retried without end. */
  prepare?(records: readonly SourceRecord[]): Promise<void>;
  /** The work for this record, or null where it means nothing to this service. Throws on what cannot be decoded. */
  work(record: SourceRecord): Work<unknown> | null;
}
