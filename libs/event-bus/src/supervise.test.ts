import { getEventListeners } from 'node:events';
import { unlessAborted } from './supervise.ts';

test('what is waited for until a stop leaves nothing behind on the signal, however often', async () => {
  const { signal } = new AbortController();
  for (let i = 0; i < 20; i++) {
    expect(await unlessAborted(Promise.resolve(i), signal)).toBe(i);
    await expect(unlessAborted(Promise.reject(new Error('refused')), signal)).rejects.toThrow('refused');
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a stop ends the wait, before or while something is waited for', async () => {
  const stopping = new AbortController();
  const waiting = unlessAborted(new Promise(() => {}), stopping.signal);
  stopping.abort();
  expect(await waiting).toBeUndefined();
  expect(await unlessAborted(Promise.reject(new Error('too late')), stopping.signal)).toBeUndefined();
});
