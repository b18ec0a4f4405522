import { randomUUID } from 'node:crypto';
import { requestHash } from '#event-sourcing';
import { SUDOKU } from '../../test/issuance-records.ts';
import { memoryWallet, REGULATIONS, readyToPlay, stakeOf, topUp } from '../../test/memory-wallet.ts';
import { acceptWork } from './accept-regulation.ts';

let wallet: Awaited<ReturnType<typeof memoryWallet>>;
let playerId: string;

beforeEach(async () => {
  wallet = await memoryWallet();
  playerId = randomUUID();
  await wallet.run(...readyToPlay(playerId, 5000));
  await wallet.receive(wallet.issuance.sale('SaleOpened', 100), wallet.issuance.sale('SaleOpened', 200));
});
afterEach(() => wallet.close());

async function debits() {
  return (await wallet.events()).filter(({ type }) => type === 'StakeDebited');
}

describe('an idempotency key', () => {
  test('used again is answered with the first play, whatever id the second proposes (REG-4.1)', async () => {
    const first = stakeOf(playerId);
    const again = { ...first, playId: randomUUID() };
    expect(await wallet.debit(first)).toEqual([{ kind: 'debited', playId: first.playId, repeated: false }]);
    expect(await wallet.debit(again)).toEqual([{ kind: 'debited', playId: first.playId, repeated: true }]);
    expect(await debits()).toHaveLength(1);
    expect(await wallet.balance(playerId)).toBe(4900);
  });

  test('used with another body is refused and debits nothing', async () => {
    const first = stakeOf(playerId);
    await wallet.debit(first);
    const other = stakeOf(playerId, { stakeCents: 200, idempotencyKey: first.idempotencyKey });
    expect(await wallet.debit(other)).toEqual([{ kind: 'key-reused' }]);
    expect(await debits()).toHaveLength(1);
  });

  test('used on another route is refused, in either order', async () => {
    const stake = stakeOf(playerId);
    await wallet.debit(stake);
    const accept = (idempotencyKey: string) => {
      const hash = requestHash('POST /acceptances', { regulation: SUDOKU });
      return acceptWork({ playerId, regulation: SUDOKU, idempotencyKey, requestHash: hash }, REGULATIONS);
    };
    expect(await wallet.run(accept(stake.idempotencyKey))).toEqual([{ kind: 'key-reused' }]);
    const key = randomUUID();
    await wallet.run(accept(key));
    expect(await wallet.debit(stakeOf(playerId, { idempotencyKey: key }))).toEqual([{ kind: 'key-reused' }]);
  });

  test('used by another player is another key', async () => {
    const other = randomUUID();
    await wallet.run(...readyToPlay(other, 5000));
    const stake = stakeOf(playerId);
    const theirs = stakeOf(other, { idempotencyKey: stake.idempotencyKey });
    const decisions = [...(await wallet.debit(stake)), ...(await wallet.debit(theirs))];
    expect(decisions).toMatchObject([
      { kind: 'debited', playId: stake.playId, repeated: false },
      { kind: 'debited', playId: theirs.playId, repeated: false },
    ]);
  });

  test('used twice at once, or twice in one batch, makes one play that both get', async () => {
    const stake = stakeOf(playerId);
    const inOneBatch = [stake, { ...stake, playId: randomUUID() }];
    const [batch, alone] = await Promise.all([
      wallet.debit(...inOneBatch),
      wallet.debit({ ...stake, playId: randomUUID() }),
    ]);
    expect([...batch, ...alone].map((decision) => 'playId' in decision && decision.playId)).toEqual(
      Array(3).fill(stake.playId),
    );
    expect(await debits()).toHaveLength(1);
  });

  test('repeats a refusal, also when the balance would do by then', async () => {
    const poor = randomUUID();
    await wallet.run(...readyToPlay(poor, 99));
    const stake = stakeOf(poor);
    const refusal = { kind: 'refused', reason: 'balance-too-low', detail: '' };
    expect(await wallet.debit(stake)).toEqual([refusal]);
    await wallet.run(topUp(poor, 5000));
    expect(await wallet.debit(stake)).toEqual([refusal]);
    expect(await wallet.debit(stakeOf(poor))).toMatchObject([{ kind: 'debited' }]);
  });

  test('is not spent by a stake of nobody', async () => {
    const later = randomUUID();
    const stake = stakeOf(later);
    expect(await wallet.debit(stake)).toMatchObject([{ kind: 'refused', reason: 'account-unknown' }]);
    await wallet.run(...readyToPlay(later, 5000));
    expect(await wallet.debit(stake)).toMatchObject([{ kind: 'debited', playId: stake.playId }]);
  });

  test('of an adjustment never meets a key of the player', async () => {
    const key = randomUUID();
    await wallet.debit(stakeOf(playerId, { idempotencyKey: key }));
    const { adjustWork } = await import('./adjust-account.ts');
    const adjustment = { adjustmentId: key, playerId, amountCents: 100, reason: 'correction' };
    expect(await wallet.run(adjustWork(adjustment))).toMatchObject([{ kind: 'decided' }]);
    expect(await wallet.run(adjustWork(adjustment))).toMatchObject([{ kind: 'repeated' }]);
    expect(await wallet.run(adjustWork({ ...adjustment, amountCents: 200 }))).toEqual([{ kind: 'key-reused' }]);
    expect(await wallet.balance(playerId)).toBe(5000);
  });
});

test('stakes of one batch are decided in order, each on what the ones before it left (REG-4.1)', async () => {
  const poor = randomUUID();
  await wallet.run(...readyToPlay(poor, 250));
  const decisions = await wallet.debit(
    stakeOf(poor, { stakeCents: 200 }),
    stakeOf(poor),
    stakeOf(playerId),
    stakeOf(poor, { stakeCents: 50 }),
  );
  expect(decisions.map((decision) => ('reason' in decision ? decision.reason : decision.kind))).toEqual([
    'debited',
    'balance-too-low',
    'debited',
    'sale-not-open',
  ]);
  expect(await wallet.balance(poor)).toBe(50);
});

test('a sale that issuance has suspended or closed is refused before any debit, with its notice (REG-1.1)', async () => {
  const notice = { fr: 'Vente suspendue', en: 'Sale suspended' };
  await wallet.receive(wallet.issuance.sale('SaleSuspended', 100, { notice }), wallet.issuance.sale('SaleClosed', 200));
  expect(await wallet.debit(stakeOf(playerId), stakeOf(playerId, { stakeCents: 200 }))).toEqual([
    { kind: 'refused', reason: 'sale-suspended', detail: JSON.stringify(notice) },
    { kind: 'refused', reason: 'sale-closed', detail: '' },
  ]);
  await wallet.receive(wallet.issuance.sale('SaleResumed', 100));
  expect(await wallet.debit(stakeOf(playerId))).toMatchObject([{ kind: 'debited' }]);
  expect(await wallet.balance(playerId)).toBe(4900);
});
