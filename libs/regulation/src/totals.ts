import { type Cents, NO_CENTS, plus, times } from '#money';
import type { GameRegulation, Stake } from './regulation.ts';

export interface Totals {
  /** Prizes in a block. */
  readonly count: number;
  readonly totalCents: Cents;
}

/** REG-3.1: the totals of a stake's table, computed from its rows. */
export function totals(stake: Pick<Stake, 'rows'>): Totals {
  return {
    count: stake.rows.reduce((sum, row) => sum + row.count, 0),
    totalCents: stake.rows.reduce((sum, row) => plus(sum, times(row.prizeCents, row.count)), NO_CENTS),
  };
}

/** The share of the stakes that a block at this stake gives back, 0 to 1. */
export function returnRate(regulation: Pick<GameRegulation, 'blockSize'>, stake: Stake): number {
  return totals(stake).totalCents / times(stake.stakeCents, regulation.blockSize);
}

/** The share of the units of a block at this stake that win, 0 to 1. */
export function hitRate(regulation: Pick<GameRegulation, 'blockSize'>, stake: Pick<Stake, 'rows'>): number {
  return totals(stake).count / regulation.blockSize;
}

/** The stake of so many cents, or undefined where the regulation has none. */
export function stakeOf(regulation: GameRegulation, stakeCents: number): Stake | undefined {
  return regulation.stakes.find((stake) => stake.stakeCents === stakeCents);
}
