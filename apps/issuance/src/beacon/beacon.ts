import type { PromisedContribution } from '#fairness';

/** Where public contributions come from: what nobody who chose a block's secret could choose too. */
export interface Beacon {
  /** What a commitment made at this time names; null where blocks are sold without a contribution. */
  promise(committedAt: string): PromisedContribution | null;
  /**
   * The value of a promised contribution, hex, as soon as it is public. Waits as long as it takes; rejects when it cannot
   * be had from anyone now, or never, and when `stopping` is aborted.
   */
  draw(promised: PromisedContribution, stopping: AbortSignal): Promise<string>;
}
