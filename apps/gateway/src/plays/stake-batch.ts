import type { StakeDecision, StakeToDebit } from '#contracts';

export interface StakeBatchOptions {
  /** Passes stakes on to the wallet; one decision each, in order. */
  readonly send: (stakes: readonly StakeToDebit[]) => Promise<readonly StakeDecision[]>;
  /** Stakes in one call at most. Default 500. */
  readonly largest?: number;
  /** Calls in flight at most: while one is being stored the next is read. Default 2. */
  readonly concurrent?: number;
  readonly now: () => number;
  /** Stakes that may wait for a call. Default 10,000. */
  readonly queued?: number;
}

/** Too many stakes wait, or this one has waited for too long: it was not passed on, so nothing was debited. */
export class TooManyStakes extends Error {
  constructor() {
    super('too many stakes wait to be passed on');
    this.name = 'TooManyStakes';
  }
}

interface Queued {
  readonly stake: StakeToDebit;
  readonly deadline: number;
  readonly resolve: (decision: StakeDecision) => void;
  readonly reject: (error: unknown) => void;
}

/** Stakes that arrive in one turn of the loop, or while the calls in flight are busy, become one internal call. */
export class StakeBatch {
  readonly #send: StakeBatchOptions['send'];
  readonly #now: () => number;
  readonly #largest: number;
  readonly #concurrent: number;
  readonly #mostQueued: number;
  readonly #queue: Queued[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(options: StakeBatchOptions) {
    this.#send = options.send;
    this.#now = options.now;
    this.#largest = options.largest ?? 500;
    this.#concurrent = options.concurrent ?? 2;
    this.#mostQueued = options.queued ?? 10_000;
  }

  /**
   * The wallet's decision. Rejects with TooManyStakes, or with what the call failed with: then it may have been debited.
   * @param deadline when it is no longer passed on, in milliseconds of the clock
   */
  debit(stake: StakeToDebit, deadline = Number.POSITIVE_INFINITY): Promise<StakeDecision> {
    if (this.#queue.length >= this.#mostQueued) return Promise.reject(new TooManyStakes());
    return new Promise((resolve, reject) => {
      this.#queue.push({ stake, deadline, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#inFlight >= this.#concurrent) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#queue.length > 0 && this.#inFlight < this.#concurrent) {
        const batch = this.#next();
        if (batch.length > 0) void this.#pass(batch);
      }
    });
  }

  /** The next stakes that somebody still waits for. */
  #next(): Queued[] {
    const now = this.#now();
    const batch: Queued[] = [];
    let passed = 0;
    for (; passed < this.#queue.length && batch.length < this.#largest; passed++) {
      const queued = this.#queue[passed] as Queued;
      if (queued.deadline > now) batch.push(queued);
      else queued.reject(new TooManyStakes());
    }
    this.#queue.splice(0, passed);
    return batch;
  }

  async #pass(batch: readonly Queued[]): Promise<void> {
    this.#inFlight += 1;
    try {
      const decisions = await this.#send(batch.map(({ stake }) => stake));
      if (decisions.length !== batch.length) throw new Error('the wallet did not decide each stake');
      batch.forEach(({ resolve }, at) => {
        resolve(decisions[at] as StakeDecision);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#inFlight -= 1;
      this.#schedule();
    }
  }
}
