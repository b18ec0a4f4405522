import { canonicalLines, type LogHead, type RecordedEvent } from '#event-sourcing';
import { type FeedBatch, LogFeed } from './log-feed.ts';

const HEAD: LogHead = { logId: '018f3c5e-0000-7000-8000-000000000001', epoch: 1, position: 0, chain: '' };

function event(position: number, batch = position): RecordedEvent {
  return {
    position,
    batch,
    stream: `block-${position}`,
    version: 1,
    type: 'UnitIssued',
    schemaVersion: 1,
    occurredAt: '2009-02-05T12:00:00.000Z',
    correlation: null,
    data: '{}',
  };
}

function events(first: number, last: number): RecordedEvent[] {
  return Array.from({ length: last - first + 1 }, (_, i) => event(first + i, first));
}

/** A log whose reads answer when the test says so. */
class SlowLog {
  readonly reads: { readonly after: number; readonly answer: (events: RecordedEvent[]) => void }[] = [];

  read = (after: number): Promise<RecordedEvent[]> => {
    const { promise, resolve } = Promise.withResolvers<RecordedEvent[]>();
    this.reads.push({ after, answer: resolve });
    return promise;
  };
}

let log: SlowLog;
let stopping: AbortController;

function feedFrom(position: number, head = position, batch = 10): LogFeed {
  const options = { source: 'wallet', batch, pollMs: 60_000, gatherMs: 0 };
  const feed = new LogFeed(log, options, { ...HEAD, position: head }, stopping.signal);
  feed.startAfter(position);
  return feed;
}

function notify(feed: LogFeed, first: number, last: number, enclosed = true): void {
  feed.notified(`1 ${first} ${last}${enclosed ? `\n${canonicalLines(events(first, last))}` : ''}`);
}

function given(batch: FeedBatch | null): unknown {
  return batch && [batch.records.map(({ position }) => position), batch.end ? 'end' : 'more'];
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  log = new SlowLog();
  stopping = new AbortController();
});
afterEach(() => stopping.abort());

test('what a notification encloses is given out without a read', async () => {
  const feed = feedFrom(4);
  const next = feed.next();
  notify(feed, 5, 7);
  expect(given(await next)).toEqual([[5, 6, 7], 'end']);
  expect(log.reads).toEqual([]);
});

test('a notification without its lines, or after a hole, is followed by a read', async () => {
  for (const [first, enclosed] of [
    [5, false],
    [6, true],
  ] as const) {
    const feed = feedFrom(4);
    const next = feed.next();
    notify(feed, first, 7, enclosed);
    await turn();
    expect(log.reads.at(-1)?.after).toBe(4);
    log.reads.at(-1)?.answer(events(5, 7));
    expect(given(await next)).toEqual([[5, 6, 7], 'end']);
  }
});

test('a notification that comes while an older read is under way is not lost', async () => {
  const feed = feedFrom(0, 3);
  const next = feed.next();
  await turn();
  notify(feed, 4, 5);
  log.reads[0]?.answer([]);
  await turn();
  expect(log.reads.map(({ after }) => after)).toEqual([0, 0]);
  log.reads[1]?.answer(events(1, 5));
  expect(given(await next)).toEqual([[1, 2, 3, 4, 5], 'end']);
});

test('a notification of what the read under way has already found is not given out twice, nor read again', async () => {
  const feed = feedFrom(0, 3);
  const first = feed.next();
  await turn();
  notify(feed, 4, 5);
  log.reads[0]?.answer(events(1, 5));
  expect(given(await first)).toEqual([[1, 2, 3, 4, 5], 'end']);
  const second = feed.next();
  notify(feed, 6, 6);
  expect(given(await second)).toEqual([[6], 'end']);
  expect(log.reads.length).toBe(1);
});

test('an append that is read and notified at the same time is given out once', async () => {
  const feed = feedFrom(0, 5);
  const first = feed.next();
  await turn();
  notify(feed, 1, 5);
  log.reads[0]?.answer(events(1, 5));
  expect(given(await first)).toEqual([[1, 2, 3, 4, 5], 'end']);
  const second = feed.next();
  notify(feed, 6, 6);
  expect(given(await second)).toEqual([[6], 'end']);
});

test('a notification of an append of which a part was read gives the rest', async () => {
  const feed = feedFrom(4);
  const next = feed.next();
  notify(feed, 3, 6);
  expect(given(await next)).toEqual([[5, 6], 'end']);
});

test('no more than one batch is held of what is notified; the rest stays in the log until its turn comes', async () => {
  const feed = feedFrom(0, 0, 10);
  for (let first = 1; first <= 97; first += 3) notify(feed, first, first + 2);
  expect(given(await feed.next())).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], 'more']);
  const next = feed.next();
  await turn();
  expect(log.reads.map(({ after }) => after)).toEqual([9]);
  log.reads[0]?.answer(events(10, 19));
  expect(given(await next)).toEqual([[10, 11, 12, 13, 14, 15, 16, 17, 18, 19], 'more']);
  expect(feed.lag).toBe(80);
});

test('what is notified before it was told where to start is not given out', async () => {
  const options = { source: 'wallet', batch: 10, pollMs: 60_000, gatherMs: 0 };
  const feed = new LogFeed(log, options, HEAD, stopping.signal);
  notify(feed, 1, 2);
  feed.startAfter(0);
  const next = feed.next();
  await turn();
  log.reads[0]?.answer(events(1, 2));
  expect(given(await next)).toEqual([[1, 2], 'end']);
});

test('a log of another epoch, and a lost connection, end the feed', async () => {
  const moved = feedFrom(0);
  moved.notified('2 1 1');
  await expect(moved.next()).rejects.toThrow('the log is at epoch 2, was 1');
  const lost = feedFrom(0);
  const next = lost.next();
  lost.fail(new Error('gone'));
  await expect(next).rejects.toThrow('gone');
});

test('a stop ends the waiting', async () => {
  const next = feedFrom(0).next();
  stopping.abort();
  expect(await next).toBeNull();
});
