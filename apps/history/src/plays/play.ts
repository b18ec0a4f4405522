import type { PlayRecord, PlayStatus } from '#contracts';

/** What the player asked for: every event of a play but its payment repeats it. */
export interface Order {
  readonly game: string;
  readonly stakeCents: number;
  readonly regulation: string;
  readonly mode: string | null;
  readonly placedAt: string;
}

/** What issuance answered: a unit, or the reason why there is none. It comes once. */
export type Outcome =
  | {
      readonly kind: 'issued';
      readonly blockId: string;
      readonly sequence: number;
      readonly unitIndex: number;
      readonly prizeCents: number;
      readonly seed: string;
      readonly mechanic: string;
      readonly scriptDigest: string | null;
      readonly issuedAt: string;
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly refusedAt: string };

/** What the wallet paid for the outcome: a prize, or the stake back. */
export interface Payment {
  readonly kind: 'prize' | 'refund';
  readonly amountCents: number;
  readonly paidAt: string;
}

/** One event of a play, as far as the history keeps it. */
export interface PlayFact {
  readonly playId: string;
  readonly playerId: string;
  readonly order?: Order;
  /** Wallet position of its StakeDebited: the play's place in the player's history. */
  readonly walletPosition?: number;
  readonly outcome?: Outcome;
  readonly payment?: Payment;
}

/** What the history knows of a play. Each part is null until the event that brings it was seen. */
export interface Play {
  readonly playId: string;
  readonly playerId: string;
  readonly order: Order | null;
  readonly walletPosition: number | null;
  readonly outcome: Outcome | null;
  readonly payment: Payment | null;
}

/** How two events of one play disagree. The services behind them forbid every one of these. */
export type Contradiction =
  | 'two-players'
  | 'two-orders'
  | 'two-debits'
  | 'two-outcomes'
  | 'two-payments'
  | 'payment-unlike-outcome';

export interface Merged {
  readonly play: Play;
  readonly contradictions: readonly Contradiction[];
}

/**
 * Adds an event to what is known of its play (`null` = nothing yet). The events of a play may come in any order and
 * any number of times: the result is the same, and no part that is known is lost. Where two events contradict each
 * other the first one stands, but for the order, which is the wallet's; each contradiction is reported.
 */
export function merge(known: Play | null, fact: PlayFact): Merged {
  const play = known ?? blank(fact);
  if (play.playerId !== fact.playerId) return { play, contradictions: ['two-players'] };
  const contradictions: Contradiction[] = [];
  const debited = fact.walletPosition !== undefined;
  if (conflict(play.order, fact.order)) contradictions.push('two-orders');
  if (debited && conflict(play.walletPosition, fact.walletPosition)) contradictions.push('two-debits');
  if (conflict(play.outcome, fact.outcome)) contradictions.push('two-outcomes');
  if (conflict(play.payment, fact.payment)) contradictions.push('two-payments');
  const merged: Play = {
    playId: play.playId,
    playerId: play.playerId,
    order: debited && play.walletPosition === null ? (fact.order ?? play.order) : (play.order ?? fact.order ?? null),
    walletPosition: play.walletPosition ?? fact.walletPosition ?? null,
    outcome: play.outcome ?? fact.outcome ?? null,
    payment: play.payment ?? fact.payment ?? null,
  };
  const completed = (play.outcome === null || play.payment === null) && merged.outcome && merged.payment;
  if (completed && !paysFor(merged.payment, merged.outcome)) contradictions.push('payment-unlike-outcome');
  return { play: merged, contradictions };
}

function blank({ playId, playerId }: PlayFact): Play {
  return { playId, playerId, order: null, walletPosition: null, outcome: null, payment: null };
}

function conflict(known: unknown, told: unknown): boolean {
  return known !== null && told !== undefined && !same(known, told);
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const one = a as Record<string, unknown>;
  const other = b as Record<string, unknown>;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

function paysFor(payment: Payment, outcome: Outcome): boolean {
  if (outcome.kind === 'refused') return payment.kind === 'refund';
  return payment.kind === 'prize' && payment.amountCents === outcome.prizeCents;
}

/** Pending until issuance answered; then lost, won or refunded, whether or not the wallet has paid yet. */
export function statusOf(outcome: Outcome | null): PlayStatus {
  if (outcome === null) return 'pending';
  if (outcome.kind === 'refused') return 'refunded';
  return outcome.prizeCents > 0 ? 'won' : 'lost';
}

/** The play as the history tells it, or null while nothing has said yet what was ordered. */
export function toRecord(play: Play, seenAt: string | null): PlayRecord | null {
  if (play.order === null) return null;
  const unit = play.outcome?.kind === 'issued' ? play.outcome : null;
  const refusal = play.outcome?.kind === 'refused' ? play.outcome : null;
  return {
    playId: play.playId,
    playerId: play.playerId,
    game: play.order.game,
    regulation: play.order.regulation,
    stakeCents: play.order.stakeCents,
    mode: play.order.mode,
    status: statusOf(play.outcome),
    prizeCents: unit?.prizeCents ?? null,
    blockId: unit?.blockId ?? null,
    sequence: unit?.sequence ?? null,
    unitIndex: unit?.unitIndex ?? null,
    mechanic: unit?.mechanic ?? null,
    seed: unit?.seed ?? null,
    scriptDigest: unit?.scriptDigest ?? null,
    reason: refusal?.reason ?? null,
    placedAt: play.order.placedAt,
    settledAt: unit?.issuedAt ?? refusal?.refusedAt ?? null,
    paidAt: play.payment?.paidAt ?? null,
    seenAt,
    walletPosition: play.walletPosition,
  };
}
