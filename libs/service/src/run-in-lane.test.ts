import { randomUUID } from 'node:crypto';
import { MemoryLog, openLane, type Work } from '#event-sourcing';
import { runInLane, runOneInLane } from './run-in-lane.ts';

const openedLane = (maxQueue: number) =>
  openLane(new MemoryLog({ logId: randomUUID() }), { newId: randomUUID, maxQueue });
const work: Work<string> = { states: [], decide: () => ({ answer: 'done' }) };
const busy = { status: 503, problem: 'unavailable', headers: { 'retry-after': '1' } };

test('a lane that is full or has stopped is a 503 that asks to come back', async () => {
  const lane = await openedLane(2);
  await expect(runInLane(lane, [work, work, work])).rejects.toMatchObject(busy);
  expect(await runInLane(lane, [work, work])).toHaveLength(2);
  await lane.stop();
  await expect(runOneInLane(lane, work)).rejects.toMatchObject(busy);
});

test('what a single work fails with is thrown', async () => {
  const lane = await openedLane(10);
  const failing: Work<string> = {
    states: [],
    decide() {
      throw new RangeError('not a whole number of cents: 0.5');
    },
  };
  await expect(runOneInLane(lane, failing)).rejects.toThrow('not a whole number of cents');
  expect(await runOneInLane(lane, work)).toEqual({ kind: 'decided', answer: 'done' });
  await lane.stop();
});
