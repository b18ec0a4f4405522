import { type Clock, LaneUnavailable, pause, timeText, type Work } from '#event-sourcing';
import { SECRET_BYTES } from '#fairness';
import { uuidV7 } from '#service';
import { decided, WorkFailed } from '../in-lane.ts';
import type { Supply } from '../units/issue-units.ts';
import { blocks } from './block.ts';
import { type BlockOfEmission, type CommitContext, commitBlock } from './commit-block.ts';
import { type LoadContext, loadVault, sealMissingDecks, settleSealedBlocks, unsealed } from './load-vault.ts';
import { BlockOpener, type OpenContext } from './open-blocks.ts';
import type { PrepareBlock } from './prepare-in-worker.ts';
import {
  awaitsBlock,
  blocksOf,
  type Line,
  lineId,
  nextWanted,
  type Stock,
  type StockedEmission,
  stocks,
  unitsLeft,
  urgency,
} from './stock.ts';
import type { Vault } from './vault.ts';

export interface PreparationContext extends CommitContext, Omit<LoadContext, 'opened'>, OpenContext {
  readonly prepare: PrepareBlock;
  readonly clock: Clock;
  /** As many random bytes as asked for. */
  readonly random: (bytes: number) => Uint8Array;
  /** Told in one line what was done or has failed; never a secret. */
  readonly report: (line: string) => void;
}

interface LineView {
  readonly line: Line;
  readonly stock: Stock;
  readonly sold: number;
}

/** More units than works can wait in the lane: above it, nobody needs to ask how many are left. */
const MORE_THAN_WAIT = 50_000;
const PAUSE_AFTER_FAILURE_MS = 1_000;
/** More than any urgency. */
const BEHIND_ALL = 10;

/**
 * Keeps every line supplied: one block is committed behind the open one from its opening on, long before it is half sold;
 * lines whose sales wait come first. One block at a time, in the background.
 */
export class BlockPreparer implements Supply {
  readonly #context: PreparationContext;
  readonly #left = new Map<string, number>();
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  readonly #stopping = new AbortController();
  #wake = Promise.withResolvers<void>();
  readonly #failed = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  readonly #opener: BlockOpener;

  constructor(context: PreparationContext) {
    this.#context = context;
    this.#opener = new BlockOpener(context, (line) => {
      this.#provided(lineId(line));
      this.wake();
    });
  }

  /**
   * Settles what a crash has left, puts the contents of all blocks that may be sold from into the vault, and begins to
   * prepare. Rejects when a block that is committed cannot be opened.
   */
  async start(): Promise<void> {
    await this.#context.sealed.check();
    await settleSealedBlocks(this.#context);
    await sealMissingDecks(this.#context, this.#context.prepare, this.#stopping.signal);
    await loadVault(this.#context);
    this.#running = this.#run();
  }

  /** Ends the thread that prepares; whoever waits for a block is told so. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the preparation of blocks has stopped'));
    this.#wake.resolve();
    for (const waiting of this.#waiting.values()) waiting.reject(this.#stopping.signal.reason);
    await Promise.all([this.#running, this.#opener.stop()]);
  }

  /** Something may have to be prepared: an emission was approved, a block was opened. */
  wake(): void {
    this.#wake.resolve();
  }

  left(line: Line, units: number): void {
    this.#left.set(lineId(line), units);
  }

  async ready(line: Line, units: number): Promise<void> {
    const id = lineId(line);
    if (!this.#context.regulations.sells(line) || (this.#left.get(id) ?? 0) >= units + MORE_THAN_WAIT) return;
    for (;;) {
      const { stock, sold } = (await this.#look([line]))[0]!;
      if (unitsLeft(stock, sold) >= units || !awaitsBlock(stock)) return;
      await this.#nextOf(id);
    }
  }

  #nextOf(id: string): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      waiting = Promise.withResolvers<void>();
      this.#waiting.set(id, waiting);
      this.wake();
    }
    return waiting.promise;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wake = Promise.withResolvers<void>();
      try {
        const next = await this.#choose();
        if (next === null) await this.#wake.promise;
        else await this.#provideOrPostpone(next.line, next.emission);
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  /** A line whose block has failed stands behind all others until one of its blocks succeeds. */
  async #provideOrPostpone(line: Line, emission: StockedEmission): Promise<void> {
    const id = lineId(line);
    try {
      await this.#provide(line, emission);
      this.#failed.delete(id);
    } catch (error) {
      this.#failed.add(id);
      throw error;
    }
  }

  async #pauseAfter(error: unknown): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const { report, clock } = this.#context;
    report(`a block could not be prepared, trying again: ${error instanceof Error ? error.message : String(error)}`);
    await pause(clock, PAUSE_AFTER_FAILURE_MS, signal).catch(() => {});
  }

  /** The most urgent line and its emission, null when all are supplied. Contents of exhausted blocks are wiped here. */
  async #choose(): Promise<{ line: Line; emission: StockedEmission } | null> {
    const views = await this.#look(this.#context.regulations.lines());
    this.#context.vault.keepOnly(new Set(views.flatMap(({ stock }) => blocksOf(stock)).map(({ blockId }) => blockId)));
    let most = Number.NEGATIVE_INFINITY;
    let chosen: { line: Line; emission: StockedEmission } | null = null;
    for (const { line, stock, sold } of views) {
      const id = lineId(line);
      this.#opener.attend(line, stock);
      const urgent = urgency(stock, sold, this.#waiting.has(id));
      const emission = nextWanted(stock);
      if (urgent === null || emission === null) continue;
      const rank = this.#failed.has(id) ? urgent - BEHIND_ALL : urgent;
      if (rank <= most) continue;
      most = rank;
      chosen = { line, emission };
    }
    return chosen;
  }

  /** Lines as they are after everything that was decided before; read through the lane, so that is also stored. */
  #look(lines: readonly Line[]): Promise<LineView[]> {
    const { opened, vault } = this.#context;
    return decided(
      opened.lane,
      lines.map((line) => lookAt(line, vault)),
    );
  }

  async #provide(line: Line, emission: StockedEmission): Promise<void> {
    const { random, prepare, regulations, sealed, vault, clock, report } = this.#context;
    const { emissionId, stakeCents } = emission;
    const regulation = regulations.get(emission.regulation);
    const since = clock.now();
    const blockId = uuidV7(since, random(10));
    const secret = random(SECRET_BYTES);
    const prepared = await prepare({ tables: regulation, stakeCents, blockId, secret }, this.#stopping.signal);
    const sealedAt = timeText(clock.now());
    await sealed.store({ blockId, emissionId, regulation: regulation.id, stakeCents, secret, prepared, sealedAt });
    vault.put(unsealed({ blockId, secret, deck: prepared.deck }, emission, line, regulations));
    const { root, size, tableDigest } = prepared;
    const entry = await this.#commit(line, {
      blockId,
      emissionId,
      regulation: regulation.id,
      regulationDigest: regulations.digestOf(regulation.id),
      stakeCents,
      size,
      tableDigest,
      mechanic: regulation.mechanic,
      root,
    });
    if (entry === null) {
      this.#provided(lineId(line));
      return sealed.discard(blockId);
    }
    report(`block ${blockId} of ${lineId(line)} is entry ${entry}, committed in ${clock.now() - since} ms`);
    await sealed.setEntry(blockId, entry);
  }

  /** What says that nothing was committed, a failed work or a lane that took none, forgets the block. */
  async #commit(line: Line, block: BlockOfEmission): Promise<number | null> {
    const { opened, sealed } = this.#context;
    try {
      const [entry] = await decided(opened.lane, [commitBlock(block, line, this.#context)]);
      return entry ?? null;
    } catch (error) {
      if (error instanceof WorkFailed || error instanceof LaneUnavailable) await sealed.discard(block.blockId);
      throw error;
    }
  }

  #provided(id: string): void {
    this.#waiting.get(id)?.resolve();
    this.#waiting.delete(id);
  }
}

function lookAt(line: Line, vault: Vault): Work<LineView> {
  return {
    get states() {
      return vault.states(line);
    },
    decide(draft) {
      const stock = draft.state(stocks, lineId(line));
      const sold = stock.open === null ? 0 : draft.state(blocks, stock.open.blockId).sold;
      return { answer: { line, stock, sold } };
    },
  };
}
