import { modesOf } from '#mechanics';
import { type GameRegulation, type GeneralRegulation, isGame, type Regulation } from '#regulation';

/** A game under the newest version of its regulation. */
export interface Game {
  readonly regulation: GameRegulation;
  /** Those of every version: while an earlier one is on sale, its stakes are taken. Whether one is on sale the wallet knows. */
  readonly stakesCents: ReadonlySet<number>;
  /** The ways to play, the default first; empty where there is only one. */
  readonly modes: readonly string[];
}

/** What follows from all regulations together. */
interface Contents {
  readonly games: ReadonlyMap<string, Game>;
  readonly regulations: ReadonlyMap<string, Regulation>;
  readonly toAccept: readonly string[];
}

/** The games and their regulations, those included that came since it was made. */
export class Catalog {
  #contents: Contents;

  /** Throws a RangeError where there is no general regulation, or where a mechanic is unknown. */
  constructor(regulations: readonly Regulation[]) {
    this.#contents = contentsOf(regulations);
  }

  /** By name, in the order of their names. */
  get games(): ReadonlyMap<string, Game> {
    return this.#contents.games;
  }

  /** Every regulation on file, older versions included, by id. */
  get regulations(): ReadonlyMap<string, Regulation> {
    return this.#contents.regulations;
  }

  /** Ids of the regulations that a player has to have accepted for everything: the general one and each game's newest. */
  get toAccept(): readonly string[] {
    return this.#contents.toAccept;
  }

  /**
   * Adds a regulation; a game's newest version is the one that is shown at once. One that is there already stays as it is.
   * A RangeError, and no change, where its mechanic is unknown.
   */
  take(regulation: Regulation): void {
    if (this.regulations.has(regulation.id)) return;
    this.#contents = contentsOf([...this.regulations.values(), regulation]);
  }
}

function contentsOf(regulations: readonly Regulation[]): Contents {
  const games = gamesOf(regulations.filter(isGame).toSorted(bySignature));
  const general = regulations.filter((regulation): regulation is GeneralRegulation => !isGame(regulation));
  const newest = general.toSorted(bySignature).at(-1);
  if (newest === undefined) throw new RangeError('there is no general regulation');
  return {
    games,
    regulations: new Map(regulations.map((regulation) => [regulation.id, regulation])),
    toAccept: [newest.id, ...[...games.values()].map(({ regulation }) => regulation.id)],
  };
}

/** @param regulations oldest first */
function gamesOf(regulations: readonly GameRegulation[]): Map<string, Game> {
  const games = new Map<string, Game>();
  for (const regulation of regulations) {
    const earlier = games.get(regulation.game)?.stakesCents ?? [];
    const own = regulation.stakes.map(({ stakeCents }) => stakeCents);
    const stakesCents = new Set([...earlier, ...own].sort((a, b) => a - b));
    games.set(regulation.game, { regulation, stakesCents, modes: modesOf(regulation.mechanic) });
  }
  return new Map([...games].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function bySignature(a: Regulation, b: Regulation): number {
  return a.signedOn < b.signedOn ? -1 : 1;
}
