import { type SignedHead, type SigningKey, signHead } from '#fairness';
import { type Clock, systemClock, timeText } from './clock.ts';
import type { DomainEvent, Subject } from './decider.ts';
import type { EventLog, RecordedEvent } from './event-log.ts';
import type { HeadFile } from './head-file.ts';
import type { Lane, Work } from './lane.ts';

export type LogHeadSigned = DomainEvent & { readonly type: 'LogHeadSigned' } & SignedHead;

/** The stream `log`: how many heads have been signed. */
const signedHeads: Subject<{ readonly signed: number }, LogHeadSigned> = {
  name: 'log',
  initial: { signed: 0 },
  evolve: (state) => ({ signed: state.signed + 1 }),
};

export interface HeadSignerOptions {
  /** Of purpose `log`. */
  readonly key: SigningKey;
  readonly file: HeadFile;
  /** What kept a head from being signed; the next minute tries again. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
  /** Default one minute. */
  readonly everyMs?: number;
}

/**
 * Signs the log's head every minute in which anything was appended, and at stop: into the file outside the database, then into the
 * log itself. Feed `appended` from the lane's hook; the signing event itself counts as nothing.
 */
export class HeadSigner {
  readonly #clock: Clock;
  #dirty = false;
  #cancel: (() => void) | null = null;
  #signing: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: Pick<EventLog, 'head' | 'read'>,
    private readonly lane: Lane,
    private readonly options: HeadSignerOptions,
  ) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Begins; what the last process appended and did not sign is signed within the first minute. */
  async start(): Promise<void> {
    const { position } = await this.log.head();
    if (position > 0) this.appended(await this.log.read(position - 1, 1));
    this.#schedule();
  }

  appended(events: readonly RecordedEvent[]): void {
    this.#dirty ||= events.some(({ type }) => type !== 'LogHeadSigned');
  }

  /** Signs what has not been signed yet. Stop it before the lane, which takes the last event. */
  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#sign();
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.options.everyMs ?? 60_000, () => {
      this.#schedule();
      void this.#sign();
    });
  }

  /** One at a time: two heads signed at once would stand in the file in any order. */
  #sign(): Promise<void> {
    this.#signing = this.#signing.then(() => this.#signOnce()).catch((error) => this.options.onError(error));
    return this.#signing;
  }

  async #signOnce(): Promise<void> {
    if (!this.#dirty) return;
    this.#dirty = false;
    try {
      const { logId, epoch, position, chain } = await this.log.head();
      const signedAt = timeText(this.#clock.now());
      const head = signHead({ logId, epoch, position, chain, signedAt }, this.options.key);
      await this.options.file.add(head);
      const [answer] = await this.lane.run([recordHead(head)]);
      if (answer?.kind === 'failed') throw answer.error;
    } catch (error) {
      this.#dirty = true;
      throw error;
    }
  }
}

function recordHead(head: SignedHead): Work<null> {
  return {
    states: [{ subject: signedHeads, id: '' }],
    decide(draft) {
      draft.emit(signedHeads, '', { type: 'LogHeadSigned', ...head });
      return { answer: null };
    },
  };
}
