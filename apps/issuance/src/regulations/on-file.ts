import { regulationDigest } from '#fairness';
import type { GameRegulation } from '#regulation';
import { type Line, lineId } from '../blocks/stock.ts';

/** The games' regulations, every version: those that were on file at start, and those that came since. */
export class RegulationsOnFile {
  readonly #byId = new Map<string, GameRegulation>();
  readonly #digests = new Map<string, string>();
  readonly #lines = new Map<string, Line>();

  constructor(regulations: readonly GameRegulation[]) {
    for (const regulation of regulations) this.take(regulation);
  }

  /** From now on it is on file. One that is there already stays as it is. */
  take(regulation: GameRegulation): void {
    if (this.#byId.has(regulation.id)) return;
    this.#byId.set(regulation.id, regulation);
    for (const { stakeCents } of regulation.stakes) {
      const line = { game: regulation.game, stakeCents };
      this.#lines.set(lineId(line), line);
    }
  }

  find(id: string): GameRegulation | null {
    return this.#byId.get(id) ?? null;
  }

  /** A RangeError for one that is not on file. */
  get(id: string): GameRegulation {
    const regulation = this.#byId.get(id);
    if (regulation === undefined) throw new RangeError(`the regulation ${id} is not on file`);
    return regulation;
  }

  /** SHA-256 of the regulation as it is published, hex. */
  digestOf(id: string): string {
    let digest = this.#digests.get(id);
    if (digest === undefined) {
      digest = regulationDigest(this.get(id));
      this.#digests.set(id, digest);
    }
    return digest;
  }

  /** The version of a game's regulation that was signed last, null for a game that has none. */
  newestOf(game: string): GameRegulation | null {
    const versions = [...this.#byId.values()].filter((regulation) => regulation.game === game);
    return versions.reduce<GameRegulation | null>(
      (newest, one) => (newest === null || one.signedOn > newest.signedOn ? one : newest),
      null,
    );
  }

  /** Every game at every stake that any version sells. */
  lines(): Line[] {
    return [...this.#lines.values()];
  }

  /** Whether any version sells this line. */
  sells(line: Line): boolean {
    return this.#lines.has(lineId(line));
  }

  games(): string[] {
    return [...new Set([...this.#byId.values()].map((regulation) => regulation.game))];
  }
}
