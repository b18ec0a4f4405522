import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from './event-log.ts';
import {
  add,
  counters,
  FaultyLog,
  fail,
  lane,
  memoryLog,
  runOne,
  settle,
  settled,
  totalOf,
  VirtualClock,
} from './lane.harness.ts';
import { LaneUnavailable, type Work } from './lane.ts';

test('works that arrive while an append is in flight are stored together by the next one', async () => {
  const log = new FaultyLog(memoryLog());
  const open = await lane(log);
  const first = runOne(open, add('a', 1));
  await Promise.resolve();
  const rest = Promise.all([2, 3, 4].map((amount) => runOne(open, add('a', amount))));
  expect(await first).toEqual({ kind: 'decided', answer: 1 });
  expect(await rest).toEqual([3, 6, 10].map((answer) => ({ kind: 'decided', answer })));
  expect(log.appends.map(({ events }) => events.length)).toEqual([1, 3]);
});

test('a work sees what the works before it in the same batch decided', async () => {
  const log = memoryLog();
  const answers = await (await lane(log)).run([add('a', 3), add('b', 1), add('a', 4)]);
  expect(answers).toEqual([3, 1, 7].map((answer) => ({ kind: 'decided', answer })));
  expect((await log.read(0, 10)).map(({ stream, version }) => `${stream} ${version}`)).toEqual([
    'counter-a 1',
    'counter-b 1',
    'counter-a 2',
  ]);
  expect(await log.load(['counter-a'], [])).toMatchObject({ states: [{ version: 2, state: { total: 7, count: 2 } }] });
});

test('an event is stored as canonical data, with its schema version, its correlation and the time of the batch', async () => {
  const log = memoryLog();
  const playId = randomUUID();
  const work: Work<null> = {
    states: [],
    decide(draft) {
      draft.emitOnce(`play-${playId}`, { type: 'UnitRefused', z: 1, a: 'é' } as never, playId);
      return { answer: null };
    },
  };
  const clock = new VirtualClock();
  await runOne(await lane(log, { clock, schemaVersionOf: (type) => (type === 'UnitRefused' ? 4 : 1) }), work);
  expect(await log.read(0, 1)).toEqual([
    {
      position: 1,
      batch: 1,
      stream: `play-${playId}`,
      version: 1,
      type: 'UnitRefused',
      schemaVersion: 4,
      occurredAt: '2009-02-05T12:00:00.000Z',
      correlation: playId,
      data: '{"a":"é","z":1}',
    },
  ]);
});

test('one work that throws leaves no trace and touches no other', async () => {
  const log = memoryLog();
  const half: Work<null> = {
    states: [{ subject: counters, id: 'a' }],
    decide(draft) {
      draft.emit(counters, 'a', { type: 'Added', amount: 100 });
      throw new Error('thought better of it');
    },
  };
  const answers = await (await lane(log)).run([add('a', 1), half, add('a', 1)]);
  expect(answers.map(({ kind }) => kind)).toEqual(['decided', 'failed', 'decided']);
  expect(await totalOf(log, 'a')).toBe(2);
  expect(await log.read(0, 10)).toHaveLength(2);
});

test('a work may touch only the states that it declared, and no value without a canonical form', async () => {
  const open = await lane(memoryLog());
  const reach = (amount: number): Work<null> => ({
    states: [{ subject: counters, id: 'a' }],
    decide(draft) {
      draft.emit(counters, amount === 1 ? 'b' : 'a', { type: 'Added', amount });
      return { answer: null };
    },
  });
  expect(await runOne(open, reach(1))).toMatchObject({ kind: 'failed', error: { message: /not among/ } as never });
  expect(await runOne(open, reach(0.5))).toMatchObject({ kind: 'failed' });
});

test('a copy that has no stream of its own is stored without an event', async () => {
  const log = memoryLog();
  const copies = { name: 'sale', initial: { open: false }, evolve: () => ({ open: false }) };
  const put = (open: boolean): Work<boolean> => ({
    states: [{ subject: copies, id: 'sudoku' }],
    decide(draft) {
      draft.put(copies, 'sudoku', { open });
      return { answer: draft.state(copies, 'sudoku').open };
    },
  });
  const open = await lane(log);
  expect(await runOne(open, put(true))).toEqual({ kind: 'decided', answer: true });
  expect(await runOne(open, put(false))).toEqual({ kind: 'decided', answer: false });
  expect(await log.load(['sale-sudoku'], [])).toMatchObject({ states: [{ version: 2, state: { open: false } }] });
  expect((await log.head()).position).toBe(0);
});

test('the time of a batch never goes back, not even across a restart with a clock that has', async () => {
  const log = memoryLog();
  const clock = new VirtualClock();
  const open = await lane(log, { clock });
  await runOne(open, add('a', 1));
  clock.set(clock.now() - 60_000);
  await runOne(open, add('a', 1));
  await open.stop();
  await runOne(await lane(log, { clock }), add('a', 1));
  expect(new Set((await log.read(0, 10)).map(({ occurredAt }) => occurredAt))).toEqual(
    new Set(['2009-02-05T12:00:00.000Z']),
  );
});

test('what has changed meanwhile is loaded and decided again', async () => {
  const log = memoryLog();
  const other = await lane(log);
  let between: (() => Promise<unknown>) | null = () => runOne(other, add('a', 10));
  const open = await lane(
    Object.assign(new FaultyLog(log), {
      load: async (...args: Parameters<typeof log.load>) => {
        const loaded = await log.load(...args);
        await between?.();
        between = null;
        return loaded;
      },
    }),
  );
  expect(await runOne(open, add('a', 1))).toEqual({ kind: 'decided', answer: 11 });
  expect(await totalOf(log, 'a')).toBe(11);
});

test('a value that is refused for ever fails its own command alone, wherever it stands in the batch', async () => {
  for (const place of [0, 3, 6]) {
    const log = memoryLog();
    const works: Work<unknown>[] = Array.from({ length: 7 }, () => add('a', 1));
    works[place] = add('bad-\u0000', 1);
    const answers = await (await lane(log)).run(works);
    expect(answers.map(({ kind }) => kind)).toEqual(works.map((_, i) => (i === place ? 'failed' : 'decided')));
    expect(await totalOf(log, 'a')).toBe(6);
  }
});

test('a command that would settle a play a second time fails alone', async () => {
  const log = memoryLog();
  const playId = randomUUID();
  const answers = await (await lane(log)).run([settle(playId), add('a', 1), settle(playId), add('a', 1)]);
  expect(answers.map(({ kind }) => kind)).toEqual(['decided', 'decided', 'failed', 'decided']);
  expect(await totalOf(log, 'a')).toBe(2);
});

test('an event of a stream version that exists without a state is the fault of its work, not of the moment', async () => {
  const log = memoryLog();
  const once = (stream: string): Work<null> => ({
    states: [],
    decide(draft) {
      draft.emitOnce(stream, { type: 'UnitRefused' });
      return { answer: null };
    },
  });
  const open = await lane(log);
  expect((await open.run([once('play-1'), once('play-1'), once('play-2')])).map(({ kind }) => kind)).toEqual([
    'decided',
    'failed',
    'decided',
  ]);
  expect(await runOne(open, once('play-2'))).toMatchObject({ kind: 'failed' });
  expect(await runOne(open, add('a', 1))).toMatchObject({ kind: 'decided' });
});

test('while the database is away commands wait, and are stored when it is back', async () => {
  const log = new FaultyLog(memoryLog());
  const clock = new VirtualClock();
  const retries: string[] = [];
  const open = await lane(log, { clock, onRetry: (error) => retries.push(error.message) });
  log.onLoad = () => 'unavailable';
  const answer = runOne(open, add('a', 1));
  await clock.pass(20_000);
  expect(retries.length).toBeGreaterThan(5);
  log.onLoad = () => null;
  await clock.pass(2_000);
  expect(await answer).toEqual({ kind: 'decided', answer: 1 });
});

test('an append that was stored although it seemed to fail is not stored again under its key', async () => {
  const log = new FaultyLog(memoryLog());
  const clock = new VirtualClock();
  log.onAppend = (_, attempt) => (attempt === 1 ? { failure: 'unavailable', done: true } : null);
  const answer = runOne(await lane(log, { clock }), add('a', 5, { key: randomUUID() }));
  await clock.pass(1_000);
  expect(await answer).toEqual({ kind: 'repeated', answer: 5 });
  expect(await totalOf(log, 'a')).toBe(5);
});

test('a full queue refuses more commands and loses none of those that it took', async () => {
  const log = memoryLog();
  const open = await lane(log, { maxQueue: 10, maxBatch: 4 });
  const taken = open.run(Array.from({ length: 10 }, () => add('a', 1)));
  await expect(open.run([add('a', 100)])).rejects.toMatchObject({ name: 'LaneUnavailable', reason: 'full' });
  expect(await taken).toHaveLength(10);
  expect(await totalOf(log, 'a')).toBe(10);
  expect(await runOne(open, add('a', 1))).toMatchObject({ kind: 'decided', answer: 11 });
});

test('stopping stores what was taken and takes no more', async () => {
  const log = memoryLog();
  const open = await lane(log, { maxBatch: 2 });
  const taken = open.run(Array.from({ length: 5 }, () => add('a', 1)));
  await open.stop();
  expect(await taken).toHaveLength(5);
  await expect(open.run([add('a', 1)])).rejects.toBeInstanceOf(LaneUnavailable);
  await open.stop();
  expect(await totalOf(log, 'a')).toBe(5);
});

test('a batch that decides nothing to store is answered without an append', async () => {
  const log = new FaultyLog(memoryLog());
  const answer = await runOne(await lane(log), add('a', 5, { most: 1 }));
  expect(answer).toEqual({ kind: 'decided', answer: 'too-much' });
  expect(log.attempts).toBe(0);
});

test('whoever feeds on the lane sees each batch of events once, in order, before the answers', async () => {
  const seen: RecordedEvent[] = [];
  const order: string[] = [];
  const log = memoryLog();
  const open = await lane(log, {
    onAppended(events, head) {
      seen.push(...events);
      order.push(`appended to ${head.position}`);
    },
  });
  await open.run([add('a', 1), add('b', 2)]).then(() => order.push('answered'));
  await open.run([add('a', 1)]);
  expect(seen).toEqual(await log.read(0, 10));
  expect(order).toEqual(['appended to 2', 'answered', 'appended to 3']);
});

test('a fault of the program stops the lane, rejects everyone and is reported', async () => {
  const broken: Error[] = [];
  const log = new FaultyLog(memoryLog());
  log.onAppend = () => {
    throw new TypeError('a bug');
  };
  const open = await lane(log, { onBroken: (error) => broken.push(error), maxBatch: 1 });
  const first = open.run([add('a', 1)]);
  const second = open.run([add('a', 1)]);
  await expect(first).rejects.toBeInstanceOf(LaneUnavailable);
  await expect(second).rejects.toBeInstanceOf(LaneUnavailable);
  await settled();
  expect(broken.map(({ message }) => message)).toEqual(['a bug']);
  expect(open.stopped).toBe(true);
  await expect(open.stop()).rejects.toThrow('a bug');
});

test('one failing command in a batch of answers is told apart from its neighbours', async () => {
  const [failed, decided] = await (await lane(memoryLog())).run([fail('no') as Work<number | 'too-much'>, add('a', 1)]);
  expect(failed).toMatchObject({ kind: 'failed', error: { message: 'no' } });
  expect(decided).toEqual({ kind: 'decided', answer: 1 });
});
