import fc from 'fast-check';
import type { Decision } from '#event-sourcing';
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
const at = '2009-02-05T12:00:00.000Z';
const sudoku = 'sudoku@2009-01-26';
const general = 'general@2001-04-05';
const notice = { fr: 'Vente reportée', en: 'Sale postponed' };

const opened: AccountEvent = { type: 'AccountOpened', playerId, openedAt: at };
const accepted = (regulation: string): AccountEvent => ({
  type: 'RegulationAccepted',
  playerId,
  regulation,
  acceptedAt: at,
});
const adjusted = (amount: number): AccountEvent => ({
  type: 'AccountAdjusted',
  adjustmentId: '0197f3c0-0000-7000-8000-000000000001',
  playerId,
  amountCents: cents(amount),
  reason: 'demo',
  adjustedAt: at,
  availableCents: cents(amount),
});
const ready = (amount: number) => [opened, accepted(general), accepted(sudoku), adjusted(amount)];

const open: StakeOnSale = { status: 'open', regulation: sudoku, notice: null };
const stake =
  (stakeCents: number, sale: StakeOnSale | null = open) =>
  (account: Account) =>
    debitStake(
      account,
      { playId, playerId, game: 'sudoku', stakeCents: cents(stakeCents), mode: null, at },
      { sale, generalRegulation: general },
    );

function given(...events: AccountEvent[]) {
  const account = events.reduce(accounts.evolve, accounts.initial);
  return {
    when(decide: (account: Account) => Decision<AccountEvent, string>) {
      const decision = decide(account);
      return {
        thenEmitted: (...expected: Partial<AccountEvent>[]) =>
          expect(decision).toEqual({ events: expected.map((event) => expect.objectContaining(event)) }),
        thenRefused: (refused: string, detail = '') => expect(decision).toEqual({ refused, detail }),
      };
    },
  };
}

describe('opening', () => {
  test('a player gets an account', () =>
    given()
      .when((account) => openAccount(account, { playerId, at }))
      .thenEmitted({ type: 'AccountOpened', playerId, openedAt: at }));

  test('an account is opened once', () =>
    given(opened)
      .when((account) => openAccount(account, { playerId, at: '2009-02-06T12:00:00.000Z' }))
      .thenEmitted());
});

describe('accepting a regulation', () => {
  const accept = (regulation: string) => (account: Account) => acceptRegulation(account, { playerId, regulation, at });

  test('the version accepted is recorded on the account (REG-5.1)', () =>
    given(opened)
      .when(accept(sudoku))
      .thenEmitted({ type: 'RegulationAccepted', playerId, regulation: sudoku, acceptedAt: at }));

  test('accepting the same version again records nothing (REG-5.1)', () =>
    given(opened, accepted(sudoku)).when(accept(sudoku)).thenEmitted());

  test('a new version is accepted again (REG-5.1)', () =>
    given(opened, accepted(sudoku))
      .when(accept('sudoku@2026-01-01'))
      .thenEmitted({ type: 'RegulationAccepted', regulation: 'sudoku@2026-01-01' }));

  test('there is nothing to accept it on before the account is opened', () =>
    given().when(accept(sudoku)).thenRefused('account-unknown'));
});

describe('adjusting', () => {
  const adjustBy = (amount: number) => (account: Account) =>
    adjust(account, {
      adjustmentId: '0197f3c0-0000-7000-8000-000000000002',
      playerId,
      amountCents: cents(amount),
      reason: 'correction',
      at,
    });

  test('a correction upwards carries the balance after it', () =>
    given(opened, adjusted(5000))
      .when(adjustBy(250))
      .thenEmitted({
        type: 'AccountAdjusted',
        amountCents: cents(250),
        availableCents: cents(5250),
        reason: 'correction',
      }));

  test('a correction downwards may empty the account', () =>
    given(opened, adjusted(5000))
      .when(adjustBy(-5000))
      .thenEmitted({ type: 'AccountAdjusted', availableCents: cents(0) }));

  test('a correction never takes the balance below zero', () =>
    given(opened, adjusted(5000)).when(adjustBy(-5001)).thenRefused('balance-too-low'));

  test('there is nothing to correct before the account is opened', () =>
    given().when(adjustBy(1)).thenRefused('account-unknown'));
});

describe('debiting a stake', () => {
  test('the stake is taken from the available balance, under the regulation on sale (REG-4.1)', () =>
    given(...ready(5000))
      .when(stake(100))
      .thenEmitted({
        type: 'StakeDebited',
        playId,
        playerId,
        game: 'sudoku',
        stakeCents: cents(100),
        regulation: sudoku,
        mode: null,
        placedAt: at,
        availableCents: cents(4900),
      }));

  test('the last cent can be staked (REG-4.1)', () =>
    given(...ready(100))
      .when(stake(100))
      .thenEmitted({ type: 'StakeDebited', availableCents: cents(0) }));

  test('a stake above the balance is refused and nothing is debited (REG-4.1)', () =>
    given(...ready(99))
      .when(stake(100))
      .thenRefused('balance-too-low'));

  test('a stake that is not sold is refused before any debit (REG-2.2)', () =>
    given(...ready(5000))
      .when(stake(300, null))
      .thenRefused('sale-not-open'));

  test.each(['suspended', 'closed'] as const)(
    'a stake on a %s sale is refused before any debit, with its notice (REG-1.1)',
    (status) =>
      given(...ready(5000))
        .when(stake(100, { ...open, status, notice }))
        .thenRefused(`sale-${status}`, JSON.stringify(notice)),
  );

  test('a sale suspended without a notice is refused with an empty detail (REG-1.1)', () =>
    given(...ready(5000))
      .when(stake(100, { ...open, status: 'suspended' }))
      .thenRefused('sale-suspended'));

  test("without the game's regulation a stake is refused, and the detail names it (REG-5.1)", () =>
    given(opened, accepted(general), adjusted(5000)).when(stake(100)).thenRefused('regulation-not-accepted', sudoku));

  test('without the general regulation a stake is refused, and the detail names it (REG-5.1)', () =>
    given(opened, accepted(sudoku), adjusted(5000)).when(stake(100)).thenRefused('regulation-not-accepted', general));

  test('when the version on sale changes, the new one must be accepted first (REG-5.1)', () =>
    given(...ready(5000))
      .when(stake(100, { ...open, regulation: 'sudoku@2026-01-01' }))
      .thenRefused('regulation-not-accepted', 'sudoku@2026-01-01'));

  test('nobody stakes without an account', () => given().when(stake(100)).thenRefused('account-unknown'));
});

describe('what a play brings back', () => {
  test('a prize is credited in full', () =>
    given(...ready(100))
      .when((account) => creditPrize(account, { playId, playerId, prizeCents: cents(450000), at }))
      .thenEmitted({
        type: 'PrizeCredited',
        playId,
        playerId,
        prizeCents: cents(450000),
        creditedAt: at,
        availableCents: cents(450100),
      }));

  test('a refund gives the stake back with the reason', () =>
    given(...ready(100))
      .when((account) => refundStake(account, { playId, playerId, stakeCents: cents(200), reason: 'no-unit-left', at }))
      .thenEmitted({
        type: 'StakeRefunded',
        playId,
        playerId,
        stakeCents: cents(200),
        reason: 'no-unit-left',
        refundedAt: at,
        availableCents: cents(300),
      }));

  test('a prize and a refund reach even an account that nothing else may touch', () => {
    given()
      .when((account) => creditPrize(account, { playId, playerId, prizeCents: cents(50), at }))
      .thenEmitted({ type: 'PrizeCredited', availableCents: cents(50) });
    given()
      .when((account) => refundStake(account, { playId, playerId, stakeCents: cents(50), reason: 'sale-closed', at }))
      .thenEmitted({ type: 'StakeRefunded', availableCents: cents(50) });
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
    fc.constantFrom(50, 100, 200).map(stake),
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
