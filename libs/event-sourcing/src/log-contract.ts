import { randomUUID } from 'node:crypto';
import { batchDigest, canonicalLines, firstChain, nextChain } from './chain.ts';
import type { Append, EventLog, NewEvent, ParkedRecord, SourceRecord } from './event-log.ts';
import { recordOf } from './source-record.ts';

/** A log that is empty, and how to be rid of it. */
export interface LogUnderTest {
  readonly log: EventLog;
  close(): Promise<void>;
}

export const NOTHING: Append = { events: [], states: [], keys: [], positions: [], parked: [], unparked: [] };

export const HASH = 'ab'.repeat(32);

/** An event for tests; two of one stream need different versions. */
export function someEvent(change: Partial<NewEvent> = {}): NewEvent {
  return {
    stream: 'account-7',
    version: 1,
    type: 'StakeDebited',
    schemaVersion: 1,
    occurredAt: '2009-02-05T12:00:00.000Z',
    correlation: null,
    data: '{"stakeCents":100}',
    ...change,
  };
}

/** The outcomes that both logs under test know as their second wall. */
export function isOutcome(type: string): boolean {
  return type === 'PrizeCredited' || type === 'StakeRefunded';
}

export function someRecord(source: string, position: number, body: Record<string, unknown> = {}): SourceRecord {
  const event = someEvent({ type: 'UnitIssued', version: position, data: JSON.stringify(body) });
  return recordOf(source, 1, { ...event, position, batch: position });
}

export function someParked(position: number, key: string, source = 'issuance'): ParkedRecord {
  return { source, position, key, record: someRecord(source, position), error: 'cannot be decoded' };
}

/** What every event log guarantees, whatever it is kept in. The log's second wall is one PrizeCredited or StakeRefunded a play. */
export function logContract(name: string, open: () => Promise<LogUnderTest>): void {
  describe(`the event log in ${name}`, () => {
    let log: EventLog;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ log, close } = await open());
    });
    afterEach(() => close());

    const failureOf = (append: Partial<Append>) =>
      log.append({ ...NOTHING, ...append }).then(
        () => 'appended',
        (error) => error.failure,
      );

    test('an empty log stands at position 0 of epoch 1, with the first chain value of its id', async () => {
      const head = await log.head();
      expect(head).toEqual({ logId: head.logId, epoch: 1, position: 0, chain: firstChain(head.logId) });
      expect(await log.read(0, 10)).toEqual([]);
      expect(await log.positions()).toEqual([]);
      expect(await log.parkedKeys()).toEqual([]);
    });

    test('events take the next positions and come back byte for byte with the batch they came in', async () => {
      const correlation = randomUUID();
      const first = [
        someEvent({ data: '{"text":"Arrêt\\n\\u0000 \\"é\\" \\\\","b":[1,null]}', correlation }),
        someEvent({ version: 2, occurredAt: '2026-12-31T23:59:59.999Z', schemaVersion: 3 }),
      ];
      expect(await log.append({ ...NOTHING, events: first })).toMatchObject({ first: 1, last: 2 });
      expect(await log.append({ ...NOTHING, events: [someEvent({ version: 3 })] })).toMatchObject({
        first: 3,
        last: 3,
      });
      expect(await log.read(0, 10)).toEqual([
        { ...first[0], position: 1, batch: 1 },
        { ...first[1], position: 2, batch: 1 },
        { ...someEvent({ version: 3 }), position: 3, batch: 3 },
      ]);
      expect((await log.read(1, 1)).map(({ position }) => position)).toEqual([2]);
      expect(await log.read(3, 10)).toEqual([]);
    });

    test('the chain follows from each batch of events, and from nothing else', async () => {
      const { logId, chain } = await log.head();
      const events = [someEvent(), someEvent({ version: 2 })];
      const { head } = await log.append({ ...NOTHING, events });
      expect(head.chain).toBe(nextChain(chain, batchDigest(canonicalLines(events))));
      const states = [{ id: 'sale-sudoku', from: 0, to: 1, state: {} }];
      const without = await log.append({ ...NOTHING, states });
      expect(without).toEqual({ first: 3, last: 2, head: { logId, epoch: 1, position: 2, chain: head.chain } });
      expect(await log.head()).toEqual(without.head);
    });

    test('states and keys come back as they were stored, absent states at version 0, absent keys not at all', async () => {
      const state = { availableCents: 5000, name: 'Zoë \u0000', list: [null, true] };
      const key = { owner: 'p-1', key: 'k-1', requestHash: HASH, decision: { playId: 'é"\\' } };
      await log.append({ ...NOTHING, states: [{ id: 'account-1', from: 0, to: 4, state }], keys: [key] });
      const loaded = await log.load(['account-1', 'account-2'], [key, { owner: 'p-2', key: 'k-1' }]);
      expect(loaded.states).toContainEqual({ id: 'account-1', version: 4, state });
      expect(loaded.states).toContainEqual({ id: 'account-2', version: 0, state: null });
      expect(loaded.states).toHaveLength(2);
      expect(loaded.keys).toEqual([key]);
    });

    test('a state changes only from the version it was read at', async () => {
      const change = (from: number, to: number) => ({ states: [{ id: 'account-1', from, to, state: { to } }] });
      expect(await failureOf(change(0, 1))).toBe('appended');
      expect(await failureOf(change(0, 1))).toBe('stale');
      expect(await failureOf(change(2, 3))).toBe('stale');
      expect(await failureOf(change(1, 3))).toBe('appended');
      expect((await log.load(['account-1'], [])).states).toEqual([{ id: 'account-1', version: 3, state: { to: 3 } }]);
    });

    test('a spent key, a taken stream version and a parked position are stale', async () => {
      const key = { owner: 'p', key: 'k', requestHash: HASH, decision: 1 };
      const append = { keys: [key], events: [someEvent()], parked: [someParked(9, 'p')] };
      expect(await failureOf(append)).toBe('appended');
      expect(await failureOf({ keys: [key] })).toBe('stale');
      expect(await failureOf({ events: [someEvent({ data: '{}' })] })).toBe('stale');
      expect(await failureOf({ parked: [someParked(9, 'q')] })).toBe('stale');
      expect(await failureOf({ keys: [{ ...key, owner: 'another' }] })).toBe('appended');
    });

    test('a source moves only from where it stands, within its epoch', async () => {
      const move = (from: number, position: number, epoch = 1) => ({
        positions: [{ source: 'issuance', epoch, from, position, offset: `o${position}` }],
      });
      expect(await failureOf(move(3, 5))).toBe('stale');
      expect(await failureOf(move(0, 5))).toBe('appended');
      expect(await failureOf(move(0, 5))).toBe('stale');
      expect(await failureOf(move(4, 6))).toBe('stale');
      expect(await failureOf(move(5, 6, 2))).toBe('stale');
      expect(await failureOf(move(5, 7))).toBe('appended');
      expect(await log.positions()).toEqual([{ source: 'issuance', epoch: 1, position: 7, offset: 'o7' }]);
    });

    test('an append that fails leaves nothing behind', async () => {
      const key = { owner: 'p', key: 'k', requestHash: HASH, decision: 1 };
      const before = await log.head();
      const failing: Partial<Append> = {
        events: [someEvent()],
        states: [
          { id: 'account-7', from: 0, to: 1, state: {} },
          { id: 'account-8', from: 5, to: 6, state: {} },
        ],
        keys: [key],
        positions: [{ source: 'issuance', epoch: 1, from: 0, position: 1, offset: null }],
        parked: [someParked(1, 'p')],
      };
      expect(await failureOf(failing)).toBe('stale');
      expect(await log.head()).toEqual(before);
      expect(await log.read(0, 10)).toEqual([]);
      expect((await log.load(['account-7'], [key])).keys).toEqual([]);
      expect((await log.load(['account-7'], [])).states[0]?.version).toBe(0);
      expect(await log.positions()).toEqual([]);
      expect(await log.parkedKeys()).toEqual([]);
    });

    test('parked records come back in order, by key and by source, and go when they are handled', async () => {
      await log.append({ ...NOTHING, parked: [someParked(12, 'p'), someParked(3, 'p'), someParked(4, 'q')] });
      await log.append({ ...NOTHING, parked: [someParked(1, 'p', 'wallet')] });
      const places = async (filter: { key?: string; source?: string; limit: number }) =>
        (await log.parked(filter)).map(({ source, position }) => `${source} ${position}`);
      expect(await places({ limit: 10 })).toEqual(['issuance 3', 'issuance 4', 'issuance 12', 'wallet 1']);
      expect(await places({ key: 'p', limit: 2 })).toEqual(['issuance 3', 'issuance 12']);
      expect(await places({ key: 'p', source: 'wallet', limit: 2 })).toEqual(['wallet 1']);
      const [row] = await log.parked({ key: 'q', limit: 1 });
      expect(row).toEqual({ ...someParked(4, 'q'), parkedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) });
      expect((await log.parkedKeys()).sort((a, b) => (a.source + a.key < b.source + b.key ? -1 : 1))).toEqual([
        { source: 'issuance', key: 'p' },
        { source: 'issuance', key: 'q' },
        { source: 'wallet', key: 'p' },
      ]);
      expect(await failureOf({ unparked: [{ source: 'issuance', position: 4 }] })).toBe('appended');
      expect(await failureOf({ unparked: [{ source: 'issuance', position: 4 }] })).toBe('stale');
      expect(await places({ key: 'q', limit: 10 })).toEqual([]);
    });

    test('a play gets one outcome, whatever its stream', async () => {
      const correlation = randomUUID();
      const prize = someEvent({ type: 'PrizeCredited', correlation });
      expect(await failureOf({ events: [prize] })).toBe('appended');
      const refund = { ...prize, type: 'StakeRefunded', stream: 'account-8' };
      expect(await failureOf({ events: [refund] })).toBe('outcome-taken');
      expect(await failureOf({ events: [{ ...refund, correlation: randomUUID() }] })).toBe('appended');
    });

    test.each<[string, Partial<Append>]>([
      ['U+0000 in a stream', { events: [someEvent({ stream: 'account-\u0000' })] }],
      ['a lone surrogate in a stream', { events: [someEvent({ stream: 'account-\ud800' })] }],
      ['U+0000 in a key', { keys: [{ owner: 'p', key: '\u0000', requestHash: HASH, decision: 1 }] }],
      ['a name too long for an index', { states: [{ id: 'x'.repeat(3_000), from: 0, to: 1, state: 1 }] }],
      ['a time without milliseconds', { events: [someEvent({ occurredAt: '2009-02-05T12:00:00Z' })] }],
      ['a correlation that is no UUID', { events: [someEvent({ correlation: 'play-1' })] }],
      ['an upper-case correlation', { events: [someEvent({ correlation: randomUUID().toUpperCase() })] }],
      ['a version that is no safe integer', { events: [someEvent({ version: 2 ** 53 })] }],
    ])('%s is rejected for ever', async (_, append) => {
      expect(await failureOf(append)).toBe('rejected');
      expect((await log.head()).position).toBe(0);
    });

    test('loading by a name that no database can hold is rejected', async () => {
      await expect(log.load(['account-\u0000'], [])).rejects.toMatchObject({ failure: 'rejected' });
    });

    test('appends that run at once follow each other without a gap', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          log.append({
            ...NOTHING,
            events: [someEvent({ stream: `account-${i}` }), someEvent({ stream: `play-${i}` })],
          }),
        ),
      );
      const events = await log.read(0, 100);
      expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      for (let i = 0; i < 40; i += 2) expect(events[i]?.batch).toBe(events[i + 1]?.batch);
    });
  });
}
