import { regulationDigest } from '#fairness';
import type { GameRegulation } from '#regulation';
import { type Line, lineId } from '../blocks/stock.ts';

/** The games' regulations as they were loaded at start, every version. */
export class RegulationsOnFile {
  readonly #byId: ReadonlyMap<string, GameRegulation>;
  readonly #digests = new Map<string, string>();

  constructor(regulations: readonly GameRegulation[]) {
    this.#byId = new Map(regulations.map((regulation) => [regulation.id, regulation]));
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
    const lines = new Map<string, Line>();
    for (const { game, stakes } of this.#byId.values()) {
      for (const { stakeCents } of stakes) lines.set(lineId({ game, stakeCents }), { game, stakeCents });
    }
    return [...lines.values()];
  }

  games(): string[] {
    return [...new Set([...this.#byId.values()].map((regulation) => regulation.game))];
  }
}
