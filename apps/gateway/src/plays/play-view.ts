import type { PlayRecord } from '#contracts';
import type { PlayView } from '#contracts/http';

/** A play as its player sees it. The seed stays with issuance: what follows from it is the script. */
export function playView(play: PlayRecord): PlayView {
  return {
    playId: play.playId,
    game: play.game,
    regulation: play.regulation,
    stakeCents: play.stakeCents,
    mode: play.mode,
    status: play.status,
    prizeCents: play.prizeCents,
    blockId: play.blockId,
    unitIndex: play.unitIndex,
    mechanic: play.mechanic,
    script: null,
    reason: play.reason,
    placedAt: play.placedAt,
    settledAt: play.settledAt,
    seenAt: play.seenAt,
  };
}
