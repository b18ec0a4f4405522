import type { RecordedEvent } from '#event-sourcing';
import { HeldEvents } from './held-events.ts';

function events(first: number, last: number, data = '{}'): RecordedEvent[] {
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    position: first + i,
    batch: first,
    stream: 'block-1',
    version: first + i,
    type: 'UnitIssued',
    schemaVersion: 1,
    occurredAt: '2009-02-05T12:00:00.000Z',
    correlation: null,
    data,
  }));
}

const after = (held: HeldEvents, position: number, limit = 100) =>
  held.after(position, limit)?.map((event) => event.position) ?? null;

test('events follow each other from the position asked for, at most as many as asked for', () => {
  const held = new HeldEvents({ records: 10, size: 1_000 });
  held.offer(events(5, 6));
  held.offer(events(7, 9));
  expect(after(held, 4, 3)).toEqual([5, 6, 7]);
  expect(after(held, 6)).toEqual([7, 8, 9]);
});

test('those up to the position asked for are let go, and what lies before those held is not there', () => {
  const held = new HeldEvents({ records: 10, size: 1_000 });
  held.offer(events(5, 9));
  expect(after(held, 3)).toBeNull();
  expect(after(held, 9)).toBeNull();
  expect(held.length).toBe(0);
});

test('a hole in what is offered is never bridged', () => {
  const held = new HeldEvents({ records: 10, size: 1_000 });
  held.offer(events(1, 3));
  held.offer(events(6, 7));
  expect(after(held, 0)).toBeNull();
  expect(after(held, 3)).toBeNull();
  expect(after(held, 5)).toEqual([6, 7]);
});

test.each([
  ['too many', events(4, 11), 11],
  ['too large', events(4, 5, 'x'.repeat(600)), 5],
])('%s: all are let go, and it begins anew', (_what, offered, last) => {
  const held = new HeldEvents({ records: 10, size: 1_000 });
  held.offer(events(1, 3));
  held.offer(offered);
  expect(held.length).toBe(0);
  held.offer(events(last + 1, last + 2));
  expect(after(held, last)).toEqual([last + 1, last + 2]);
});

test('what was let go does not count any more', () => {
  const held = new HeldEvents({ records: 10, size: 1_000 });
  for (let first = 1; first < 100; first += 5) {
    held.offer(events(first, first + 4, 'x'.repeat(150)));
    expect(after(held, first - 1)).toHaveLength(5);
    held.after(first + 4, 1);
  }
});
