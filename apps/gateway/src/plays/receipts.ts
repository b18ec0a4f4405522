import { Problem } from '#service';
import type { Issuance } from '../peers/issuance.ts';
import type { ReadPlays } from './read-plays.ts';

/** Receipts of a player's own plays. */
export class Receipts {
  constructor(
    private readonly plays: ReadPlays,
    private readonly issuance: Issuance,
  ) {}

  /** 404 for another's play, 409 for one that has no unit, or none yet. */
  async of(playerId: string, playId: string): Promise<Record<string, unknown>> {
    const play = await this.plays.one(playerId, playId);
    if (play.status === 'pending') {
      throw new Problem(409, 'play-not-settled', 'This play has no outcome yet; its receipt can be had once it has.');
    }
    if (play.blockId === null || play.sequence === null) {
      throw new Problem(409, 'play-refunded', 'This play got no unit and its stake was refunded: there is no receipt.');
    }
    const receipt = await this.issuance.receipt(play.blockId, play.sequence);
    if (receipt['playId'] !== playId)
      throw new Error(`issuance has another play as sale ${play.sequence} of its block`);
    return receipt;
  }
}
