import { randomUUID } from 'node:crypto';
import type { StakeToDebit } from '#contracts';
import { sendAgain } from '#event-sourcing';
import { GENERAL } from '../../test/issuance-records.ts';
import { readyToPlay, stakeOf } from '../../test/memory-wallet.ts';
import { postgresWallet } from '../../test/postgres-wallet.ts';
import { stakeWork } from './debit-stakes.ts';

let wallet: Awaited<ReturnType<typeof postgresWallet>>;
let playerId: string;

beforeEach(async () => {
  wallet = await postgresWallet();
  playerId = randomUUID();
  await wallet.run(...readyToPlay(playerId, 5000));
  await wallet.receive(wallet.issuance.sale('SaleOpened', 100));
});
afterEach(() => wallet.close());

async function debited(more: Partial<StakeToDebit> = {}): Promise<StakeToDebit> {
  const stake = stakeOf(playerId, more);
  expect(await wallet.run(stakeWork(stake, GENERAL))).toMatchObject([
    { kind: 'decided', answer: { playId: stake.playId } },
  ]);
  return stake;
}

async function money() {
  const { items } = (await wallet.statement.entries(playerId, null, 200)) ?? { items: [] };
  return items.map(({ type, amountCents, availableCents }) => [type, amountCents, availableCents]);
}

test('a prize and a refund are paid once, however often and wherever their records come', async () => {
  const [won, refunded] = [await debited(), await debited()];
  await wallet.receive(wallet.issuance.issued(won, 200), wallet.issuance.refused(refunded));
  await wallet.receive(
    wallet.issuance.refused(won),
    wallet.issuance.issued(won, 200),
    wallet.issuance.issued(refunded, 200),
  );
  expect(await money()).toEqual([
    ['StakeRefunded', 100, 5100],
    ['PrizeCredited', 200, 5000],
    ['StakeDebited', -100, 4800],
    ['StakeDebited', -100, 4900],
    ['AccountAdjusted', 5000, 5000],
  ]);
  expect(wallet.incidents).toEqual(Array(3).fill('second-outcome'));
});

test('two outcomes of one play in one batch: the first counts, what comes with it is paid', async () => {
  const [play, other] = [await debited(), await debited()];
  await wallet.receive(
    wallet.issuance.issued(play, 200),
    wallet.issuance.refused(play),
    wallet.issuance.issued(other, 500),
  );
  expect((await money()).slice(0, 2)).toEqual([
    ['PrizeCredited', 500, 5500],
    ['PrizeCredited', 200, 5000],
  ]);
});

test('a play is debited once, even under another key', async () => {
  const play = await debited();
  const twin = stakeOf(playerId, { playId: play.playId });
  expect(await wallet.run(stakeWork(twin, GENERAL), stakeWork(stakeOf(playerId), GENERAL))).toMatchObject([
    { kind: 'failed' },
    { kind: 'decided' },
  ]);
  expect((await money()).filter(([type]) => type === 'StakeDebited')).toHaveLength(2);
});

test('a record without an own stake is parked, and so is what follows it for that player until it is sent again', async () => {
  const unknown = stakeOf(playerId);
  const play = await debited();
  await wallet.receive(wallet.issuance.issued(unknown, 450000), wallet.issuance.issued(play, 200));
  expect((await money())[0]).toEqual(['StakeDebited', -100, 4900]);
  expect(await wallet.log.parked({ limit: 10 })).toMatchObject([
    { key: playerId, position: 2, error: expect.stringContaining('no stake was debited here') },
    { key: playerId, position: 3 },
  ]);
  await wallet.run(stakeWork(unknown, GENERAL));
  await sendAgain(wallet.log, wallet.lane, [wallet.settle], playerId);
  expect((await money()).slice(0, 2)).toEqual([
    ['PrizeCredited', 200, 455000],
    ['PrizeCredited', 450000, 454800],
  ]);
  expect(await wallet.log.parked({ limit: 10 })).toEqual([]);
});

test('the copy of a sale survives in the database and is what stakes are measured against (REG-1.1)', async () => {
  await wallet.receive(wallet.issuance.sale('SaleClosed', 100));
  expect(await wallet.run(stakeWork(stakeOf(playerId), GENERAL))).toMatchObject([
    { kind: 'decided', answer: { refused: 'sale-closed' } },
  ]);
  const { states } = await wallet.log.load(['sale-sudoku'], []);
  expect(states[0]?.state).toMatchObject({ stakes: { 100: { status: 'closed' } } });
});
