import { type Clock, MemoryLog } from '#event-sourcing';
import { tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import { MemorySeals, openIssuance } from '../issuance.fixture.ts';
import { RegulationsOnFile } from '../regulations/on-file.ts';
import { DueSales } from './due-sales.ts';

test('REG-1.1: a sale whose block is open opens by itself once its date has come, and once only', async () => {
  let now = Date.parse('2020-01-31T22:59:59.000Z');
  const due: (() => void)[] = [];
  const after: Clock['after'] = (_, action) => {
    due.push(action);
    return () => {};
  };
  const clock: Clock = { now: () => now, after };
  const regulations = [tinyRegulation({ opensOn: '2020-02-01' })];
  const log = new MemoryLog({ logId: '0197f3c0-1234-7abc-8def-0123456789ab', clock });
  const issuance = await openIssuance({ log, sealed: new MemorySeals(), regulations, clock });
  const dueSales = new DueSales(issuance, new RegulationsOnFile(regulations), clock, () => {});
  const opened = async () => (await issuance.events('SaleOpened')).length;

  await issuance.approve();
  await issuance.until('BlockOpened', 1);
  due.length = 0;
  await dueSales.start();
  expect(await opened()).toBe(0);

  now += 1_000;
  due.at(-1)?.();
  await issuance.until('SaleOpened', 1);
  await dueSales.start();
  expect(await opened()).toBe(1);
  dueSales.stop();
  await issuance.stop();
});
