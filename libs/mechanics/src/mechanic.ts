import type { z } from 'zod';
import type { JsonValue } from '#fairness';
import type { Cents } from '#money';
import type { GameRegulation, Rule, Stake } from '#regulation';

/** How a unit is shown: `mechanic` names what the other members mean (see docs/mechanics.md). */
export interface Script {
  readonly mechanic: string;
  readonly [member: string]: JsonValue;
}

/**
 * The script that shows this prize (cents, 0 for a losing unit), its members in canonical order; the same seed (16 bytes,
 * hex) gives the same for ever.
 */
export type Render = (prizeCents: Cents, seed: string) => Script;

/** What a script shows, or why it is no script of this game at this stake. */
export type Verdict = { readonly prizeCents: Cents } | { readonly invalid: string };

/** Judges a script, whatever it is; never throws. */
export type Referee = (script: unknown) => Verdict;

/** What a game's versioned mechanic is to the rest of the platform. Once it has issued units it never changes. */
export interface Mechanic {
  /** `pharaon/1` */
  readonly id: string;
  /** The ways to play that a player chooses from, the default first; none where there is only one way. */
  readonly modes: readonly string[];
  /** What the two `parameters` of a regulation hold under this mechanic. */
  readonly parameters: { readonly regulation: z.ZodType; readonly stake: z.ZodType };
  /**
   * What keeps this mechanic from showing every prize, beyond the shape of the two `parameters`: of a whole regulation
   * (`parameters.stones`), and of a stake, with places below it (`rows[3].prizeCents`). Neither need be sound.
   */
  readonly faults: { readonly regulation: Rule; readonly stake: Rule };
  readonly renderer: (regulation: GameRegulation, stake: Stake) => Render;
  /** Written from the regulations' articles, and shares no code with the renderer. */
  readonly referee: (regulation: GameRegulation, stake: Stake) => Referee;
}
