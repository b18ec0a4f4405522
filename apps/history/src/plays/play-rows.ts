import type { Order, Outcome, Payment, Play } from './play.ts';

/** A play as its table keeps it. Times are UTC; what is not known yet is null. */
export interface PlayRow {
  readonly play_id: string;
  readonly player_id: string;
  readonly wallet_position: number | null;
  readonly game: string | null;
  readonly regulation: string | null;
  readonly stake_cents: number | null;
  readonly mode: string | null;
  readonly placed_at: string | null;
  readonly block_id: string | null;
  readonly sequence: number | null;
  readonly unit_index: number | null;
  readonly prize_cents: number | null;
  readonly seed: string | null;
  readonly mechanic: string | null;
  readonly script_digest: string | null;
  readonly reason: string | null;
  readonly settled_at: string | null;
  readonly paid_cents: number | null;
  readonly paid_at: string | null;
}

/** The columns of a row as the readers take them: numbers as numbers, hashes as hex, times as text. */
export const PLAY_COLUMNS = `
         plays.play_id,
         plays.player_id,
         plays.wallet_position::float8 as wallet_position,
         plays.game,
         plays.regulation,
         plays.stake_cents::float8 as stake_cents,
         plays.mode,
         to_char(plays.placed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as placed_at,
         plays.block_id,
         plays.sequence,
         plays.unit_index,
         plays.prize_cents::float8 as prize_cents,
         encode(plays.seed, 'hex') as seed,
         plays.mechanic,
         encode(plays.script_digest, 'hex') as script_digest,
         plays.reason,
         to_char(plays.settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as settled_at,
         plays.paid_cents::float8 as paid_cents,
         to_char(plays.paid_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as paid_at`;

/** The plays with these ids. It takes no lock: only the sole writer changes plays. */
export const PLAYS_OF_IDS = `
  select ${PLAY_COLUMNS}
    from plays
   where play_id = any($1)`;

export function rowOf(play: Play): PlayRow {
  const { order, outcome, payment } = play;
  const unit = outcome?.kind === 'issued' ? outcome : null;
  const refusal = outcome?.kind === 'refused' ? outcome : null;
  return {
    play_id: play.playId,
    player_id: play.playerId,
    wallet_position: play.walletPosition,
    game: order?.game ?? null,
    regulation: order?.regulation ?? null,
    stake_cents: order?.stakeCents ?? null,
    mode: order?.mode ?? null,
    placed_at: order?.placedAt ?? null,
    block_id: unit?.blockId ?? null,
    sequence: unit?.sequence ?? null,
    unit_index: unit?.unitIndex ?? null,
    prize_cents: unit?.prizeCents ?? null,
    seed: unit?.seed ?? null,
    mechanic: unit?.mechanic ?? null,
    script_digest: unit?.scriptDigest ?? null,
    reason: refusal?.reason ?? null,
    settled_at: unit?.issuedAt ?? refusal?.refusedAt ?? null,
    paid_cents: payment === null ? null : payment.kind === 'prize' ? payment.amountCents : -payment.amountCents,
    paid_at: payment?.paidAt ?? null,
  };
}

export function playOf(row: PlayRow): Play {
  return {
    playId: row.play_id,
    playerId: row.player_id,
    walletPosition: row.wallet_position,
    order: orderOf(row),
    outcome: outcomeOf(row),
    payment: paymentOf(row),
  };
}

function orderOf(row: PlayRow): Order | null {
  if (row.placed_at === null) return null;
  return {
    game: row.game!,
    stakeCents: row.stake_cents!,
    regulation: row.regulation!,
    mode: row.mode,
    placedAt: row.placed_at,
  };
}

function outcomeOf(row: PlayRow): Outcome | null {
  if (row.settled_at === null) return null;
  if (row.reason !== null) return { kind: 'refused', reason: row.reason, refusedAt: row.settled_at };
  return {
    kind: 'issued',
    blockId: row.block_id!,
    sequence: row.sequence!,
    unitIndex: row.unit_index!,
    prizeCents: row.prize_cents!,
    seed: row.seed!,
    mechanic: row.mechanic!,
    scriptDigest: row.script_digest,
    issuedAt: row.settled_at,
  };
}

/** A refund is kept as a negative amount: it gives back what was taken. */
function paymentOf(row: PlayRow): Payment | null {
  if (row.paid_at === null || row.paid_cents === null) return null;
  const kind = row.paid_cents < 0 ? 'refund' : 'prize';
  return { kind, amountCents: Math.abs(row.paid_cents), paidAt: row.paid_at };
}
