import { randomUUID } from 'node:crypto';
import { idempotencyKey, requestHash } from './keys.ts';
import { add, FaultyLog, lane, memoryLog, runOne, totalOf, VirtualClock } from './lane.harness.ts';
import type { LaneAnswer } from './lane.ts';

const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);

test('the same key with the same request is answered again and does nothing', async () => {
  const log = memoryLog();
  const open = await lane(log);
  const key = randomUUID();
  expect(await runOne(open, add('a', 5, { key }))).toEqual({ kind: 'decided', answer: 5 });
  await runOne(open, add('a', 1));
  expect(await runOne(open, add('a', 5, { key }))).toEqual({ kind: 'repeated', answer: 5 });
  expect(await totalOf(log, 'a')).toBe(6);
});

test('the same key with another request is refused as such', async () => {
  const log = memoryLog();
  const open = await lane(log);
  const key = randomUUID();
  await runOne(open, add('a', 5, { key, hash: HASH }));
  expect(await runOne(open, add('a', 7, { key, hash: OTHER_HASH }))).toEqual({ kind: 'key-reused' });
  expect(await totalOf(log, 'a')).toBe(5);
});

test('the same key of another player is another key', async () => {
  const open = await lane(memoryLog());
  const key = randomUUID();
  await runOne(open, add('a', 5, { key, owner: 'one' }));
  expect(await runOne(open, add('a', 5, { key, owner: 'two' }))).toEqual({ kind: 'decided', answer: 10 });
});

test('the same key twice in one batch is one decision, and both get it', async () => {
  const log = memoryLog();
  const key = randomUUID();
  const answers = await (await lane(log)).run([
    add('a', 5, { key }),
    add('a', 5, { key }),
    add('a', 5, { key, hash: OTHER_HASH }),
  ]);
  expect(answers).toEqual([{ kind: 'decided', answer: 5 }, { kind: 'repeated', answer: 5 }, { kind: 'key-reused' }]);
  expect(await totalOf(log, 'a')).toBe(5);
});

test('the same key at once over two processes is one decision, and both get it', async () => {
  const log = memoryLog();
  const lanes = [await lane(log), await lane(log)];
  const key = randomUUID();
  const answers = await Promise.all(lanes.map((open) => runOne(open, add('a', 5, { key }))));
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['decided', 'repeated']);
  expect(answers.map((answer) => (answer as { answer: unknown }).answer)).toEqual([5, 5]);
  expect(await totalOf(log, 'a')).toBe(5);
});

test('a decided refusal spends the key: it stays refused when it would be granted now', async () => {
  const open = await lane(memoryLog());
  const key = randomUUID();
  expect(await runOne(open, add('a', 5, { key, most: 1 }))).toEqual({ kind: 'decided', answer: 'too-much' });
  expect(await runOne(open, add('a', 5, { key }))).toEqual({ kind: 'repeated', answer: 'too-much' });
});

test('what must not spend the key does not, and neither does a failure', async () => {
  const open = await lane(memoryLog());
  const key = randomUUID();
  await runOne(open, add('a', 5, { key, most: 1, spendsKey: false }));
  const failing = add('a', 5, {
    key,
    before: () => {
      throw new Error('no');
    },
  });
  expect((await runOne(open, failing)).kind).toBe('failed');
  expect(await runOne(open, add('a', 5, { key }))).toEqual({ kind: 'decided', answer: 5 });
});

test('after a crash between commit and answer the key gives the decision that was stored', async () => {
  const log = memoryLog();
  const key = randomUUID();
  const crashing = await lane(log, {
    fault: (point) => {
      if (point === 'appended') throw new Error('crash');
    },
    onBroken: () => undefined,
  });
  await expect(runOne(crashing, add('a', 5, { key }))).rejects.toThrow();
  const restarted = await lane(log);
  expect(await runOne(restarted, add('a', 5, { key }))).toEqual({ kind: 'repeated', answer: 5 });
  expect(await totalOf(log, 'a')).toBe(5);
});

test('after an answer of the database was lost the key gives the decision that was stored, to all who wait', async () => {
  const log = new FaultyLog(memoryLog());
  const clock = new VirtualClock();
  const open = await lane(log, { clock });
  log.onAppend = (_, attempt) => (attempt === 1 ? { failure: 'unavailable', done: true } : null);
  const key = randomUUID();
  const answers: LaneAnswer<unknown>[] = [];
  void open.run([add('a', 5, { key }), add('a', 5, { key })]).then((given) => answers.push(...given));
  await clock.pass(1_000);
  expect(answers).toEqual([
    { kind: 'repeated', answer: 5 },
    { kind: 'repeated', answer: 5 },
  ]);
});

test('a key is a UUID, whatever its case', () => {
  const key = randomUUID();
  expect(idempotencyKey(key.toUpperCase())).toBe(key);
  for (const other of ['', 'key', `${key}0`, `{${key}}`, key.replaceAll('-', '')]) {
    expect(idempotencyKey(other)).toBeNull();
  }
});

test('a request is the same by route and content, not by the order of its members', () => {
  const hash = requestHash('POST /plays', { game: 'sudoku', stakeCents: 100 });
  expect(requestHash('POST /plays', { stakeCents: 100, game: 'sudoku' })).toBe(hash);
  expect(requestHash('POST /acceptances', { game: 'sudoku', stakeCents: 100 })).not.toBe(hash);
  expect(requestHash('POST /plays', { game: 'sudoku', stakeCents: 200 })).not.toBe(hash);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
});
