import { BatchDraft, type SchemaVersionOf } from './draft.ts';
import type { Append, EventLog, ParkedRecord, SourcePosition, SourceRecord, StoredKey } from './event-log.ts';
import { emitIncident } from './incident.ts';
import { judgeKey } from './keys.ts';
import type { Draft, LaneAnswer, Work } from './lane.ts';
import { ParkedKeys, parkedRow, parkingKey } from './parking.ts';
import { asError, positionOf, project } from './projector.ts';

/** Why an entry that stands alone cannot be stored as it was decided. */
export interface Verdict {
  readonly failure: 'outcome-taken' | 'rejected';
  readonly error: Error;
}

interface Queued {
  /** The names of the states that the work declared. */
  readonly ids: readonly string[];
  verdict: Verdict | null;
}

export interface CommandEntry extends Queued {
  readonly kind: 'command';
  readonly work: Work<unknown>;
  readonly answer: (answer: LaneAnswer<unknown>) => void;
  readonly reject: (error: Error) => void;
}

/** A record of a source, in the order of its feed. */
export interface RecordEntry extends Queued {
  readonly kind: 'record';
  readonly record: SourceRecord;
  /** Null where it means nothing to this service; an error where it cannot be decoded. */
  readonly work: Work<unknown> | Error | null;
}

/** A parked record, sent again. */
export interface AgainEntry extends Queued {
  readonly kind: 'again';
  readonly row: ParkedRecord;
  readonly work: Work<unknown> | Error | null;
  /** The page it was sent with. */
  readonly page: Page;
  /** Of the page's last row: answers who sent it. */
  readonly settle?: () => void;
  readonly reject: (error: Error) => void;
}

export interface Page {
  /** Of the first that failed: those after it stay parked. */
  error: Error | null;
  handled: number;
}

export type Entry = CommandEntry | RecordEntry | AgainEntry;

export interface PlanContext {
  readonly at: string;
  readonly loaded: Awaited<ReturnType<EventLog['load']>>;
  /** As stored in the database. */
  readonly stored: ReadonlyMap<string, SourcePosition>;
  /** Further than stored, by records without effects that no append has carried yet. */
  readonly ahead: ReadonlyMap<string, SourcePosition>;
  readonly parked: ParkedKeys;
  readonly schemaVersionOf: SchemaVersionOf;
  readonly newId: () => string;
}

/** One batch decided: what to append, and what to do once that is stored. */
export interface Plan {
  readonly append: Append;
  /** False when the append holds nothing but positions: these may wait for the next one. */
  readonly hasEffects: boolean;
  /** Settles the entries; call it when the append is stored, or was not needed. */
  readonly settlements: readonly (() => void)[];
  readonly incidents: readonly { readonly kind: string; readonly subject: string; readonly detail: string }[];
  /** Whether the batch appended the only event of a stream: if that exists already, no reload will change it. */
  readonly emittedOnce: boolean;
}

/** Decides a batch in order, in memory. Touches nothing but the plan: it may be made again on newer states. */
export function makePlan(entries: readonly Entry[], context: PlanContext): Plan {
  return new Planner(context).plan(entries);
}

class Planner {
  readonly #draft: BatchDraft;
  readonly #storedKeys: Map<string, StoredKey>;
  readonly #newKeys: StoredKey[] = [];
  readonly #positions: Map<string, SourcePosition>;
  readonly #parkedHere = new ParkedKeys();
  readonly #parked: ParkedRecord[] = [];
  readonly #unparked: ParkedRecord[] = [];
  readonly #stopped = new Map<Page, Error>();
  readonly #settlements: (() => void)[] = [];
  readonly #incidents: { kind: string; subject: string; detail: string }[] = [];
  #emittedOnce = false;

  constructor(private readonly context: PlanContext) {
    this.#draft = new BatchDraft(context.at, context.loaded.states, context.schemaVersionOf);
    this.#storedKeys = new Map(context.loaded.keys.map((key) => [keyName(key), key]));
    this.#positions = new Map([...context.stored, ...context.ahead]);
  }

  plan(entries: readonly Entry[]): Plan {
    for (const entry of entries) {
      if (entry.kind === 'command') this.#command(entry);
      else if (entry.kind === 'record') this.#record(entry);
      else this.#again(entry);
    }
    const states = this.#draft.changes();
    const append = {
      events: this.#draft.events,
      states,
      keys: this.#newKeys,
      positions: this.#moves(),
      parked: this.#parked,
      unparked: this.#unparked.map(({ source, position }) => ({ source, position })),
    };
    return {
      append,
      hasEffects:
        append.events.length + states.length + append.keys.length + append.parked.length + append.unparked.length > 0,
      settlements: this.#settlements,
      incidents: this.#incidents,
      emittedOnce: this.#emittedOnce,
    };
  }

  #command(entry: CommandEntry): void {
    const answer = this.#answer(entry);
    this.#settlements.push(() => entry.answer(answer));
  }

  #answer({ work, ids, verdict }: CommandEntry): LaneAnswer<unknown> {
    if (verdict) return { kind: 'failed', error: verdict.error };
    const stored = work.key && this.#storedKeys.get(keyName(work.key));
    const keyed = work.key ? judgeKey(stored, work.key.requestHash) : 'new';
    if (keyed === 'key-reused') return { kind: 'key-reused' };
    if (keyed === 'repeated') return { kind: 'repeated', answer: stored!.decision };
    const decided = this.#decide(ids, work);
    if (decided instanceof Failed) return { kind: 'failed', error: decided.error };
    if (work.key && decided.spendsKey !== false) {
      const key = { ...work.key, decision: decided.answer };
      this.#newKeys.push(key);
      this.#storedKeys.set(keyName(key), key);
    }
    return { kind: 'decided', answer: decided.answer };
  }

  #record(entry: RecordEntry): void {
    const { record, work, verdict } = entry;
    const [step] = project(this.#positions.get(record.source) ?? null, this.context.parked, [record]);
    if (step?.kind === 'drop') return;
    if (step?.kind !== 'apply' && step?.kind !== 'park') throw new OutOfOrder(record);
    this.#positions.set(record.source, positionOf(record));
    if (work === null) return;
    const waits = step.kind === 'park' || this.#parkedHere.has(record.source, parkingKey(record));
    if (waits) this.#park(record, null);
    else if (verdict?.failure === 'outcome-taken') this.#dropSecondOutcome(record, verdict.error);
    else {
      const decided = verdict ? new Failed(verdict.error) : this.#work(entry.ids, work);
      if (decided instanceof Failed) this.#park(record, decided.error);
    }
  }

  #again(entry: AgainEntry): void {
    const { page, row, work, verdict } = entry;
    if (page.error || this.#stopped.has(page)) return;
    if (verdict?.failure === 'outcome-taken') this.#dropSecondOutcome(row.record, verdict.error);
    else if (work !== null) {
      const decided = verdict ? new Failed(verdict.error) : this.#work(entry.ids, work);
      if (decided instanceof Failed) {
        const { error } = decided;
        this.#stopped.set(page, error);
        this.#settlements.push(() => {
          page.error = error;
        });
        return;
      }
    }
    this.#unparked.push(row);
    this.#settlements.push(() => {
      page.handled++;
    });
  }

  #work(ids: readonly string[], work: Work<unknown> | Error): ReturnType<Work<unknown>['decide']> | Failed {
    return work instanceof Error ? new Failed(work) : this.#decide(ids, work);
  }

  #decide(ids: readonly string[], work: Work<unknown>): ReturnType<Work<unknown>['decide']> | Failed {
    try {
      const { result, emittedOnce } = this.#draft.decide(ids, (draft: Draft) => work.decide(draft));
      this.#emittedOnce ||= emittedOnce;
      return result;
    } catch (error) {
      return new Failed(asError(error));
    }
  }

  #park(record: SourceRecord, why: Error | null): void {
    const row = parkedRow(record, why);
    this.#parked.push(row);
    this.#parkedHere.add(row.source, row.key);
    this.#settlements.push(() => this.context.parked.add(row.source, row.key));
  }

  /** The play has its outcome: the record has no effect but that somebody hears of it. */
  #dropSecondOutcome(record: SourceRecord, error: Error): void {
    const incident = {
      incidentId: this.context.newId(),
      kind: 'second-outcome',
      subject: record.correlation ?? record.key,
      detail: `${record.type} at position ${record.position} of ${record.source}: ${error.message}`.slice(0, 2_000),
    };
    this.#draft.decide([], (draft) => emitIncident(draft, incident));
    this.#incidents.push(incident);
  }

  #moves(): Append['positions'] {
    return [...this.#positions.values()].flatMap((to) => {
      const from = this.context.stored.get(to.source)?.position ?? 0;
      return to.position > from ? [{ ...to, from }] : [];
    });
  }
}

/** Something has moved a stored position back: what was handed over in order would be lost if it went on. */
class OutOfOrder extends Error {
  constructor({ source, position }: SourceRecord) {
    super(`position ${position} of ${source} does not follow what is stored`);
    this.name = 'OutOfOrder';
  }
}

class Failed {
  constructor(readonly error: Error) {}
}

function keyName({ owner, key }: { readonly owner: string; readonly key: string }): string {
  return `${owner}\n${key}`;
}
