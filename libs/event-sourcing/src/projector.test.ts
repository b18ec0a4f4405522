import { randomUUID } from 'node:crypto';
import type { SourcePosition, SourceRecord } from './event-log.ts';
import type { LaneOptions, RecordLane } from './group-commit.ts';
import {
  add,
  FaultyLog,
  handler,
  lane,
  memoryLog,
  record,
  runOne,
  settled,
  totalOf,
  VirtualClock,
} from './lane.harness.ts';
import type { MemoryLog } from './memory-log.ts';
import { ParkedKeys } from './parking.ts';
import { EpochAhead, type Projector, type ProjectorOptions, project, projectInto } from './projector.ts';

const at = (position: number, epoch = 1): SourcePosition => ({ source: 'issuance', epoch, position, offset: null });
const kinds = (place: SourcePosition | null, records: SourceRecord[], parked = new ParkedKeys()) =>
  project(place, parked, records).map(({ kind }) => kind);

describe('what to do with a record', () => {
  test('the next position is applied, one at or below dropped, one beyond skipped', () => {
    const records = [4, 5, 6, 6, 8, 7, 8].map((position) => record(position, {}));
    expect(kinds(at(5), records)).toEqual(['drop', 'drop', 'apply', 'drop', 'skip', 'apply', 'apply']);
  });

  test('a source that has never been seen begins at position 1', () => {
    expect(kinds(null, [record(2, {}), record(1, {}), record(2, {})])).toEqual(['skip', 'apply', 'apply']);
  });

  test('a record whose key has parked records is parked, and the next still follows it', () => {
    const parked = new ParkedKeys([{ source: 'issuance', key: 'p' }]);
    const records = [record(6, { key: 'p' }), record(7, { key: 'q' }), record(8, { key: 'p' }, { source: 'wallet' })];
    expect(kinds(at(5), records, parked)).toEqual(['park', 'apply', 'apply']);
  });

  test('a lower epoch is dropped, a higher one stops the source, the first one seen is kept', () => {
    expect(kinds(at(5, 2), [record(6, {}, { epoch: 1 })])).toEqual(['drop']);
    expect(() => kinds(at(5, 2), [record(6, {}, { epoch: 3 })])).toThrow(EpochAhead);
    expect(() => kinds(at(5, 2), [record(6, {}, { epoch: 3 })])).toThrow(/^epoch-ahead/);
    expect(kinds(null, [record(1, {}, { epoch: 4 }), record(2, {}, { epoch: 3 })])).toEqual(['apply', 'drop']);
  });
});

async function follow(
  log: ConstructorParameters<typeof FaultyLog>[0],
  options: Partial<ProjectorOptions> = {},
  laneOptions: Partial<LaneOptions> = {},
): Promise<{ open: RecordLane; projector: Projector; gaps: number[] }> {
  const gaps: number[] = [];
  const open = await lane(log, { onBroken: () => undefined, ...laneOptions });
  const projector = projectInto(open, handler(), {
    name: 'wallet',
    newId: randomUUID,
    onGap: (_, position) => void gaps.push(position),
    ...options,
  });
  return { open, projector, gaps };
}

async function incidentsOf(log: MemoryLog): Promise<unknown[]> {
  const events = await log.read(0, 1_000);
  return events.filter(({ type }) => type === 'IncidentRaised').map(({ data }) => JSON.parse(data));
}

describe('a projector into a lane', () => {
  test('effects and position are stored together, and records sent again have no effect', async () => {
    const log = new FaultyLog(memoryLog());
    const { open, projector } = await follow(log);
    const records = [record(1, { to: 'a', add: 5 }), record(2, { to: 'a', add: 1 }), record(3, { to: 'b' })];
    await projector.handle(records.slice(0, 2), false);
    await projector.handle(records, true);
    await projector.handle(records, true);
    await open.stop();
    expect(await totalOf(log, 'a')).toBe(6);
    expect(await log.positions()).toEqual([at(3)]);
    for (const append of log.appends) expect(append.positions).toHaveLength(append.events.length > 0 ? 1 : 0);
  });

  test('consecutive positions of a source become one move, with the offset of the last', async () => {
    const log = new FaultyLog(memoryLog());
    const { open, projector } = await follow(log);
    await projector.handle(
      [1, 2, 3].map((n) => record(n, { to: 'a' }, { offset: `${n * 10}` })),
      true,
    );
    await settled();
    expect(log.appends.map(({ positions }) => positions)).toEqual([
      [{ source: 'issuance', epoch: 1, from: 0, position: 3, offset: '30' }],
    ]);
    expect(await projector.position()).toEqual({ ...at(3), offset: '30' });
    await open.stop();
  });

  test('positions without effects ride with the next append', async () => {
    const log = new FaultyLog(memoryLog());
    const { open, projector } = await follow(log, {}, { clock: new VirtualClock() });
    await projector.handle([record(1, {}), record(2, {})], true);
    await settled();
    expect(log.attempts).toBe(0);
    await runOne(open, add('a', 1));
    expect(log.appends.map(({ positions }) => positions)).toEqual([[{ ...at(2), from: 0 }]]);
    expect(await projector.position()).toEqual(at(2));
  });

  test('positions without effects are stored after a quarter of a second, at stop, and when they are many', async () => {
    const clock = new VirtualClock();
    const log = memoryLog();
    const { open, projector } = await follow(log, {}, { clock });
    await projector.handle([record(1, {}), record(2, {})], true);
    await clock.pass(200);
    expect(await log.positions()).toEqual([]);
    await clock.pass(60);
    expect(await log.positions()).toEqual([at(2)]);
    await projector.handle([record(3, {})], true);
    await open.stop();
    expect(await log.positions()).toEqual([at(3)]);
    const many = await follow(log, {}, { clock });
    await many.projector.handle(
      Array.from({ length: 6_000 }, (_, i) => record(i + 4, {})),
      true,
    );
    await settled();
    expect((await log.positions())[0]?.position).toBeGreaterThan(5_000);
  });

  test('two processes that both follow a source apply each record once', async () => {
    const log = memoryLog();
    const two = [await follow(log), await follow(log)];
    for (let n = 1; n <= 40; n += 4) {
      const records = [n, n + 1, n + 2, n + 3].map((position) => record(position, { to: 'a' }));
      await Promise.all(two.map(({ projector }) => projector.handle(records, true)));
      if (n % 8 === 1) await settled();
    }
    await Promise.all(two.map(({ open }) => open.stop()));
    expect(await totalOf(log, 'a')).toBe(40);
    expect(await log.positions()).toEqual([at(40)]);
  });

  test('back pressure: handing over waits while the lane holds too many', async () => {
    const log = new FaultyLog(memoryLog());
    const clock = new VirtualClock();
    const { projector } = await follow(log, {}, { maxQueue: 4, maxBatch: 2, clock });
    log.onAppend = () => ({ failure: 'unavailable' });
    await projector.handle(
      [1, 2, 3, 4, 5, 6].map((n) => record(n, { to: 'a' })),
      false,
    );
    let handed = false;
    const next = projector.handle([record(7, { to: 'a' })], false).then(() => {
      handed = true;
    });
    await clock.pass(5_000);
    expect(handed).toBe(false);
    log.onAppend = () => null;
    await clock.pass(5_000);
    await next;
    expect(await totalOf(log, 'a')).toBe(7);
  });

  test('what prepare cannot read now is tried again, and nothing is parked for it', async () => {
    const clock = new VirtualClock();
    const log = memoryLog();
    const open = await lane(log);
    let failures = 3;
    const seen: unknown[] = [];
    const prepared = {
      ...handler(),
      async prepare() {
        if (failures-- > 0) throw new Error('database away');
      },
    };
    const options = { name: 'wallet', newId: randomUUID, onGap: () => undefined, clock };
    const projector = projectInto(open, prepared, { ...options, onRetry: (error) => seen.push(error) });
    const handed = projector.handle([record(1, { to: 'a' })], true);
    await clock.pass(1_000);
    await handed;
    await open.stop();
    expect(seen).toHaveLength(3);
    expect(await totalOf(log, 'a')).toBe(1);
    expect(await log.parkedKeys()).toEqual([]);
  });

  test('a higher epoch stops the source for good and says so once', async () => {
    const stops: string[] = [];
    const { projector } = await follow(memoryLog(), { onEpochAhead: ({ word }) => stops.push(word) });
    await projector.handle([record(1, {})], false);
    const ahead = [record(2, {}, { epoch: 2 })];
    await expect(projector.handle(ahead, true)).rejects.toThrow('epoch-ahead');
    await expect(projector.handle([record(2, {})], true)).rejects.toThrow('epoch-ahead');
    expect(stops).toEqual(['epoch-ahead']);
  });
});

describe('a record that the bus has lost', () => {
  test('is noticed at the end of the feed, raises one incident and is asked for until it comes', async () => {
    const clock = new VirtualClock();
    const log = memoryLog();
    const { open, projector, gaps } = await follow(log, { clock }, { clock });
    await projector.handle([record(1, { to: 'a' }), record(3, { to: 'a' })], true);
    await clock.pass(0);
    expect(gaps).toEqual([1]);
    await clock.pass(16_000);
    expect(gaps).toEqual([1, 1, 1]);
    await projector.handle([record(2, { to: 'a' }), record(3, { to: 'a' })], true);
    await clock.pass(120_000);
    expect(gaps).toEqual([1, 1, 1]);
    expect(await totalOf(log, 'a')).toBe(3);
    expect(await incidentsOf(log)).toEqual([
      {
        incidentId: expect.any(String),
        kind: 'bus-gap',
        subject: 'issuance',
        detail: 'nothing fits after position 1',
        raisedAt: expect.any(String),
      },
    ]);
    await open.stop();
  });

  test('is noticed after five seconds where the feed has no end', async () => {
    const clock = new VirtualClock();
    const { projector, gaps } = await follow(memoryLog(), { clock });
    for (let second = 0; second < 5; second++) {
      await projector.handle([record(3 + second, {})], false);
      await clock.pass(900);
    }
    expect(gaps).toEqual([]);
    await clock.pass(600);
    expect(gaps).toEqual([0]);
  });

  test('is not asked for any more once the projector has stopped', async () => {
    const clock = new VirtualClock();
    const { projector, gaps } = await follow(memoryLog(), { clock });
    await projector.handle([record(2, {})], false);
    projector.stop();
    await projector.handle([record(3, {})], true);
    await clock.pass(60_000);
    expect(gaps).toEqual([]);
  });

  test('is no gap when it was only late', async () => {
    const clock = new VirtualClock();
    const { projector, gaps } = await follow(memoryLog(), { clock });
    await projector.handle([record(2, {})], false);
    await projector.handle([record(1, {}), record(2, {})], true);
    await clock.pass(60_000);
    expect(gaps).toEqual([]);
  });
});
