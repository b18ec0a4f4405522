import fc from 'fast-check';
import { type Decision, scenarios } from '#event-sourcing';
import { cents } from '#money';
import type { StakeOnSale } from '../sales/sale-copy.ts';
import {
  type Account,
  type AccountEvent,
  acceptRegulation,
  accounts,
  adjust,
  creditPrize,
  debitStake,
  openAccount,
  refundStake,
} from './account.ts';

const playerId = '5e1f0a52-3c1b-4b53-9d70-4a34c7b6a001';
const playId = '0197f3c0-1234-7abc-8def-0123456789ab';
const adjustmentId = '0197f3c0-0000-7000-8000-000000000001';
const at = '2009-02-05T12:00:00.000Z';
const sudoku = 'sudoku@2009-01-26';
const general = 'general@2001-04-05';
const notice = { fr: 'Vente reportée', en: 'Sale postponed' };

const given = scenarios(accounts);

const opened: AccountEvent = { type: 'AccountOpened', playerId, openedAt: at };
const accepted = (regulation: string): AccountEvent => ({
  type: 'RegulationAccepted',
  playerId,
  regulation,
  acceptedAt: at,
});
const adjusted = (amount: number, availableCents = amount): AccountEvent => ({
  type: 'AccountAdjusted',
  adjustmentId,
  playerId,
  amountCents: cents(amount),
  reason: 'demo',
  adjustedAt: at,
  availableCents: cents(availableCents),
});
const ready = (amount: number) => [opened, accepted(general), accepted(sudoku), adjusted(amount)];

const open: StakeOnSale = { status: 'open', regulation: sudoku, notice: null };
interface Stake {
  readonly stakeCents: number;
  readonly sale?: StakeOnSale | null;
}
function debit(account: Account, { stakeCents, sale = open }: Stake) {
  const stake = { playId, playerId, game: 'sudoku', stakeCents: cents(stakeCents), mode: null, at };
  return debitStake(account, stake, { sale, generalRegulation: general });
}
/** The detail of a refusal, which the scenarios leave open. */
function detailOf(past: readonly AccountEvent[], stake: Stake): string | null {
  const decision = debit(past.reduce(accounts.evolve, accounts.initial), stake);
  return 'refused' in decision ? decision.detail : null;
}

describe('opening', () => {
  test('a player gets an account', () => given().when(openAccount, { playerId, at }).thenEmits(opened));

  test('an account is opened once', () =>
    given(opened).when(openAccount, { playerId, at: '2009-02-06T12:00:00.000Z' }).thenEmits());
});

describe('accepting a regulation', () => {
  const accept = { playerId, regulation: sudoku, at };

  test('the version accepted is recorded on the account (REG-5.1)', () =>
    given(opened).when(acceptRegulation, accept).thenEmits(accepted(sudoku)));

  test('accepting the same version again records nothing (REG-5.1)', () =>
    given(opened, accepted(sudoku)).when(acceptRegulation, accept).thenEmits());

  test('a new version is accepted again (REG-5.1)', () =>
    given(opened, accepted(sudoku))
      .when(acceptRegulation, { ...accept, regulation: 'sudoku@2026-01-01' })
      .thenEmits(accepted('sudoku@2026-01-01')));

  test('there is nothing to accept it on before the account is opened', () =>
    given().when(acceptRegulation, accept).thenRefused('account-unknown'));
});

describe('adjusting', () => {
  const by = (amount: number) => ({ adjustmentId, playerId, amountCents: cents(amount), reason: 'demo', at });

  test('a correction upwards carries the balance after it', () =>
    given(opened, adjusted(5000)).when(adjust, by(250)).thenEmits(adjusted(250, 5250)));

  test('a correction downwards may empty the account', () =>
    given(opened, adjusted(5000)).when(adjust, by(-5000)).thenEmits(adjusted(-5000, 0)));

  test('a correction never takes the balance below zero', () =>
    given(opened, adjusted(5000)).when(adjust, by(-5001)).thenRefused('balance-too-low'));

  test('there is nothing to correct before the account is opened', () =>
    given().when(adjust, by(1)).thenRefused('account-unknown'));
});

describe('debiting a stake', () => {
  const debited = (stakeCents: number, availableCents: number): AccountEvent => ({
    type: 'StakeDebited',
    playId,
    playerId,
    game: 'sudoku',
    stakeCents: cents(stakeCents),
    regulation: sudoku,
    mode: null,
    placedAt: at,
    availableCents: cents(availableCents),
  });

  test('the stake is taken from the available balance, under the regulation on sale (REG-4.1)', () =>
    given(...ready(5000))
      .when(debit, { stakeCents: 100 })
      .thenEmits(debited(100, 4900)));

  test('the last cent can be staked (REG-4.1)', () =>
    given(...ready(100))
      .when(debit, { stakeCents: 100 })
      .thenEmits(debited(100, 0)));

  test('a stake above the balance is refused and nothing is debited (REG-4.1)', () =>
    given(...ready(99))
      .when(debit, { stakeCents: 100 })
      .thenRefused('balance-too-low'));

  test('a stake that is not sold is refused before any debit (REG-2.2)', () =>
    given(...ready(5000))
      .when(debit, { stakeCents: 300, sale: null })
      .thenRefused('sale-not-open'));

  test('a stake on a suspended sale is refused before any debit, with its notice (REG-1.1)', () => {
    const sale = { ...open, status: 'suspended' as const };
    given(...ready(5000))
      .when(debit, { stakeCents: 100, sale })
      .thenRefused('sale-suspended');
    expect(detailOf(ready(5000), { stakeCents: 100, sale: { ...sale, notice } })).toBe(JSON.stringify(notice));
    expect(detailOf(ready(5000), { stakeCents: 100, sale })).toBe('');
  });

  test('a stake on a closed sale is refused before any debit, with its notice (REG-1.1)', () => {
    const sale = { ...open, status: 'closed' as const, notice };
    given(...ready(5000))
      .when(debit, { stakeCents: 100, sale })
      .thenRefused('sale-closed');
    expect(detailOf(ready(5000), { stakeCents: 100, sale })).toBe(JSON.stringify(notice));
  });

  test("without the game's regulation a stake is refused, and the detail names it (REG-5.1)", () => {
    const past = [opened, accepted(general), adjusted(5000)];
    given(...past)
      .when(debit, { stakeCents: 100 })
      .thenRefused('regulation-not-accepted');
    expect(detailOf(past, { stakeCents: 100 })).toBe(sudoku);
  });

  test('without the general regulation a stake is refused, and the detail names it (REG-5.1)', () => {
    const past = [opened, accepted(sudoku), adjusted(5000)];
    given(...past)
      .when(debit, { stakeCents: 100 })
      .thenRefused('regulation-not-accepted');
    expect(detailOf(past, { stakeCents: 100 })).toBe(general);
  });

  test('when the version on sale changes, the new one must be accepted first (REG-5.1)', () => {
    const stake = { stakeCents: 100, sale: { ...open, regulation: 'sudoku@2026-01-01' } };
    given(...ready(5000))
      .when(debit, stake)
      .thenRefused('regulation-not-accepted');
    expect(detailOf(ready(5000), stake)).toBe('sudoku@2026-01-01');
  });

  test('nobody stakes without an account', () =>
    given().when(debit, { stakeCents: 100 }).thenRefused('account-unknown'));
});

describe('what a play brings back', () => {
  const credited = (prizeCents: number, availableCents: number): AccountEvent => ({
    type: 'PrizeCredited',
    playId,
    playerId,
    prizeCents: cents(prizeCents),
    creditedAt: at,
    availableCents: cents(availableCents),
  });
  const prize = (prizeCents: number) => ({ playId, playerId, prizeCents: cents(prizeCents), at });
  const refund = { playId, playerId, stakeCents: cents(200), reason: 'no-unit-left' as const, at };
  const refunded = (availableCents: number): AccountEvent => ({
    type: 'StakeRefunded',
    playId,
    playerId,
    stakeCents: cents(200),
    reason: 'no-unit-left',
    refundedAt: at,
    availableCents: cents(availableCents),
  });

  test('a prize is credited in full', () =>
    given(...ready(100))
      .when(creditPrize, prize(450000))
      .thenEmits(credited(450000, 450100)));

  test('a refund gives the stake back with the reason', () =>
    given(...ready(100))
      .when(refundStake, refund)
      .thenEmits(refunded(300)));

  test('a prize and a refund reach even an account that nothing else may touch', () => {
    given().when(creditPrize, prize(50)).thenEmits(credited(50, 50));
    given().when(refundStake, refund).thenEmits(refunded(200));
  });
});

describe('for every sequence of decisions', () => {
  type Decide = (account: Account) => Decision<AccountEvent, string>;
  const amounts = fc.integer({ min: 1, max: 500 }).map(cents);
  const decisions: fc.Arbitrary<Decide> = fc.oneof(
    fc.constant<Decide>((account) => openAccount(account, { playerId, at })),
    fc.constantFrom(sudoku, general, 'pharaon@2008-12-17').map(
      (regulation): Decide =>
        (account) =>
          acceptRegulation(account, { playerId, regulation, at }),
    ),
    fc
      .integer({ min: -500, max: 500 })
      .map(cents)
      .map(
        (amountCents): Decide =>
          (account) =>
            adjust(account, { adjustmentId: playId, playerId, amountCents, reason: 'any', at }),
      ),
    fc.constantFrom(50, 100, 200).map(
      (stakeCents): Decide =>
        (account) =>
          debit(account, { stakeCents }),
    ),
    amounts.map(
      (prizeCents): Decide =>
        (account) =>
          creditPrize(account, { playId, playerId, prizeCents, at }),
    ),
    amounts.map(
      (stakeCents): Decide =>
        (account) =>
          refundStake(account, { playId, playerId, stakeCents, reason: 'no-unit-left', at }),
    ),
  );
  const histories = fc.array(decisions, { maxLength: 60 }).map((decides) => {
    const past: AccountEvent[] = [];
    let account = accounts.initial;
    for (const decide of decides) {
      const decision = decide(account);
      if ('refused' in decision) continue;
      past.push(...decision.events);
      account = decision.events.reduce(accounts.evolve, account);
    }
    return { past, account };
  });

  test('the balance is never negative and is what the last event says (REG-4.1)', () => {
    fc.assert(
      fc.property(histories, ({ past, account }) => {
        expect(account.availableCents).toBeGreaterThanOrEqual(0);
        expect(account.availableCents).toBe(past.findLast((event) => 'availableCents' in event)?.availableCents ?? 0);
      }),
    );
  });

  test('opening and accepting again emits nothing', () => {
    fc.assert(
      fc.property(histories, fc.constantFrom(sudoku, general), ({ account }, regulation) => {
        const retried = (decide: Decide) => {
          const first = decide(account);
          if ('refused' in first) return;
          expect(decide(first.events.reduce(accounts.evolve, account))).toEqual({ events: [] });
        };
        retried((state) => openAccount(state, { playerId, at }));
        retried((state) => acceptRegulation(state, { playerId, regulation, at }));
      }),
    );
  });
});
