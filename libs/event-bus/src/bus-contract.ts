import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  batchDigest,
  canonicalLines,
  nextChain,
  positionOf,
  type RecordedEvent,
  recordOf,
  type SourcePosition,
  type SourceRecord,
} from '#event-sourcing';
import type { Bus, Follower } from './bus.ts';
import { eventOfRecord } from './cloud-event.ts';

/** What the suite needs of a bus that is tested, and of one source on it, called `wallet`. */
export interface BusRig {
  /** A bus as another process would open it; closed with the rig. */
  bus(options?: { readonly batch?: number; readonly gatherMs?: number }): Bus;
  /** Appends events in one append, however they reach the bus. */
  append(count: number, filler?: string): Promise<RecordedEvent[]>;
  /** Resolves when the bus holds everything that was appended. */
  settled(): Promise<void>;
  /** The log's events above a position. */
  read(after: number, limit: number): Promise<RecordedEvent[]>;
  firstChain(): Promise<string>;
  chain(): Promise<string>;
  /** Appends events in such a way that the bus loses them, or word of them. */
  lose(count: number): Promise<void>;
  publishAgain(position: number): Promise<void>;
  /** Takes the server behind the bus away as a crash would; what it returns brings it back. Null where that cannot be done. */
  readonly crash: (() => Promise<() => Promise<void>>) | null;
  close(): Promise<void>;
}

const AWAY_MS = Number(process.env['ENJEU_TEST_AWAY_MS'] ?? 3_000);

/** A consumer's database: effects and position change together, by compare-and-set on the position. */
export class Ledger {
  readonly applied: SourceRecord[] = [];
  at: SourcePosition | null = null;

  get position(): number {
    return this.at?.position ?? 0;
  }

  /** Applies the records that follow on `from`; false, and nothing applied, when the position is no longer there. */
  apply(from: number, records: readonly SourceRecord[]): boolean {
    if (from !== this.position) return false;
    for (const record of records) {
      if (record.position !== this.position + 1) continue;
      this.applied.push(record);
      this.at = positionOf(record);
    }
    return true;
  }
}

/** Applies by position, as the projector does: what is at or below is dropped, what does not follow is skipped and asked for. */
export class TestFollower implements Follower {
  readonly name = 'test';
  calls = 0;
  /** Records handed over, again or not. */
  handed = 0;
  /** Largest batch. */
  mostAtOnce = 0;
  /** Batches that were handed over while another was being handled. */
  overlaps = 0;
  running = false;
  /** May wait, to be slow, or throw, to fail before anything is stored. */
  before: () => void | Promise<void> = () => undefined;
  /** May throw, to fail after it was stored. */
  after: () => void | Promise<void> = () => undefined;

  constructor(
    readonly ledger: Ledger,
    private readonly publishAgain: (position: number) => Promise<void> = async () => undefined,
  ) {}

  async position(): Promise<SourcePosition | null> {
    return this.ledger.at;
  }

  async handle(records: readonly SourceRecord[], end: boolean): Promise<void> {
    if (this.running) {
      this.overlaps++;
      throw new Error('two batches at a time');
    }
    this.running = true;
    try {
      this.calls++;
      this.handed += records.length;
      this.mostAtOnce = Math.max(this.mostAtOnce, records.length);
      const from = this.ledger.position;
      await this.before();
      if (!this.ledger.apply(from, records)) throw new Error('somebody else has moved the position');
      await this.after();
      const missing = (records.at(-1)?.position ?? 0) > this.ledger.position;
      if (missing && end) await this.publishAgain(this.ledger.position);
    } finally {
      this.running = false;
    }
  }
}

/** Waits until this holds, for at most 15 s and what a server was away. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const limit = Date.now() + 15_000 + AWAY_MS;
  while (!(await holds())) {
    if (Date.now() > limit) throw new Error(`timed out: ${what}`);
    await sleep(5);
  }
}

function positions(records: readonly SourceRecord[]): number[] {
  return records.map(({ position }) => position);
}

function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The behaviours that every bus has. Call it in a file of its own for each adapter. */
export function busContract(open: () => Promise<BusRig>): void {
  let rig: BusRig;
  beforeEach(async () => {
    rig = await open();
  }, 60_000);
  afterEach(async () => {
    await rig.close();
  }, 60_000);

  const follower = (ledger = new Ledger()) => new TestFollower(ledger, (position) => rig.publishAgain(position));

  test('a follower meets every event once and in order, those from before and those from after it came', async () => {
    await rig.append(1_500);
    await rig.append(1);
    const one = follower();
    await rig.bus().follow('wallet', one);
    for (const count of [1, 7, 300, 2]) await rig.append(count);
    await until(() => one.ledger.position === 1_811, 'all arrive');
    await rig.append(1);
    await until(() => one.ledger.position === 1_812, 'the next arrives');
    expect([positions(one.ledger.applied), one.overlaps]).toEqual([upTo(1_812), 0]);
  }, 60_000);

  test('a follower begins at the first event, or after the position that it has stored', async () => {
    for (let i = 0; i < 5; i++) await rig.append(100);
    await rig.settled();
    const [fresh, stored] = [follower(), follower()];
    await rig.bus().follow('wallet', fresh);
    await until(() => fresh.ledger.position === 500, 'all arrive');
    stored.ledger.at = positionOf(fresh.ledger.applied[349] as SourceRecord);
    await rig.bus().follow('wallet', stored);
    await until(() => stored.ledger.position === 500, 'the rest arrives');
    expect(positions(fresh.ledger.applied)).toEqual(upTo(500));
    expect(positions(stored.ledger.applied)).toEqual(upTo(500, 351));
    expect(stored.handed).toBeLessThanOrEqual(151);
  }, 60_000);

  test('a record has all that the log has, and the chain can be computed from records alone', async () => {
    for (const count of [3, 1, 40]) await rig.append(count);
    const one = follower();
    await rig.bus().follow('wallet', one);
    await until(() => one.ledger.position === 44, 'all arrive');
    const events = await rig.read(0, 100);
    const { applied } = one.ledger;
    expect(applied.map((record) => ({ ...record, offset: null }))).toEqual(events.map((e) => recordOf('wallet', 1, e)));
    let chain = await rig.firstChain();
    for (const batch of Map.groupBy(applied.map(eventOfRecord), (event) => event.batch).values()) {
      chain = nextChain(chain, batchDigest(canonicalLines(batch)));
    }
    expect(chain).toBe(await rig.chain());
  }, 60_000);

  test('a batch that failed before it was stored comes again', async () => {
    const one = follower();
    let failures = 0;
    one.before = () => {
      if (failures++ < 2) throw new Error('the database is away');
    };
    await rig.bus().follow('wallet', one);
    await rig.append(50);
    await until(() => one.ledger.position === 50, 'all arrive');
    expect([positions(one.ledger.applied), failures]).toEqual([upTo(50), 3]);
  }, 60_000);

  test('a batch that failed after it was stored is not applied twice', async () => {
    const one = follower();
    let failures = 0;
    one.after = () => {
      if (failures++ < 2) throw new Error('the answer was lost');
    };
    await rig.bus().follow('wallet', one);
    for (let i = 0; i < 5; i++) await rig.append(10);
    await until(() => one.ledger.position === 50, 'all arrive');
    expect(positions(one.ledger.applied)).toEqual(upTo(50));
  }, 60_000);

  test('a second consumer takes over from one that has died in the middle of a batch, which then can do nothing', async () => {
    const ledger = new Ledger();
    const [first, second] = [follower(ledger), follower(ledger)];
    const frozen = Promise.withResolvers<void>();
    first.before = () => (ledger.position > 0 ? frozen.promise : undefined);
    const subscription = await rig.bus({ batch: 10 }).follow('wallet', first);
    await rig.append(10);
    await until(() => ledger.position === 10, 'the first works');
    await rig.append(40);
    await until(() => first.running, 'the first is in the middle of a batch');

    await rig.bus({ batch: 10 }).follow('wallet', second);
    await until(() => ledger.position === 50, 'the second takes over');
    frozen.resolve();
    await subscription.stop();
    expect(positions(ledger.applied)).toEqual(upTo(50));
  }, 60_000);

  test('a slow follower is given one batch at a time, and memory stays small however much waits', async () => {
    const one = follower();
    const slow = Promise.withResolvers<void>();
    one.before = () => slow.promise;
    for (let i = 0; i < 40; i++) await rig.append(100, 'x'.repeat(20_000));
    const before = memoryInUse();
    await rig.bus({ batch: 100 }).follow('wallet', one);
    await until(() => one.running, 'the first batch is handed over');
    for (let i = 0; i < 100; i++) await rig.append(5);
    await sleep(500);
    expect(memoryInUse() - before).toBeLessThan(20_000_000);
    expect(one.calls).toBe(1);
    slow.resolve();
    await until(() => one.ledger.position === 4_500, 'all arrive');
    expect(positions(one.ledger.applied)).toEqual(upTo(4_500));
    expect(one.mostAtOnce).toBeLessThanOrEqual(100);
    expect(one.overlaps).toBe(0);
  }, 120_000);

  test('events or news of them that the bus loses are noticed, and nothing is missing in the end', async () => {
    const one = follower();
    await rig.bus().follow('wallet', one);
    await rig.append(20);
    await until(() => one.ledger.position === 20, 'the first arrive');
    await rig.lose(5);
    await rig.append(3);
    await until(() => one.ledger.position === 28, 'all arrive');
    expect(positions(one.ledger.applied)).toEqual(upTo(28));
  }, 60_000);

  test('followers and tails go on by themselves after the server was away, with whatever came meanwhile', async () => {
    if (!rig.crash) return;
    const one = follower();
    const tailed: number[] = [];
    let interruptions = 0;
    await rig.bus().follow('wallet', one);
    await rig.bus().tail(
      'wallet',
      (records) => tailed.push(...positions(records)),
      () => interruptions++,
    );
    await rig.append(20);
    await until(() => one.ledger.position === 20 && tailed.length === 20, 'the first arrive');
    await rig.settled();
    const comeBack = await rig.crash();
    await sleep(AWAY_MS);
    await comeBack();
    await rig.append(30);
    await until(() => one.ledger.position === 50, 'all arrive');
    await until(() => tailed.includes(50), 'the tail sees the last');
    expect(positions(one.ledger.applied)).toEqual(upTo(50));
    expect(tailed.filter((position) => position <= 20)).toEqual(upTo(20));
    expect([[...new Set(tailed)], interruptions]).toEqual([upTo(50), 0]);
  }, 200_000);

  test('a tail sees what comes after it was there, all of it, and nothing from before', async () => {
    await rig.append(10);
    await rig.settled();
    const seen: SourceRecord[] = [];
    await rig.bus().tail(
      'wallet',
      (records) => seen.push(...records),
      () => undefined,
    );
    await rig.append(3);
    await until(() => seen.length === 3, 'they are seen');
    expect(positions(seen)).toEqual([11, 12, 13]);
  }, 60_000);

  test('after a stop nothing is running and nothing is handed over', async () => {
    const one = follower();
    one.before = () => sleep(300);
    const subscription = await rig.bus().follow('wallet', one);
    await rig.append(5);
    await until(() => one.running, 'a batch is handed over');
    await subscription.stop();
    expect([one.running, one.ledger.position]).toEqual([false, 5]);
    await rig.append(5);
    await sleep(500);
    expect([one.calls, one.ledger.position]).toEqual([1, 5]);
  }, 60_000);

  test('under load, records are gathered into fewer batches when that is asked for', async () => {
    const [eager, patient] = [follower(), follower()];
    await rig.bus().follow('wallet', eager);
    await rig.bus({ gatherMs: 100 }).follow('wallet', patient);
    for (let i = 0; i < 150; i++) {
      await rig.append(1);
      await sleep(3);
    }
    await until(() => eager.ledger.position === 150 && patient.ledger.position === 150, 'all arrive');
    expect(patient.calls).toBeLessThan(eager.calls / 2);
  }, 60_000);
}

/** What this process holds after a collection, in bytes. */
function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
