import { cents } from '#money';
import type { GameRegulation } from '#regulation';
import type { Script } from './mechanic.ts';
import { renderedDigest, type Scripts, scriptsOf } from './mechanics.ts';

/** What a script follows from. */
export interface UnitToShow {
  /** The id of the regulation that it was sold under. */
  readonly regulation: string;
  /** As it was sealed. */
  readonly mechanic: string;
  readonly stakeCents: number;
  /** The sealed prize, 0 for a losing unit. */
  readonly prizeCents: number;
  /** 16 bytes, hex. */
  readonly seed: string;
}

/**
 * A script that the referee judges to exactly the unit's prize, with its digest (hex); or, in one line of at most 500
 * characters that does not hold the seed, why the unit has none that may be shown (REG-4.3).
 */
export type JudgedScript = { readonly script: Script; readonly digest: string } | { readonly rejected: string };

/** Never throws: whatever goes wrong is a reason to withhold the script. */
export type JudgeScript = (unit: UnitToShow) => JudgedScript;

export type MakeScripts = (regulation: GameRegulation, stakeCents: number) => Scripts;

/** Renderers and referees, made once for each regulation and stake, and the one rule of what may be shown. */
export class ScriptShelf {
  /** By the regulation itself: one that was replaced is made anew, and a forgotten one takes its scripts with it. */
  readonly #made = new WeakMap<GameRegulation, Map<number, Scripts>>();

  /** @param find asked at each use, since regulations may come while it runs; null for one that is not on file */
  constructor(
    private readonly find: (regulation: string) => GameRegulation | null,
    private readonly make: MakeScripts = scriptsOf,
  ) {}

  readonly scriptOf: JudgeScript = (unit) => {
    try {
      const regulation = this.find(unit.regulation);
      if (regulation === null) return rejected(`the regulation ${unit.regulation} is not on file`);
      if (regulation.mechanic !== unit.mechanic) {
        return rejected(`${regulation.id} is shown by ${regulation.mechanic}, not by ${unit.mechanic}`);
      }
      return judged(this.#scripts(regulation, unit.stakeCents), unit);
    } catch (error) {
      return rejected(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
  };

  #scripts(regulation: GameRegulation, stakeCents: number): Scripts {
    let ofRegulation = this.#made.get(regulation);
    if (ofRegulation === undefined) {
      ofRegulation = new Map();
      this.#made.set(regulation, ofRegulation);
    }
    let scripts = ofRegulation.get(stakeCents);
    if (scripts === undefined) {
      scripts = this.make(regulation, stakeCents);
      ofRegulation.set(stakeCents, scripts);
    }
    return scripts;
  }
}

function judged({ render, judge }: Scripts, { prizeCents, seed }: UnitToShow): JudgedScript {
  const script = render(cents(prizeCents), seed);
  const verdict = judge(script);
  if ('invalid' in verdict) return rejected(`the referee rejects it: ${verdict.invalid}`);
  if (verdict.prizeCents !== prizeCents) {
    return rejected(`the referee finds ${verdict.prizeCents} cents instead of ${prizeCents}`);
  }
  return { script, digest: renderedDigest(script) };
}

/**
 * The script that was issued with a unit under this digest, derived and judged again (REG-4.2, REG-4.3), or why what is
 * derived now may not be shown in its place.
 */
export function issuedScript(
  unit: UnitToShow,
  digest: string,
  scriptOf: JudgeScript,
): { readonly script: Script } | { readonly differs: string } {
  const judged = scriptOf(unit);
  if ('rejected' in judged) return { differs: judged.rejected };
  if (judged.digest === digest) return { script: judged.script };
  return { differs: `the digest is ${judged.digest}, and was ${digest} at issue` };
}

const NO_TEXT = /[\p{Cc}\p{Cs}]+/gu;
/** A seed is 32 of them. */
const LONG_HEX = /[0-9a-f]{32,}/gi;

function rejected(why: string): JudgedScript {
  return { rejected: why.replaceAll(NO_TEXT, ' ').replaceAll(LONG_HEX, '…').slice(0, 500).toWellFormed() };
}
