import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { roundPublicAt } from '#fairness';
import { type BeaconChoice, configuredBeacon } from './configured.ts';
import { drandBeacon } from './drand.ts';

/** A real round of the network, and its signature. */
const ROUND = 1_000;
const SIGNATURE = 'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39';
const CHAIN = '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971';
const PUBLIC_MS = 1_692_803_367_000 + 3_000 * (ROUND - 1);
const promised = { source: 'drand:quicknet', round: ROUND } as const;

type Answer = { readonly status?: number; readonly body: string; readonly headers?: Record<string, string> };
const relays: Server[] = [];
const asked: string[] = [];

/** A relay that answers like this, or, for null, never. */
async function relay(answer: Answer | null): Promise<string> {
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  relays.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  asked.length = 0;
  for (const server of relays.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A clock that stands still; what is to be done later is kept. */
function stillClock(now_ms: number) {
  const later: { ms: number; action: () => void }[] = [];
  return {
    later,
    now: () => now_ms,
    after: (ms: number, action: () => void) => {
      later.push({ ms, action });
      return () => {};
    },
  };
}

const good = JSON.stringify({ round: ROUND, randomness: 'unused', signature: SIGNATURE });
const beacon = (urls: readonly string[], now_ms = PUBLIC_MS) => drandBeacon({ urls, clock: stillClock(now_ms) });
const going = () => new AbortController().signal;

test('a commitment names the first round that is public at least a minute after it', () => {
  const at = new Date(PUBLIC_MS - 60_000).toISOString();
  expect(beacon([]).promise(at)).toEqual(promised);
  expect(beacon([]).promise(new Date(PUBLIC_MS - 59_999).toISOString())).toEqual({ ...promised, round: ROUND + 1 });
  expect(roundPublicAt(ROUND)).toBe(PUBLIC_MS);
});

test('the value of a round is its signature, asked for under the address of its chain', async () => {
  expect(await beacon([await relay({ body: good })]).draw(promised, going())).toBe(SIGNATURE);
  expect(asked).toEqual([`/${CHAIN}/public/${ROUND}`]);
});

const other = (changes: object) => JSON.stringify({ round: ROUND, signature: SIGNATURE, ...changes });
const misbehaviour: [string, Answer, RegExp][] = [
  ['a round that is not there yet', { status: 425, body: 'too early' }, /HTTP 425/],
  ['a failure', { status: 500, body: '' }, /HTTP 500/],
  ['another round', { body: other({ round: ROUND + 1 }) }, /another round/],
  ['a forged signature', { body: other({ signature: SIGNATURE.replace('b4467', 'a4467') }) }, /not the network’s/],
  ['the signature of another round', { body: other({ signature: `8${SIGNATURE.slice(1)}` }) }, /not the network’s/],
  ['a signature of another length', { body: other({ signature: SIGNATURE.slice(2) }) }, /no signature of 48 bytes/],
  ['no JSON', { body: '<html>' }, /not JSON/],
  ['null', { body: 'null' }, /another round/],
  ['an endless answer', { body: `${good}${' '.repeat(20_000)}` }, /too long/],
  ['a way to elsewhere', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }, /could not be had/],
];
test.each(misbehaviour)(
  'a relay that answers with %s is passed over, and the next one is asked',
  async (_, answer, why) => {
    const bad = await relay(answer);
    await expect(beacon([bad]).draw(promised, going())).rejects.toThrow(why);
    expect(await beacon([bad, await relay({ body: good })]).draw(promised, going())).toBe(SIGNATURE);
  },
);

test('with no relay that answers the drawing fails, naming each', async () => {
  await expect(beacon(['http://127.0.0.1:1', 'http://127.0.0.1:2']).draw(promised, going())).rejects.toThrow(
    /127\.0\.0\.1:1: .*; http:\/\/127\.0\.0\.1:2: /,
  );
});

test('nobody is asked before the round is public by our clock', async () => {
  const clock = stillClock(PUBLIC_MS - 45_000);
  const drawing = drandBeacon({ urls: [await relay({ body: good })], clock }).draw(promised, going());
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toEqual([]);
  expect(clock.later.map(({ ms }) => ms)).toEqual([45_000]);
  clock.later[0]!.action();
  expect(await drawing).toBe(SIGNATURE);
});

test('a drawing ends when the service stops, waiting for the round or for a relay that never answers', async () => {
  for (const [now_ms, urls] of [
    [PUBLIC_MS - 1, []],
    [PUBLIC_MS, [await relay(null)]],
  ] as const) {
    const stopping = new AbortController();
    const drawing = beacon(urls, now_ms).draw(promised, stopping.signal);
    drawing.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    stopping.abort(new Error('it stops'));
    await expect(drawing).rejects.toThrow('it stops');
  }
});

test('new blocks use the beacon that is configured, and what was promised by another one is still drawn from that', async () => {
  const random = (bytes: number) => new Uint8Array(bytes).fill(7);
  const choose = (ENJEU_BEACON: BeaconChoice['ENJEU_BEACON'], urls: readonly string[]) =>
    configuredBeacon({ ENJEU_BEACON, ENJEU_DRAND_URLS: urls }, { clock: stillClock(PUBLIC_MS), random });
  const at = '2026-01-01T00:00:00.000Z';
  const local = choose('local', [await relay({ body: good })]);
  expect(local.promise(at)).toEqual({ source: 'local', round: 0 });
  expect(await local.draw({ source: 'local', round: 0 }, going())).toBe('07'.repeat(32));
  expect(await local.draw(promised, going())).toBe(SIGNATURE);
  expect(choose('none', []).promise(at)).toBeNull();
  expect(choose('drand:quicknet', []).promise(at)?.source).toBe('drand:quicknet');
});
