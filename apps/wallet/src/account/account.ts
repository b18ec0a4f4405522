import type { EventOf, PlayMode, StakeRefusal, UnitRefusal } from '#contracts';
import { type Decision, emit, refuse, type Subject } from '#event-sourcing';
import { type Cents, minus, NO_CENTS, plus } from '#money';
import type { StakeOnSale } from '../sales/sale-copy.ts';

/** What happens to an account. Events that move its money carry `availableCents`, the balance after them. */
export type AccountEvent = EventOf<
  'AccountOpened' | 'RegulationAccepted' | 'AccountAdjusted' | 'StakeDebited' | 'PrizeCredited' | 'StakeRefunded'
>;

/** What a decision without refusals answers. */
export interface Emitted {
  readonly events: readonly AccountEvent[];
}

export interface Acceptance {
  readonly regulation: string;
  readonly acceptedAt: string;
}

/** What decisions need to know of a player's account. */
export interface Account {
  /** Null before it is opened. */
  readonly openedAt: string | null;
  readonly availableCents: Cents;
  /** In the order of acceptance, each regulation once. */
  readonly accepted: readonly Acceptance[];
}

export const accounts: Subject<Account, AccountEvent> = {
  name: 'account',
  initial: { openedAt: null, availableCents: NO_CENTS, accepted: [] },
  evolve,
};

/** Opens the account; one that is open stays as it is. `at` is UTC with three decimals, here and below. */
export function openAccount(account: Account, opening: { readonly playerId: string; readonly at: string }): Emitted {
  if (account.openedAt !== null) return emit();
  return emit({ type: 'AccountOpened', playerId: opening.playerId, openedAt: opening.at });
}

/** Records that the player accepts this version of a regulation (REG-5.1); accepting it again changes nothing. */
export function acceptRegulation(
  account: Account,
  acceptance: { readonly playerId: string; readonly regulation: string; readonly at: string },
): Decision<AccountEvent, 'account-unknown'> {
  if (account.openedAt === null) return refuse('account-unknown');
  if (accepts(account, acceptance.regulation)) return emit();
  const { playerId, regulation, at } = acceptance;
  return emit({ type: 'RegulationAccepted', playerId, regulation, acceptedAt: at });
}

export interface Adjustment {
  readonly adjustmentId: string;
  readonly playerId: string;
  /** Signed. */
  readonly amountCents: Cents;
  readonly reason: string;
  readonly at: string;
}

/** An operator's correction, up or down; one that would take the balance below zero is refused. */
export function adjust(
  account: Account,
  adjustment: Adjustment,
): Decision<AccountEvent, 'account-unknown' | 'balance-too-low'> {
  if (account.openedAt === null) return refuse('account-unknown');
  const { adjustmentId, playerId, amountCents, reason, at } = adjustment;
  const availableCents = plus(account.availableCents, amountCents);
  if (availableCents < 0) return refuse('balance-too-low');
  return emit({ type: 'AccountAdjusted', adjustmentId, playerId, amountCents, reason, adjustedAt: at, availableCents });
}

export interface PlacedStake {
  readonly playId: string;
  readonly playerId: string;
  readonly game: string;
  readonly stakeCents: Cents;
  readonly mode: PlayMode;
  readonly at: string;
}

/** What a stake is measured against beside the account. */
export interface StakeConditions {
  /** The sale of this game at this stake, null where it is not sold. */
  readonly sale: StakeOnSale | null;
  /** Id of the general regulation in force. */
  readonly generalRegulation: string;
}

/**
 * Takes the stake from the available balance (REG-4.1), never below zero. Refused outside the sale, where the detail is
 * the sale's notice as JSON (REG-1.1); for a stake that is not sold (REG-2.2); without the game's regulation or the
 * general one accepted, where the detail is the id of the one that is missing (REG-5.1); and above the balance.
 */
export function debitStake(
  account: Account,
  stake: PlacedStake,
  { sale, generalRegulation }: StakeConditions,
): Decision<AccountEvent, StakeRefusal> {
  if (account.openedAt === null) return refuse('account-unknown');
  if (sale === null) return refuse('sale-not-open');
  if (sale.status !== 'open') {
    return refuse(`sale-${sale.status}`, sale.notice === null ? '' : JSON.stringify(sale.notice));
  }
  const missing = [sale.regulation, generalRegulation].find((regulation) => !accepts(account, regulation));
  if (missing !== undefined) return refuse('regulation-not-accepted', missing);
  if (stake.stakeCents > account.availableCents) return refuse('balance-too-low');
  const { playId, playerId, game, stakeCents, mode, at } = stake;
  return emit({
    type: 'StakeDebited',
    playId,
    playerId,
    game,
    stakeCents,
    regulation: sale.regulation,
    mode,
    placedAt: at,
    availableCents: minus(account.availableCents, stakeCents),
  });
}

/** Credits a play's prize. It is the player's, whatever the account is: there is no refusal. `prizeCents` is above 0. */
export function creditPrize(
  account: Account,
  prize: { readonly playId: string; readonly playerId: string; readonly prizeCents: Cents; readonly at: string },
): Emitted {
  const { playId, playerId, prizeCents, at } = prize;
  const availableCents = plus(account.availableCents, prizeCents);
  return emit({ type: 'PrizeCredited', playId, playerId, prizeCents, creditedAt: at, availableCents });
}

/** Gives back the stake of a play that got no unit, with issuance's reason. There is no refusal. */
export function refundStake(
  account: Account,
  refund: {
    readonly playId: string;
    readonly playerId: string;
    readonly stakeCents: Cents;
    readonly reason: UnitRefusal;
    readonly at: string;
  },
): Emitted {
  const { playId, playerId, stakeCents, reason, at } = refund;
  const availableCents = plus(account.availableCents, stakeCents);
  return emit({ type: 'StakeRefunded', playId, playerId, stakeCents, reason, refundedAt: at, availableCents });
}

function accepts(account: Account, regulation: string): boolean {
  return account.accepted.some((acceptance) => acceptance.regulation === regulation);
}

function evolve(account: Account, event: AccountEvent): Account {
  switch (event.type) {
    case 'AccountOpened':
      return { ...account, openedAt: event.openedAt };
    case 'RegulationAccepted': {
      const { regulation, acceptedAt } = event;
      return { ...account, accepted: [...account.accepted, { regulation, acceptedAt }] };
    }
    case 'AccountAdjusted':
      return { ...account, availableCents: plus(account.availableCents, event.amountCents) };
    case 'StakeDebited':
      return { ...account, availableCents: minus(account.availableCents, event.stakeCents) };
    case 'PrizeCredited':
      return { ...account, availableCents: plus(account.availableCents, event.prizeCents) };
    case 'StakeRefunded':
      return { ...account, availableCents: plus(account.availableCents, event.stakeCents) };
  }
}
