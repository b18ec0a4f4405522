import { MemoryLog } from '#event-sourcing';
import { startOf, toHex } from '#fairness';
import { tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import type { Beacon } from '../beacon/beacon.ts';
import { localBeacon } from '../beacon/local.ts';
import { MemorySeals, openIssuance, Stakes, type TestIssuance } from '../issuance.fixture.ts';

const tiny = tinyRegulation();
const VALUE = '5a'.repeat(32);
const fixed: Beacon = localBeacon((bytes) => new Uint8Array(bytes).fill(0x5a));
let issuance: TestIssuance;
let log: MemoryLog;
let sealed: MemorySeals;

beforeEach(() => {
  log = new MemoryLog({ logId: '0197f3c0-1234-7abc-8def-0123456789ab' });
  sealed = new MemorySeals();
});

afterEach(() => issuance.stop());

type Parts = Partial<Parameters<typeof openIssuance>[0]>;

async function start(parts: Parts = {}): Promise<string[]> {
  const reports: string[] = [];
  const report = (line: string) => reports.push(line);
  issuance = await openIssuance({ log, sealed, regulations: [tiny], beacon: fixed, report, ...parts });
  return reports;
}

const types = async () => (await issuance.events()).map(({ type }) => type);
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 50));

test('a block is committed, then drawn from its contribution, then sold from the unit that it names', async () => {
  await start();
  await issuance.approve();
  await issuance.until('SaleOpened', 1);
  await issuance.deliver(new Stakes(tiny).records(3));
  expect(await types()).toEqual([
    ...['EmissionApproved', 'BlockCommitted', 'BlockOpened', 'SaleOpened'],
    ...Array(3).fill('UnitIssued'),
  ]);
  const [commitment] = (await issuance.events('BlockCommitted')).map(({ body }) => body);
  const [opened] = (await issuance.events('BlockOpened')).map(({ body }) => body);
  const start_ = startOf(commitment!['root'] as string, new Uint8Array(32).fill(0x5a), tiny.blockSize);
  expect(commitment).toMatchObject({ contribution: { source: 'local', round: 0 } });
  expect(opened).toMatchObject({
    start: start_,
    opening: { format: 'enjeu-opening/1', start: start_, contribution: { source: 'local', round: 0, value: VALUE } },
  });
  const indices = (await issuance.events('UnitIssued')).map(({ body }) => body['unitIndex']);
  expect(indices).toEqual([0, 1, 2].map((n) => (start_ + n) % tiny.blockSize));
});

test('nothing is drawn before the bus has the commitment, and nothing sold before it has the opening', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  await start({ acknowledged: () => gates[asked++]!.promise });
  await issuance.approve();
  await issuance.until('BlockCommitted', 1);
  await aWhile();
  expect(await types()).not.toContain('BlockOpened');
  gates[0]!.resolve();
  await issuance.until('BlockOpened', 1);
  await aWhile();
  expect(await types()).not.toContain('SaleOpened');
  gates[1]!.resolve();
  await issuance.until('SaleOpened', 1);
});

test('the next block is drawn while the first is sold, and a batch that goes over its end goes on there', async () => {
  await start();
  await issuance.approve({ blocks: 2 });
  await issuance.until('BlockOpened', 2);
  await issuance.until('SaleOpened', 1);
  await issuance.deliver(new Stakes(tiny).records(tiny.blockSize + 1));
  const sold = (await issuance.events('UnitIssued')).map(({ body }) => body['blockId']);
  const [first, second] = (await issuance.events('BlockOpened')).map(({ body }) => body['blockId']);
  expect(sold.filter((blockId) => blockId === first)).toHaveLength(tiny.blockSize);
  expect(sold.at(-1)).toBe(second);
});

test('a beacon that fails only delays, and says why', async () => {
  let failures = 2;
  const beacon: Beacon = {
    promise: fixed.promise,
    draw: async (promised, stopping) => {
      if (failures-- > 0) throw new Error('no relay answers');
      return fixed.draw(promised, stopping);
    },
  };
  const reports = await start({ beacon, clock: { now: Date.now, after: (_, action) => soon(action) } });
  await issuance.approve();
  await issuance.until('SaleOpened', 1);
  expect(reports.filter((line) => line.includes('cannot be opened yet, trying again: no relay answers'))).toHaveLength(
    2,
  );
  expect(reports.join('\n')).not.toContain(toHex(sealed.rows.values().next().value!.block.secret));
});

const soon = (action: () => void) => {
  const timer = setTimeout(action, 5);
  return () => clearTimeout(timer);
};

test('stakes wait for a block that is not drawn yet, and lose nothing', async () => {
  const gate = Promise.withResolvers<void>();
  let draws = 0;
  const beacon: Beacon = {
    promise: fixed.promise,
    draw: async (promised, stopping) => {
      if (draws++ > 0) await gate.promise;
      return fixed.draw(promised, stopping);
    },
  };
  await start({ beacon });
  await issuance.approve({ blocks: 2 });
  await issuance.until('SaleOpened', 1);
  await issuance.until('BlockCommitted', 2);
  const delivered = issuance.deliver(new Stakes(tiny).records(tiny.blockSize + 5));
  await aWhile();
  expect(await types()).not.toContain('UnitIssued');
  gate.resolve();
  await delivered;
  expect(await issuance.events('UnitIssued')).toHaveLength(tiny.blockSize + 5);
  expect(await log.parked({ limit: 10 })).toEqual([]);
});

test.each([
  ['committed and not drawn', 0],
  ['drawn and not acknowledged', 1],
])('a block that was %s when the process died is taken up at the next start, and opened once', async (_, passes) => {
  let asked = 0;
  const never = new Promise<void>(() => {});
  await start({ acknowledged: () => (asked++ < passes ? Promise.resolve() : never) });
  await issuance.approve();
  await issuance.until(passes === 0 ? 'BlockCommitted' : 'BlockOpened', 1);
  await aWhile();
  await start();
  await issuance.until('SaleOpened', 1);
  expect(await issuance.events('BlockOpened')).toHaveLength(1);
  await issuance.deliver(new Stakes(tiny).records(1));
  expect(await issuance.events('UnitIssued')).toHaveLength(1);
});

test('without a beacon a block has no opening and is sold from its first unit', async () => {
  const { noBeacon } = await import('../beacon/local.ts');
  await start({ beacon: noBeacon });
  await issuance.approve();
  await issuance.until('SaleOpened', 1);
  expect((await issuance.events('BlockCommitted', 'BlockOpened')).map(({ body }) => body)).toMatchObject([
    { contribution: null },
    { start: 0, opening: null },
  ]);
});
