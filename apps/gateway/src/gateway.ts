import { Logger } from '@nestjs/common';
import type { Bus, Subscription } from '#event-bus';
import { type Clock, type SourceRecord, systemClock } from '#event-sourcing';
import { type MakeScripts, ScriptShelf } from '#mechanics';
import { type GameRegulation, isGame, type Regulation } from '#regulation';
import { counter, gauge, type InternalClient, oneLine, uuidV7 } from '#service';
import { Players } from './callers/players.ts';
import { Tokens } from './callers/tokens.ts';
import { Catalog } from './games/catalog.ts';
import { Sales } from './games/sales.ts';
import { PublicKeys } from './keys/keys.ts';
import { History } from './peers/history.ts';
import { Issuance } from './peers/issuance.ts';
import { Wallet } from './peers/wallet.ts';
import { DifferingScripts } from './plays/differing-scripts.ts';
import { Outcomes } from './plays/outcomes.ts';
import { PlacePlay } from './plays/place-play.ts';
import { PlayViews } from './plays/play-view.ts';
import { ReadPlays } from './plays/read-plays.ts';
import { Receipts } from './plays/receipts.ts';
import { Seen } from './plays/seen.ts';
import { StakeBatch } from './plays/stake-batch.ts';

export interface GatewayOptions {
  readonly wallet: InternalClient;
  readonly issuance: InternalClient;
  readonly history: InternalClient;
  readonly bus: Bus;
  readonly regulations: readonly Regulation[];
  readonly keysFile: string;
  readonly issuer: string;
  readonly audience: string;
  /** How long an answer waits for an outcome. Default 2,000. */
  readonly wait_ms?: number;
  /** How long no outcome may come before new stakes are refused. Default 30,000. */
  readonly delayed_ms?: number;
  readonly clock?: Clock;
  /** Default: those of the regulation's mechanic. */
  readonly scripts?: MakeScripts;
}

const logger = new Logger('gateway');

/** The gateway's parts, wired to each other: whole from the beginning, and fed from both logs once it is open. */
export class Gateway {
  readonly catalog: Catalog;
  readonly sales: Sales;
  readonly keys: PublicKeys;
  readonly tokens: Tokens;
  readonly players: Players;
  readonly wallet: Wallet;
  readonly issuance: Issuance;
  readonly outcomes: Outcomes;
  readonly placePlay: PlacePlay;
  readonly readPlays: ReadPlays;
  readonly seen: Seen;
  readonly receipts: Receipts;
  readonly playViews: PlayViews;
  readonly #subscriptions: Subscription[] = [];

  constructor(private readonly options: GatewayOptions) {
    const { clock = systemClock, issuer, audience } = options;
    const wait = options.wait_ms === undefined ? {} : { wait_ms: options.wait_ms };
    this.catalog = new Catalog(options.regulations);
    this.keys = new PublicKeys(options.keysFile, clock.now);
    this.tokens = new Tokens({ issuer, audience, now: clock.now });
    this.wallet = new Wallet(options.wallet);
    this.issuance = new Issuance(options.issuance);
    this.players = new Players(this.wallet);
    this.sales = new Sales(this.issuance, clock.now);
    const history = new History(options.history);
    this.outcomes = new Outcomes({
      clock,
      askHistory: (playIds) => history.find(playIds),
      unreadable,
      ...(options.delayed_ms === undefined ? {} : { delayed_ms: options.delayed_ms }),
    });
    const stakes = new StakeBatch({ now: clock.now, send: (batch) => this.wallet.debitStakes(batch) });
    this.placePlay = new PlacePlay(stakes, this.outcomes, this.wallet, history, { clock, newId: uuidV7, ...wait });
    this.readPlays = new ReadPlays(this.wallet, history, this.outcomes);
    this.receipts = new Receipts(this.readPlays, this.issuance);
    this.seen = new Seen(this.readPlays, history, this.outcomes, { clock, ...wait });
    const differing = new DifferingScripts({ tell: (incident) => this.issuance.raise(incident) });
    const shelf = new ScriptShelf((id) => gameRegulation(this.catalog, id), options.scripts);
    this.playViews = new PlayViews(shelf.scriptOf, differing.shown);
  }

  /**
   * Resolves when no later outcome can pass unseen. Outcomes first: one may follow its debit at once. It waits for the
   * bus without end; rejects when `stopping` is aborted before.
   */
  async open(stopping: AbortSignal): Promise<void> {
    const giveUp = () => void this.options.bus.close();
    stopping.addEventListener('abort', giveUp, { once: true });
    try {
      await this.#tail('issuance', (records) => this.sales.onRecords(records));
      await this.#tail('wallet', () => {});
      stopping.throwIfAborted();
    } finally {
      stopping.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    this.outcomes.stop();
    await Promise.all(this.#subscriptions.map((subscription) => subscription.stop()));
    await this.options.bus.close();
    await Promise.all([this.options.wallet.close(), this.options.issuance.close(), this.options.history.close()]);
  }

  async #tail(source: string, also: (records: readonly SourceRecord[]) => void): Promise<void> {
    const interrupted = () => {
      logger.warn(`records of ${source} may have been missed; asking for the outcomes that are waited for`);
      this.outcomes.interrupted();
      this.sales.interrupted();
    };
    const onRecords = (records: readonly SourceRecord[]) => {
      this.outcomes.onRecords(records);
      also(records);
      gauge('enjeu_gateway_plays_waiting', 'Plays without an outcome.').set(this.outcomes.waiting);
      gauge('enjeu_gateway_plays_remembered', 'Outcomes remembered.').set(this.outcomes.remembered);
    };
    this.#subscriptions.push(await this.options.bus.tail(source, onRecords, interrupted));
  }
}

function gameRegulation({ regulations }: Catalog, id: string): GameRegulation | null {
  const regulation = regulations.get(id);
  return regulation !== undefined && isGame(regulation) ? regulation : null;
}

function unreadable({ type, source, position }: SourceRecord, error: unknown): void {
  counter('enjeu_gateway_unreadable_records_total', 'Records of the tails that could not be read.').inc();
  logger.error(`${type} at position ${position} of ${source} cannot be read (${oneLine(error)})`);
}
