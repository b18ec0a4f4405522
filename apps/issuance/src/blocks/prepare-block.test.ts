import { MemoryLog } from '#event-sourcing';
import { tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import { MemorySeals, openIssuance, prepareHere, Stakes, sealsWith, type TestIssuance } from '../issuance.fixture.ts';
import { type PrepareBlock, prepareInWorker } from './prepare-in-worker.ts';

const tiny = tinyRegulation();
const large = tinyRegulation({ id: 'large@2020-01-01', game: 'large', blockSize: 1_280_000 });
let issuance: TestIssuance;

const open = async (prepare: PrepareBlock, report: (line: string) => void = () => {}) => {
  const log = new MemoryLog({ logId: '0197f3c0-1234-7abc-8def-0123456789ab' });
  issuance = await openIssuance({ log, sealed: new MemorySeals(), regulations: [tiny, large], prepare, report });
};

afterEach(async () => issuance.stop());

test('units are issued while a block of the true size is prepared', async () => {
  await open(prepareInWorker);
  const stakes = new Stakes(tiny);
  await issuance.approve();
  await issuance.until('SaleOpened', 1);
  await issuance.approve({ regulation: large.id });
  for (let play = 0; play < 15; play++) await issuance.deliver(stakes.records(1));
  await issuance.until('BlockCommitted', 2);
  const order = (await issuance.events('UnitIssued', 'BlockCommitted')).map(({ type }) => type);
  expect(order).toEqual(['BlockCommitted', ...Array(15).fill('UnitIssued'), 'BlockCommitted']);
}, 60_000);

test('lines without an open block are prepared before any gets its second, one at a time', async () => {
  const prepared: string[] = [];
  let running = 0;
  let most = 0;
  await open(async (order, stopping) => {
    running++;
    most = Math.max(most, running);
    prepared.push(`${order.tables.id} ${order.stakeCents}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    return prepareHere({ ...order, tables: { ...order.tables, blockSize: 20 } }, stopping);
  });
  const [low, high] = tiny.stakes.map(({ stakeCents }) => stakeCents);
  await issuance.approve({ blocks: 3 });
  await issuance.approve({ blocks: 3, stakeCents: high! });
  await issuance.approve({ blocks: 3, regulation: large.id });
  await issuance.until('BlockCommitted', 6);
  expect(most).toBe(1);
  expect(prepared.slice(0, 3)).toEqual([`${tiny.id} ${low}`, `${tiny.id} ${high}`, `${large.id} ${low}`]);
  expect(prepared.slice(3).sort()).toEqual([`${large.id} ${low}`, `${tiny.id} ${low}`, `${tiny.id} ${high}`]);
});

test('a preparation that fails is reported and tried again', async () => {
  const reports: string[] = [];
  let failures = 1;
  await open(
    async (order, stopping) => {
      if (failures-- > 0) throw new Error('no thread could be started');
      return prepareHere(order, stopping);
    },
    (line) => reports.push(line),
  );
  await issuance.approve();
  await issuance.until('BlockCommitted', 1);
  expect(reports[0]).toBe('a block could not be prepared, trying again: no thread could be started');
});

test('a line whose block cannot be prepared does not keep the others waiting', async () => {
  await open(async (order, stopping) => {
    if (order.tables.id === large.id) throw new Error('too large');
    return prepareHere(order, stopping);
  });
  await issuance.approve({ regulation: large.id });
  await issuance.approve();
  await issuance.until('SaleOpened', 1);
  expect((await issuance.events('BlockCommitted')).map(({ body }) => body['regulation'])).toEqual([tiny.id]);
});

test('a block that is committed is there for those who wait, even when noting its entry fails', async () => {
  const log = new MemoryLog({ logId: '0197f3c0-1234-7abc-8def-0123456789ab' });
  const sealed = sealsWith(new MemorySeals(), { setEntry: async () => Promise.reject(new Error('no database')) });
  issuance = await openIssuance({ log, sealed, regulations: [tiny] });
  await issuance.approve({ blocks: 2 });
  await issuance.until('SaleOpened', 1);
  await issuance.deliver(new Stakes(tiny).records(21));
  expect(await issuance.events('UnitIssued')).toHaveLength(21);
});

test('a regulation that is on sale and no longer on file keeps issuance from starting', async () => {
  const log = new MemoryLog({ logId: '0197f3c0-1234-7abc-8def-0123456789ab' });
  const sealed = new MemorySeals();
  issuance = await openIssuance({ log, sealed, regulations: [tiny] });
  await issuance.approve();
  await issuance.until('SaleOpened', 1);
  await issuance.stop();
  const newer = tinyRegulation({ id: 'tiny@2021-01-01' });
  await expect(openIssuance({ log, sealed, regulations: [newer] })).rejects.toThrow(
    'the regulation tiny@2020-01-01 is not on file',
  );
});

test('whoever waits for a block when the service stops is told so', async () => {
  let stopped = false;
  await open(async (order, stopping) => {
    if (order.tables.id === tiny.id && (await issuance.events('BlockCommitted')).length > 0) {
      await new Promise((_, reject) => stopping.addEventListener('abort', () => reject(stopping.reason)));
    }
    return prepareHere(order, stopping);
  });
  await issuance.approve({ blocks: 2 });
  await issuance.until('SaleOpened', 1);
  const waiting = issuance.preparer
    .ready({ game: tiny.game, stakeCents: tiny.stakes[0]!.stakeCents }, 21)
    .catch((error) => {
      stopped = true;
      throw error;
    });
  waiting.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(stopped).toBe(false);
  await issuance.preparer.stop();
  await expect(waiting).rejects.toThrow('the preparation of blocks has stopped');
});

test('a service that stops while a batch waits for a block does not wait for it', async () => {
  await open(async (order, stopping) => {
    if ((await issuance.events('BlockCommitted')).length > 0) {
      await new Promise((_, reject) => stopping.addEventListener('abort', () => reject(stopping.reason)));
    }
    return prepareHere(order, stopping);
  });
  await issuance.approve({ blocks: 2 });
  await issuance.until('SaleOpened', 1);
  const delivered = issuance.deliver(new Stakes(tiny).records(21)).then(
    () => 'delivered',
    () => 'given up',
  );
  await issuance.preparer.stop();
  issuance.unfollow();
  expect(await delivered).toBe('given up');
  expect(await issuance.events('UnitIssued')).toEqual([]);
});
