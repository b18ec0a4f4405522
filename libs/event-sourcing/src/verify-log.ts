import { createHash } from 'node:crypto';
import { type KeySet, type SignedHead, verifyHead } from '#fairness';
import { canonicalLine, firstChain, nextChain } from './chain.ts';
import type { EventLog, LogHead, RecordedEvent } from './event-log.ts';

/** One append as the log's table of batches keeps it; digest and chain are lower-case hex. */
export interface Batch {
  readonly first: number;
  readonly last: number;
  readonly digest: string;
  readonly chain: string;
}

/** A log as whoever checks it reads it. */
export interface LogReader extends Pick<EventLog, 'head' | 'read'> {
  /** Batches that end above `after`, in order, at most `limit`. */
  batches(after: number, limit: number): Promise<Batch[]>;
  /** The lowest and highest position of any row, whatever the head says; 1 and 0 in an empty log. */
  bounds(): Promise<{ readonly lowest: number; readonly highest: number }>;
}

export type LogFault =
  /** An event, or its batch, does not have the digest that was stored with it. */
  | 'row-changed'
  | 'row-removed'
  | 'row-inserted'
  /** The stored batches or the head do not follow from each other. */
  | 'chain-broken'
  /** A signed head is malformed, or not signed by a key of purpose `log` valid at its time. */
  | 'head-signature-wrong'
  /** A signed head says another chain than the log has at its position. */
  | 'head-differs'
  /** The newest signed head is above the log's own: the tail was cut off. */
  | 'tail-cut';

export interface VerifiedLog {
  readonly head: LogHead;
  readonly events: number;
  readonly batches: number;
  /** Signed heads that were found and agree, of the file and of the log itself. */
  readonly heads: number;
  /** The first thing that is wrong, or null. */
  readonly fault: { readonly kind: LogFault; readonly position: number; readonly detail: string } | null;
}

export interface VerifyOptions {
  /** Lines of the file of signed heads, parsed, in their order. */
  readonly signedHeads: Iterable<unknown> | AsyncIterable<unknown>;
  readonly keys: KeySet;
  readonly onProgress?: (position: number, of: number) => void;
  /** Rows in memory at a time. Default 2,000. */
  readonly page?: number;
}

/**
 * Reads a whole log again and compares it with its chain, with the heads signed inside it and with those in the file
 * outside the database. The log may grow meanwhile. Memory is bounded by one page. Stops at the first fault.
 */
export async function verifyLog(log: LogReader, options: VerifyOptions): Promise<VerifiedLog> {
  const verifier = new Verifier(log, options);
  try {
    await verifier.run();
    return verifier.result(null);
  } catch (error) {
    if (error instanceof Fault) return verifier.result(error);
    throw error;
  }
}

class Fault extends Error {
  constructor(
    readonly kind: LogFault,
    readonly position: number,
    readonly detail: string,
  ) {
    super(detail);
  }
}

class Verifier {
  readonly #page: number;
  readonly #heads: AsyncIterator<unknown> | Iterator<unknown>;
  #head: LogHead = { logId: '', epoch: 0, position: 0, chain: '' };
  #next: SignedHead | null = null;
  #events: readonly RecordedEvent[] = [];
  #read = 0;
  #position = 0;
  #chain = '';
  #batches = 0;
  #agreeing = 0;

  constructor(
    private readonly log: LogReader,
    private readonly options: VerifyOptions,
  ) {
    this.#page = options.page ?? 2_000;
    const { signedHeads } = options;
    this.#heads =
      Symbol.asyncIterator in signedHeads ? signedHeads[Symbol.asyncIterator]() : signedHeads[Symbol.iterator]();
  }

  result(fault: Fault | null): VerifiedLog {
    return {
      head: this.#head,
      events: this.#position,
      batches: this.#batches,
      heads: this.#agreeing,
      fault: fault && { kind: fault.kind, position: fault.position, detail: fault.detail },
    };
  }

  async run(): Promise<void> {
    const bounds = await this.log.bounds();
    // After the bounds: the log may have grown in between, and only then is everything up to them below the head.
    this.#head = await this.log.head();
    this.#chain = firstChain(this.#head.logId);
    if (bounds.lowest < 1) throw new Fault('row-inserted', bounds.lowest, 'an event stands before the first position');
    if (bounds.highest > this.#head.position) {
      throw new Fault('row-inserted', bounds.highest, `an event stands above the head, ${this.#head.position}`);
    }
    await this.#advanceHead();
    await this.#compareHeads();
    do await this.#upToHead();
    while (await this.#hasGrownToNextHead());
    if (this.#next) {
      const { position, signedAt } = this.#next;
      const detail = `a head was signed at position ${position} on ${signedAt}; the log ends before`;
      throw new Fault('tail-cut', this.#position, detail);
    }
  }

  async #upToHead(): Promise<void> {
    for await (const batch of this.#batchesUpToHead()) await this.#batch(batch);
    const { position, chain } = this.#head;
    if (this.#position !== position) {
      throw new Fault('row-removed', this.#position + 1, `the batches end here, the head is ${position}`);
    }
    if (this.#chain !== chain) throw new Fault('chain-broken', position, 'the head has another chain');
  }

  /** A running service signs on: a head in the file that is newer than where we began is no cut tail. */
  async #hasGrownToNextHead(): Promise<boolean> {
    if (!this.#next) return false;
    this.#head = await this.log.head();
    return this.#head.position >= this.#next.position;
  }

  async *#batchesUpToHead(): AsyncGenerator<Batch> {
    while (this.#position < this.#head.position) {
      const page = await this.log.batches(this.#position, this.#page);
      for (const batch of page) {
        if (batch.last > this.#head.position) return;
        yield batch;
      }
      this.options.onProgress?.(this.#position, this.#head.position);
      if (page.length === 0) return;
    }
  }

  async #batch(batch: Batch): Promise<void> {
    if (batch.first !== this.#position + 1) {
      const kind = batch.first > this.#position + 1 ? 'row-removed' : 'row-inserted';
      throw new Fault(kind, this.#position + 1, `a batch begins at ${batch.first}, expected ${this.#position + 1}`);
    }
    const hash = createHash('sha256');
    for (let position = batch.first; position <= batch.last; position++) {
      const event = await this.#nextEvent(position);
      await this.#event(event, batch);
      hash.update(`${canonicalLine(event)}\n`, 'utf8');
    }
    const digest = hash.digest();
    if (digest.toString('hex') !== batch.digest) {
      throw new Fault('row-changed', batch.first, `positions ${batch.first} to ${batch.last} have another digest`);
    }
    this.#chain = nextChain(this.#chain, digest);
    if (this.#chain !== batch.chain) throw new Fault('chain-broken', batch.first, 'this batch has another chain');
    this.#position = batch.last;
    this.#batches++;
    await this.#compareHeads();
  }

  /** The event at a position, from a page that is read ahead across batches. */
  async #nextEvent(position: number): Promise<RecordedEvent> {
    if (this.#read === this.#events.length) {
      this.#events = await this.log.read(position - 1, this.#page);
      this.#read = 0;
    }
    const event = this.#events[this.#read++];
    if (event?.position !== position) throw new Fault('row-removed', position, 'there is no event at this position');
    return event;
  }

  async #event(event: RecordedEvent, batch: Batch): Promise<void> {
    if (event.batch !== batch.first) {
      throw new Fault('row-changed', event.position, `its batch is ${batch.first}, it says ${event.batch}`);
    }
    if (event.type === 'LogHeadSigned') await this.#signedInside(event);
  }

  /** A head that was signed into the log speaks of an earlier position, which has been compared by now. */
  async #signedInside(event: RecordedEvent): Promise<void> {
    const head = this.#signed(parsed(event.data), event.position);
    const [batch] = await this.log.batches(head.position - 1, 1);
    const chain =
      head.position === 0 ? firstChain(this.#head.logId) : batch?.last === head.position ? batch.chain : null;
    if (head.position >= event.position || chain !== head.chain) {
      throw new Fault(
        'head-differs',
        event.position,
        `the head that was signed here, of position ${head.position}, differs`,
      );
    }
    this.#agreeing++;
  }

  /** Compares every head of the file that speaks of the position reached. */
  async #compareHeads(): Promise<void> {
    while (this.#next && this.#next.position <= this.#position) {
      const { position, chain } = this.#next;
      if (position < this.#position || chain !== this.#chain) {
        throw new Fault('head-differs', position, `the head signed on ${this.#next.signedAt} differs from the log`);
      }
      this.#agreeing++;
      await this.#advanceHead();
    }
  }

  async #advanceHead(): Promise<void> {
    const { done, value } = await this.#heads.next();
    this.#next = done ? null : this.#signed(value, this.#position);
  }

  #signed(value: unknown, position: number): SignedHead {
    const checked = verifyHead(value, this.options.keys);
    if ('refused' in checked)
      throw new Fault('head-signature-wrong', position, `${checked.refused}: ${checked.detail}`);
    const head = checked.accepted;
    if (head.logId !== this.#head.logId) {
      throw new Fault('head-differs', position, `a head of another log, ${head.logId}`);
    }
    return head;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
