import { randomFillSync } from 'node:crypto';

const store = Buffer.alloc(4_096);
let used = store.length;

/**
 * Random bytes, at most 4,096 at a time, from a store that is filled for many ids at once: asking the system for each costs
 * more than all else about an id.
 */
export function entropy(bytes: number): Buffer {
  if (used + bytes > store.length) {
    randomFillSync(store);
    used = 0;
  }
  used += bytes;
  const taken = Buffer.from(store.subarray(used - bytes, used));
  store.fill(0, used - bytes, used);
  return taken;
}
