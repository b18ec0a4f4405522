import type { PlayRecord } from '#contracts';
import type { PlayView } from '#contracts/http';
import { issuedScript, type JudgeScript, type Script } from '#mechanics';

/** A play as its player sees it. The seed stays here: what follows from it is the script. */
export class PlayViews {
  /**
   * @param scriptOf derives and judges a unit's script
   * @param differs told of each play that is shown without the script that was issued with it, and why
   */
  constructor(
    private readonly scriptOf: JudgeScript,
    private readonly differs: (playId: string, detail: string) => void,
  ) {}

  readonly of = (play: PlayRecord): PlayView => ({
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
    script: this.#scriptOf(play),
    reason: play.reason,
    placedAt: play.placedAt,
    settledAt: play.settledAt,
    seenAt: play.seenAt,
  });

  #scriptOf(play: PlayRecord): Script | null {
    const shown = scriptToShow(play, this.scriptOf);
    if (shown === null) return null;
    if ('script' in shown) return shown.script;
    const { mechanic, unitIndex, blockId } = play;
    this.differs(play.playId, `${mechanic}, unit ${unitIndex} of block ${blockId}: ${shown.differs}`);
    return null;
  }
}

/**
 * The script that was issued with this play (REG-4.2, REG-4.3), or why it cannot be shown. Null
 * where none was issued: the play is pending or refunded, or its script was withheld then.
 */
export function scriptToShow(
  play: PlayRecord,
  scriptOf: JudgeScript,
): { readonly script: Script } | { readonly differs: string } | null {
  const { regulation, mechanic, stakeCents, prizeCents, seed, scriptDigest } = play;
  if (scriptDigest === null) return null;
  if (mechanic === null || prizeCents === null || seed === null)
    return { differs: 'what it follows from is not known' };
  return issuedScript({ regulation, mechanic, stakeCents, prizeCents, seed }, scriptDigest, scriptOf);
}
