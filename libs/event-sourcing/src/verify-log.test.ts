import { type KeySet, publicKeyEntry, type SignedHead, signHead, signingKey } from '#fairness';
import type { HeadFile } from './head-file.ts';
import { HeadSigner } from './head-signer.ts';
import { add, lane, memoryLog, runOne } from './lane.harness.ts';
import type { MemoryLog } from './memory-log.ts';
import { type LogReader, verifyLog } from './verify-log.ts';

const key = signingKey(new Uint8Array(32).fill(7));
const strange = signingKey(new Uint8Array(32).fill(8));
const keys: KeySet = { keys: [publicKeyEntry(key, 'log', '2009-01-01T00:00:00.000Z')] };

/** A log of nine appends with a head signed after the third and the sixth, inside it and in a list beside it. */
async function signedLog(): Promise<{ log: MemoryLog; file: SignedHead[] }> {
  const log = memoryLog();
  const open = await lane(log);
  const file: SignedHead[] = [];
  const beside = { add: async (head: SignedHead) => void file.push(head) } as HeadFile;
  const signer = new HeadSigner(log, open, {
    key,
    file: beside,
    onError: (error) => {
      throw error;
    },
  });
  for (let i = 1; i <= 9; i++) {
    await open.run([add('a', i), add('b', i)]);
    signer.appended(await log.read(0, 1));
    if (i % 3 === 0 && i < 9) await signer.stop();
  }
  return { log, file };
}

function verify(log: LogReader, file: Iterable<unknown> | AsyncIterable<unknown>, page = 4) {
  return verifyLog(log, { signedHeads: file, keys, page });
}

function changed(log: LogReader, change: Partial<LogReader>): LogReader {
  return {
    head: () => log.head(),
    read: (after, limit) => log.read(after, limit),
    batches: (after, limit) => log.batches(after, limit),
    bounds: () => log.bounds(),
    ...change,
  };
}

test('a log that nobody touched agrees with its chain and with every signed head, whatever the page', async () => {
  const { log, file } = await signedLog();
  for (const page of [1, 3, 100]) {
    expect(await verify(log, file, page)).toMatchObject({ events: 20, batches: 11, heads: 4, fault: null });
  }
  expect(await verify(memoryLog(), [])).toMatchObject({ events: 0, batches: 0, heads: 0, fault: null });
});

test('a wrong chain is found where it begins', async () => {
  const { log, file } = await signedLog();
  const wrong = changed(log, {
    batches: async (after, limit) =>
      (await log.batches(after, limit)).map((batch) =>
        batch.first === 5 ? { ...batch, chain: 'ab'.repeat(32) } : batch,
      ),
  });
  expect((await verify(wrong, file)).fault).toMatchObject({ kind: 'chain-broken', position: 5 });
  const head = changed(log, { head: async () => ({ ...(await log.head()), chain: 'ab'.repeat(32) }) });
  expect((await verify(head, file)).fault).toMatchObject({ kind: 'chain-broken', position: 20 });
});

test('a history written anew, consistent in itself, is found by the heads that were signed before', async () => {
  const { file } = await signedLog();
  const { log: anew, file: ownFile } = await signedLog();
  const { logId } = await anew.head();
  const forged = file.map((head) => ({ ...head, logId }));
  expect((await verify(anew, forged)).fault?.kind).toBe('head-signature-wrong');
  const signedElsewhere = ownFile.map(({ signature: _, keyId: __, ...head }) =>
    signHead({ ...head, chain: 'cd'.repeat(32) }, key),
  );
  expect((await verify(anew, signedElsewhere)).fault).toMatchObject({ kind: 'head-differs', position: 6 });
  expect((await verify(anew, file)).fault).toMatchObject({
    kind: 'head-differs',
    detail: expect.stringContaining('another log'),
  });
});

test('a head that no key of the log has signed is found, in the file and in the log', async () => {
  const { log, file } = await signedLog();
  const { signature: _, keyId: __, ...head } = file[0]!;
  expect((await verify(log, [signHead(head, strange)])).fault).toMatchObject({ kind: 'head-signature-wrong' });
  expect((await verify(log, [{ ...file[0], position: 5 }])).fault).toMatchObject({ kind: 'head-signature-wrong' });
  expect((await verify(log, ['no JSON'])).fault).toMatchObject({ kind: 'head-signature-wrong' });
  const none = await verifyLog(log, { signedHeads: [], keys: { keys: [] } });
  expect(none.fault).toMatchObject({ kind: 'head-signature-wrong' });
});

test('a head that was signed into the log and never was the log’s is found there', async () => {
  const log = memoryLog();
  const open = await lane(log);
  await runOne(open, add('a', 1));
  await runOne(open, add('a', 1));
  const head = await log.head();
  const heads = [
    { ...head, position: 1 },
    { ...head, chain: 'ab'.repeat(32) },
    { ...head, position: 9 },
  ].map((wrong) => signHead({ ...wrong, signedAt: '2009-02-05T12:00:00.000Z' }, key));
  const events = await log.read(0, 10);
  for (const wrong of heads) {
    const forged = changed(log, {
      read: async (after, limit) =>
        events
          .map((event) =>
            event.position === 2 ? { ...event, type: 'LogHeadSigned', data: JSON.stringify(wrong) } : event,
          )
          .slice(after, after + limit),
    });
    expect((await verify(forged, [])).fault).toMatchObject({ kind: 'head-differs', position: 2 });
  }
});

test('a cut tail is found by a head of the file above the log’s own', async () => {
  const { log, file } = await signedLog();
  const cut = memoryLog();
  const { logId } = await cut.head();
  expect(
    (
      await verify(
        changed(log, {
          head: async () => ({ ...(await log.head()), position: 6 }),
          bounds: async () => ({ lowest: 1, highest: 6 }),
        }),
        file,
      )
    ).fault?.kind,
  ).toBe('chain-broken');
  const own = file.map(({ signature: _, keyId: __, ...head }) => signHead({ ...head, logId }, key));
  expect((await verify(cut, own)).fault).toMatchObject({ kind: 'tail-cut', position: 0 });
});

test('a log that grows and is signed on while it is verified is no cut tail', async () => {
  const { log, file } = await signedLog();
  const open = await lane(log);
  async function* growing(): AsyncGenerator<unknown> {
    yield* file;
    for (let i = 0; i < 3; i++) {
      await runOne(open, add('a', 1));
      yield signHead({ ...(await log.head()), signedAt: '2009-02-05T12:00:00.000Z' }, key);
    }
  }
  expect(await verify(log, growing())).toMatchObject({ events: 23, heads: 7, fault: null });
});

test('progress is told page by page', async () => {
  const { log, file } = await signedLog();
  const told: string[] = [];
  await verifyLog(log, { signedHeads: file, keys, page: 4, onProgress: (at, of) => told.push(`${at}/${of}`) });
  expect(told.at(-1)).toBe('20/20');
  expect(told.length).toBeGreaterThan(2);
});
