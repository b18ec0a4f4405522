import { modesOf } from '#mechanics';
import { type GameRegulation, type GeneralRegulation, isGame, type Regulation } from '#regulation';

/** A game under the newest version of its regulation. */
export interface Game {
  readonly regulation: GameRegulation;
  readonly stakesCents: ReadonlySet<number>;
  /** The ways to play, the default first; empty where there is only one. */
  readonly modes: readonly string[];
}

/** The games and their regulations. */
export class Catalog {
  /** By name, in the order of their names. */
  readonly games: ReadonlyMap<string, Game>;
  /** Every regulation on file, older versions included, by id. */
  readonly regulations: ReadonlyMap<string, Regulation>;
  /** Ids of the regulations that a player has to have accepted for everything: the general one and each game's newest. */
  readonly toAccept: readonly string[];

  /** Throws a RangeError where there is no general regulation, or where a mechanic is unknown. */
  constructor(regulations: readonly Regulation[]) {
    this.regulations = new Map(regulations.map((regulation) => [regulation.id, regulation]));
    this.games = new Map(newestOfGames(regulations).map((regulation) => [regulation.game, gameOf(regulation)]));
    const general = regulations.filter((regulation): regulation is GeneralRegulation => !isGame(regulation));
    const newest = general.toSorted(bySignature).at(-1);
    if (newest === undefined) throw new RangeError('there is no general regulation');
    this.toAccept = [newest.id, ...[...this.games.values()].map(({ regulation }) => regulation.id)];
  }
}

function newestOfGames(regulations: readonly Regulation[]): GameRegulation[] {
  const newest = new Map<string, GameRegulation>();
  for (const regulation of regulations.filter(isGame).toSorted(bySignature)) newest.set(regulation.game, regulation);
  return [...newest.values()].sort((a, b) => (a.game < b.game ? -1 : 1));
}

function bySignature(a: Regulation, b: Regulation): number {
  return a.signedOn < b.signedOn ? -1 : 1;
}

function gameOf(regulation: GameRegulation): Game {
  return {
    regulation,
    stakesCents: new Set(regulation.stakes.map(({ stakeCents }) => stakeCents)),
    modes: modesOf(regulation.mechanic),
  };
}
