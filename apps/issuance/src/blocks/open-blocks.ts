import { type Clock, type Lane, pause, type Work } from '#event-sourcing';
import { type Commitment, type SigningKey, signOpening } from '#fairness';
import { oneLine } from '#service';
import type { Beacon } from '../beacon/beacon.ts';
import { emissions } from '../emissions/emission.ts';
import { decided } from '../in-lane.ts';
import { blockCards } from './commit-block.ts';
import { type OpeningDates, openNextBlock } from './open-block.ts';
import { type Line, lineId, type Stock, type StockedBlock, stocks, withAcknowledgement, withOpening } from './stock.ts';
import type { Vault } from './vault.ts';

export interface OpenContext {
  /** `acknowledged` resolves when the bus has taken everything that is appended when it is called. */
  readonly opened: { readonly lane: Lane; readonly acknowledged: (stopping: AbortSignal) => Promise<void> };
  readonly vault: Vault;
  readonly key: SigningKey;
  readonly opensOn: OpeningDates;
  readonly beacon: Beacon;
  readonly clock: Clock;
  readonly report: (line: string) => void;
}

const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * Takes blocks from their commitment to where they can be sold: the commitment is on the bus before the contribution is
 * drawn, and the opening before the first sale. Each block by itself and in the background, since a contribution may take
 * a minute to become public.
 */
export class BlockOpener {
  readonly #under = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  /** @param onSaleable told when one more block of a line can be sold */
  constructor(
    private readonly context: OpenContext,
    private readonly onSaleable: (line: Line) => void,
  ) {}

  /** Sees to every block of the line that waits for something, unless that is under way. */
  attend(line: Line, stock: Stock): void {
    if (this.#stopping.signal.aborted) return;
    for (const block of stock.ready) {
      if (block.waitsFor === undefined || this.#under.has(block.blockId)) continue;
      const done = this.#bring(line, block).finally(() => this.#under.delete(block.blockId));
      this.#under.set(block.blockId, done);
    }
  }

  /** Resolves when nothing is under way any more. What was not finished is taken up at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the opening of blocks has stopped'));
    await Promise.all(this.#under.values());
  }

  /** Tries without end: a beacon, a bus or a database that is away only delays. */
  async #bring(line: Line, block: StockedBlock): Promise<void> {
    const { signal } = this.#stopping;
    let waitsFor = block.waitsFor;
    while (!signal.aborted) {
      try {
        await this.context.opened.acknowledged(signal);
        if (waitsFor === 'opening') {
          await this.#open(line, block.blockId);
          waitsFor = 'bus';
        } else {
          await decided(this.context.opened.lane, [sellBlock(block.blockId, line, this.context)]);
          this.onSaleable(line);
          return;
        }
      } catch (error) {
        if (signal.aborted) return;
        this.context.report(`block ${block.blockId} cannot be opened yet, trying again: ${oneLine(error)}`);
        await pause(this.context.clock, PAUSE_AFTER_FAILURE_MS, signal).catch(() => {});
      }
    }
  }

  async #open(line: Line, blockId: string): Promise<void> {
    const { beacon, opened, report } = this.context;
    const [commitment] = await decided(opened.lane, [readCommitment(blockId)]);
    if (!commitment) throw new Error('its commitment is not on record');
    const promised = commitment.contribution;
    const value = promised === null ? null : await beacon.draw(promised, this.#stopping.signal);
    const [start] = await decided(opened.lane, [openBlock(blockId, line, value, this.context)]);
    report(`block ${blockId} of ${lineId(line)} is drawn: its sale starts at unit ${start}`);
  }
}

function readCommitment(blockId: string): Work<Commitment | null> {
  return {
    states: [{ subject: blockCards, id: blockId }],
    decide: (draft) => ({ answer: draft.state(blockCards, blockId)?.commitment ?? null }),
  };
}

/** Gives a block that waits its opening, from the contribution's value (hex, null without one); answers its start. */
function openBlock(blockId: string, line: Line, value: string | null, { vault, key }: OpenContext): Work<number> {
  return {
    get states() {
      return [{ subject: blockCards, id: blockId }, ...vault.states(line)];
    },
    decide(draft) {
      const stock = draft.state(stocks, lineId(line));
      const card = draft.state(blockCards, blockId);
      const block = stock.ready.find((one) => one.blockId === blockId);
      if (card === null || block?.waitsFor !== 'opening') return { answer: block?.start ?? 0 };
      const { committedAt } = card.commitment;
      let openedAt = draft.at;
      // A clock that has gone back does not make the times of a block fall.
      if (openedAt < committedAt) openedAt = committedAt;
      const opening = value === null ? null : signOpening(card.commitment, value, openedAt, key);
      const start = opening?.start ?? 0;
      draft.emit(emissions, block.emissionId, { type: 'BlockOpened', blockId, start, opening, openedAt });
      draft.put(blockCards, blockId, { ...card, opening });
      draft.put(stocks, lineId(line), withOpening(stock, blockId, start));
      return { answer: start };
    },
  };
}

/** Lets a block that has its opening be sold when its turn comes, which may be now. */
function sellBlock(blockId: string, line: Line, { vault, opensOn }: OpenContext): Work<null> {
  return {
    get states() {
      return vault.states(line);
    },
    decide(draft) {
      const stock = draft.state(stocks, lineId(line));
      if (stock.ready.some((one) => one.blockId === blockId && one.waitsFor === 'bus')) {
        draft.put(stocks, lineId(line), withAcknowledgement(stock, blockId));
        openNextBlock(draft, line, opensOn);
      }
      return { answer: null };
    },
  };
}
