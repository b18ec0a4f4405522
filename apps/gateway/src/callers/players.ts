import { Problem } from '#service';
import type { Identity, Wallet } from '../peers/wallet.ts';

/** Which account belongs to whom, remembered: it never changes while a token lives. */
export class Players {
  readonly #playerIds = new Map<string, string>();

  constructor(
    private readonly wallet: Pick<Wallet, 'findHolder'>,
    /** Players remembered at most. */
    private readonly remembered = 50_000,
  ) {}

  /** The player id of this identity. 404 `no-account` where it has none, which is asked again each time. */
  async playerIdOf(identity: Identity): Promise<string> {
    const name = `${identity.issuer} ${identity.subject}`;
    const known = this.#playerIds.get(name);
    if (known !== undefined) return known;
    const { issuer, subject } = identity;
    const playerId = await this.wallet.findHolder({ issuer, subject });
    if (playerId === null) {
      throw new Problem(404, 'no-account', 'You have no account yet; open it with POST /api/v1/accounts.');
    }
    this.#playerIds.set(name, playerId);
    for (const oldest of this.#playerIds.keys()) {
      if (this.#playerIds.size <= this.remembered) break;
      this.#playerIds.delete(oldest);
    }
    return playerId;
  }
}
