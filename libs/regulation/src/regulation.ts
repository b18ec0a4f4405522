import type { JsonValue, PrizeRow } from '#fairness';
import type { Cents } from '#money';

export interface Localized<Value> {
  readonly fr: Value;
  readonly en: Value;
}

/** One stake of a game: what a unit costs, and the prizes of a block at that stake. */
export interface Stake {
  readonly stakeCents: Cents;
  /** In the regulation's order. */
  readonly rows: readonly PrizeRow[];
  /** What the text prints under the table; the rows decide, and an erratum explains each difference. */
  readonly printed: { readonly count: number; readonly totalCents: Cents };
  /** Belongs to the mechanic. */
  readonly parameters: { readonly [name: string]: JsonValue };
}

/** A place where the text prints something else than it means, and how it is read. */
export interface Erratum {
  readonly article: string;
  /** As printed; amounts like `1 800 €`, counts like `331 043`. */
  readonly printed: string;
  readonly read: string;
  readonly why: Localized<string>;
}

interface Published {
  /** `<game>@<day of signature>`, one version of the text. */
  readonly id: string;
  readonly names: Localized<string>;
  readonly signedOn: string;
  /** Legal basis and publication. */
  readonly references: readonly string[];
  /** The rules for players, in our words. */
  readonly rules: Localized<readonly string[]>;
}

/** One version of a game's regulation. */
export interface GameRegulation extends Published {
  readonly game: string;
  /** The day from which the game is on sale. */
  readonly opensOn: string;
  /** Units of a block. */
  readonly blockSize: number;
  readonly mechanic: string;
  /** Belongs to the mechanic. */
  readonly parameters: { readonly [name: string]: JsonValue };
  readonly stakes: readonly Stake[];
  readonly errata: readonly Erratum[];
}

/** One version of the rules common to all games; a stake needs it accepted beside the game's own. */
export interface GeneralRegulation extends Published {}

export type Regulation = GameRegulation | GeneralRegulation;

/** What the general regulation's ids start with instead of a game. */
export const GENERAL = 'general';

export function isGame(regulation: Regulation): regulation is GameRegulation {
  return 'game' in regulation;
}
