import { getEventListeners } from 'node:events';
import { pause, systemClock } from '#event-sourcing';

test('a pause ends by itself, or with the reason of whoever stops it, and leaves nothing behind', async () => {
  const stopping = new AbortController();
  await pause(systemClock, 1, stopping.signal);
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
  };
  const never = { now: () => 0, after: () => cancel };
  const pausing = pause(never, 1, stopping.signal);
  stopping.abort(new Error('it stops'));
  await expect(pausing).rejects.toThrow('it stops');
  expect([cancelled, getEventListeners(stopping.signal, 'abort')]).toEqual([true, []]);
  await expect(pause(systemClock, 1, stopping.signal)).rejects.toThrow('it stops');
});
