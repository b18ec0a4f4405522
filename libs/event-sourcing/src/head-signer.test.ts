import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeySet, publicKeyEntry, type SignedHead, signHead, signingKey, verifyHead } from '#fairness';
import { HeadFile, newestInHeadFile, readHeadFile } from './head-file.ts';
import { HeadSigner } from './head-signer.ts';
import { add, lane, memoryLog, record, runOne, settled, VirtualClock } from './lane.harness.ts';
import { assertNotBehind, LogBehind } from './log-behind.ts';
import type { MemoryLog } from './memory-log.ts';
import { recordOf } from './source-record.ts';

const key = signingKey(new Uint8Array(32).fill(7));
const keys: KeySet = { keys: [publicKeyEntry(key, 'log', '2009-01-01T00:00:00.000Z')] };

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'enjeu-heads-'));
  path = join(folder, 'heads.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function heads(): Promise<SignedHead[]> {
  const found: SignedHead[] = [];
  for await (const head of readHeadFile(path)) found.push(head as SignedHead);
  return found;
}

async function signing(log: MemoryLog, clock: VirtualClock) {
  let signer: HeadSigner | undefined;
  const open = await lane(log, { clock, onAppended: (events) => signer?.appended(events) });
  const errors: unknown[] = [];
  const file = await HeadFile.open(path);
  signer = new HeadSigner(log, open, { key, file, clock, onError: (error) => errors.push(error) });
  await signer.start();
  return { open, signer, errors, file };
}

/** Lets the file, which is on a real disk, take what the virtual minute has started. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  await clock.pass(ms);
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    await settled();
  }
}

test('the head is signed once a minute while anything is appended, into the file and into the log', async () => {
  const clock = new VirtualClock();
  const log = memoryLog(clock);
  const { open, signer, errors, file } = await signing(log, clock);
  await pass(clock, 120_000);
  expect(await heads()).toEqual([]);
  await runOne(open, add('a', 1));
  await runOne(open, add('a', 1));
  const { chain } = await log.head();
  await pass(clock, 60_000);
  await pass(clock, 300_000);
  const [head, ...more] = await heads();
  expect(more).toEqual([]);
  expect(head).toMatchObject({ format: 'enjeu-head/1', epoch: 1, position: 2, chain });
  expect(verifyHead(head, keys)).toHaveProperty('accepted');
  const inside = (await log.read(2, 10)).map(({ stream, version, type, data }) => ({
    stream,
    version,
    type,
    data: JSON.parse(data),
  }));
  expect(inside).toEqual([{ stream: 'log', version: 1, type: 'LogHeadSigned', data: head }]);

  await runOne(open, add('a', 1));
  await signer.stop();
  await signer.stop();
  await open.stop();
  await file.close();
  expect((await heads()).map(({ position }) => position)).toEqual([2, 4]);
  expect(errors).toEqual([]);
});

test('what a process appended and did not sign, the next one signs', async () => {
  const clock = new VirtualClock();
  const log = memoryLog(clock);
  await runOne(await lane(log), add('a', 1));
  const { signer, file } = await signing(log, clock);
  await pass(clock, 60_000);
  await signer.stop();
  expect((await heads()).map(({ position }) => position)).toEqual([1]);
  const again = await signing(log, clock);
  await again.signer.stop();
  await file.close();
  await again.file.close();
  expect(await heads()).toHaveLength(1);
});

test('a head that could not be recorded is signed again a minute later', async () => {
  const clock = new VirtualClock();
  const log = memoryLog(clock);
  const { open, errors, file } = await signing(log, clock);
  await runOne(open, add('a', 1));
  await file.close();
  await pass(clock, 60_000);
  await pass(clock, 60_000);
  expect(errors).toHaveLength(2);
  expect((await log.head()).position).toBe(1);
});

test('an unfinished last line of a crash is cut off, and the lines before it stay', async () => {
  const head = (position: number) =>
    signHead(
      {
        logId: '0197f3c0-1234-7abc-8def-0123456789ab',
        epoch: 1,
        position,
        chain: 'ab'.repeat(32),
        signedAt: '2009-02-05T12:00:00.000Z',
      },
      key,
    );
  const first = await HeadFile.open(path);
  await first.add(head(1));
  await first.close();
  appendFileSync(path, '{"format":"enjeu-he');
  expect((await heads()).map(({ position }) => position)).toEqual([1]);
  expect(await newestInHeadFile(path)).toEqual(head(1));
  const second = await HeadFile.open(path);
  await second.add(head(2));
  await second.close();
  expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(head(1))}\n${JSON.stringify(head(2))}\n`);
  expect(await newestInHeadFile(path)).toEqual(head(2));
});

test('where there is no file, or an empty one, there are no heads', async () => {
  expect(await heads()).toEqual([]);
  expect(await newestInHeadFile(path)).toBeNull();
  writeFileSync(path, '');
  expect(await heads()).toEqual([]);
  expect(await newestInHeadFile(path)).toBeNull();
  writeFileSync(path, 'torn');
  expect(await heads()).toEqual([]);
  expect(await newestInHeadFile(path)).toBeNull();
});

describe('a log at start', () => {
  async function grown(by: number): Promise<MemoryLog> {
    const log = memoryLog();
    const open = await lane(log);
    for (let i = 0; i < by; i++) await runOne(open, add('a', 1));
    return log;
  }

  async function signed(log: MemoryLog, change: Partial<SignedHead> = {}) {
    return signHead({ ...(await log.head()), signedAt: '2009-02-05T12:00:00.000Z', ...change }, key);
  }

  async function verdict(log: MemoryLog, seen: { signedHead?: unknown; busRecord?: ReturnType<typeof record> }) {
    return assertNotBehind(log, { signedHead: null, busRecord: null, keys, ...seen }).then(
      () => 'serves',
      (error) => {
        expect(error).toBeInstanceOf(LogBehind);
        return (error as LogBehind).message;
      },
    );
  }

  test('serves when it has everything that was seen of it', async () => {
    const log = await grown(3);
    const [event] = await log.read(1, 1);
    expect(await verdict(log, {})).toBe('serves');
    expect(await verdict(log, { signedHead: await signed(log), busRecord: recordOf('wallet', 1, event!) })).toBe(
      'serves',
    );
    expect(await verdict(await grown(0), {})).toBe('serves');
  });

  test('refuses when it ends before the newest signed head', async () => {
    const log = await grown(3);
    expect(await verdict(log, { signedHead: await signed(log, { position: 4 }) })).toMatch(
      /^log-behind-bus: .*ends at 3/,
    );
  });

  test('refuses when it has another chain there, or the file is another log’s or was changed', async () => {
    const log = await grown(3);
    const other = 'ab'.repeat(32);
    expect(await verdict(log, { signedHead: await signed(log, { chain: other }) })).toMatch(
      /^log-behind-bus: .*another chain/,
    );
    expect(await verdict(log, { signedHead: await signed(await grown(1)) })).toMatch(/^log-behind-bus: .*of log/);
    const changed = { ...(await signed(log, { position: 4 })), position: 3 };
    expect(await verdict(log, { signedHead: changed })).toMatch(/^log-behind-bus: .*signature-wrong/);
    expect(await verdict(log, { signedHead: 'torn' })).toMatch(/^log-behind-bus: .*malformed/);
  });

  test('refuses when the bus holds a position above its head, another event there, or a higher epoch', async () => {
    const log = await grown(3);
    const [event] = await log.read(2, 1);
    const onBus = recordOf('wallet', 1, event!);
    expect(await verdict(log, { busRecord: { ...onBus, position: 4 } })).toMatch(/^log-behind-bus: .*holds position 4/);
    expect(await verdict(log, { busRecord: { ...onBus, body: { amount: 2 } } })).toMatch(
      /^log-behind-bus: .*another event/,
    );
    expect(await verdict(log, { busRecord: { ...onBus, epoch: 2 } })).toMatch(/^log-behind-bus: .*epoch/);
  });
});
