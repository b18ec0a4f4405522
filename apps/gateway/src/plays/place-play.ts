import type { PlayRecord, StakeDecision, StakeRefusal } from '#contracts';
import type { Clock } from '#event-sourcing';
import { Problem, unavailable } from '#service';
import type { History } from '../peers/history.ts';
import type { Wallet } from '../peers/wallet.ts';
import type { Outcomes } from './outcomes.ts';
import type { PlayRequest } from './play-request.ts';
import { pending } from './sighting.ts';
import { type StakeBatch, TooManyStakes } from './stake-batch.ts';
import type { Delay } from './waiting-plays.ts';

export interface PlacePlayOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** How long an answer waits for the outcome. Default 2,000. */
  readonly wait_ms?: number;
}

/** How long a debit may take to pass here, or to be found, after the wait for its answer. */
const GRACE_MS = 300;

type Order = PlayRequest & { readonly playId: string; readonly playerId: string; readonly key: string };

/** A stake becomes a play: passed on under an id that whoever waits for the outcome knows already. */
export class PlacePlay {
  readonly #wait_ms: number;

  constructor(
    private readonly stakes: StakeBatch,
    private readonly outcomes: Outcomes,
    private readonly wallet: Wallet,
    private readonly history: History,
    private readonly options: PlacePlayOptions,
  ) {
    this.#wait_ms = options.wait_ms ?? 2_000;
  }

  /**
   * The play as it stands when it is complete, or when the wait is over: settled, else pending. A problem is answered
   * only when nothing was debited, or when it is not known (503 `outcome-unknown`: the client repeats the same key).
   */
  async place(playerId: string, key: string, request: PlayRequest): Promise<PlayRecord> {
    const delay = this.outcomes.delay(playerId, key);
    if (delay !== null) throw delayed(delay);
    const playId = this.options.newId();
    if (!this.outcomes.register(playId, playerId, key)) throw tooBusy();
    const order: Order = { ...request, playId, playerId, key };
    const deadline = this.options.clock.now() + this.#wait_ms;
    const decision = await this.#before(deadline, this.#decision(order, deadline));
    if (decision === null) return this.#unanswered(order, deadline);
    if (decision.kind !== 'debited') throw refusal(decision);
    return this.#present({ ...order, playId: decision.playId }, decision.playId !== playId, deadline);
  }

  /** The wallet's decision, noted also when it comes late; null where it is not known whether it has decided. */
  async #decision(order: Order, deadline: number): Promise<StakeDecision | null> {
    const { playId, playerId, key, game, stakeCents, mode, requestHash } = order;
    const stake = { playId, playerId, game, stakeCents, mode, idempotencyKey: key, requestHash };
    try {
      const decision = await this.stakes.debit(stake, deadline);
      if (decision.kind !== 'debited' || decision.playId !== playId) this.outcomes.forget(playId);
      if (decision.kind === 'debited') this.outcomes.debited(decision.playId, playerId, key);
      return decision;
    } catch (error) {
      if (!(error instanceof TooManyStakes)) return null;
      this.outcomes.forget(playId);
      throw tooBusy();
    }
  }

  /** The answer, or null when it does not come before the deadline. */
  async #before<Answer>(deadline: number, answer: Promise<Answer>): Promise<Answer | null> {
    const { clock } = this.options;
    const late = Promise.withResolvers<null>();
    const cancel = clock.after(Math.max(0, deadline - clock.now()), () => late.resolve(null));
    // A failure after the deadline has nobody left to be told to.
    answer.catch(() => {});
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      cancel();
    }
  }

  /** No word from the wallet itself; but where its debit or the outcome has passed, the play exists. */
  async #unanswered(order: Order, deadline: number): Promise<PlayRecord> {
    const grace = Math.min(deadline, this.options.clock.now() + GRACE_MS);
    if ((await this.outcomes.completed(order.playId, grace))?.debited) return this.#present(order, false, deadline);
    throw unavailable(
      'outcome-unknown',
      'The wallet did not answer; repeat the request with the same Idempotency-Key.',
      1,
    );
  }

  /** @param repeated the key was an earlier play's, whose events may have passed before anybody here waited for them */
  async #present(order: Order, repeated: boolean, deadline: number): Promise<PlayRecord> {
    if (repeated && !this.outcomes.find(order.playId)?.complete) void this.#askHistory(order.playId);
    const known = await this.outcomes.completed(order.playId, deadline);
    return known?.play ?? this.#ofDebit(order);
  }

  /** Whoever waits for the play is woken by what the history says of it. */
  async #askHistory(playId: string): Promise<void> {
    try {
      for (const play of await this.history.find([playId])) this.outcomes.told(play);
    } catch {
      // Without the history the answer is what passes here until the wait is over.
    }
  }

  /** The debited play of which no event has passed here: as the wallet has it, else as it was ordered. */
  async #ofDebit(order: Order): Promise<PlayRecord> {
    const asked = this.wallet.debitOf(order.playId).catch(() => null);
    const debit = await this.#before(this.options.clock.now() + GRACE_MS, asked);
    if (debit !== null) return pending(debit, debit.position);
    return pending({ ...order, placedAt: timeOf(order.playId) }, null);
  }
}

/** The time in a UUID of version 7: when the play was asked for, which is just before it was placed. */
function timeOf(playId: string): string {
  return new Date(Number.parseInt(playId.replaceAll('-', '').slice(0, 12), 16)).toISOString();
}

function delayed(delay: Delay): Problem {
  return delay === 'play-pending'
    ? unavailable(delay, 'Your play before this one still waits for its outcome; nothing was debited.', 5)
    : unavailable(delay, 'Plays are settled late at the moment, so no new ones are taken; nothing was debited.', 5);
}

function tooBusy(): Problem {
  return unavailable('too-busy', 'Too many plays are under way; nothing was debited, try again shortly.', 1);
}

function refusal(decision: Exclude<StakeDecision, { kind: 'debited' }>): Problem {
  switch (decision.kind) {
    case 'key-reused':
      return new Problem(422, 'idempotency-key-reused', 'This Idempotency-Key was used before for another request.');
    case 'failed':
      return unavailable('stake-failed', 'The stake could not be decided; nothing was debited, try again.', 1);
    case 'refused':
      return new Problem(409, decision.reason, REFUSALS[decision.reason], { members: membersOf(decision) });
  }
}

const REFUSALS: Readonly<Record<StakeRefusal, string>> = {
  'sale-not-open': 'This game is not on sale at this stake; nothing was debited.',
  'sale-suspended': 'The sale of this game is interrupted; nothing was debited.',
  'sale-closed': 'The sale of this game at this stake has ended; nothing was debited.',
  'regulation-not-accepted': 'Accept the regulation that `regulation` names first; nothing was debited.',
  'balance-too-low': 'Your available balance is below the stake; nothing was debited.',
  'account-unknown': 'Open an account first; nothing was debited.',
};

/** What the wallet's `detail` holds, under a name of its own: the regulation that is missing, or the sale's notice. */
function membersOf({ reason, detail }: Extract<StakeDecision, { kind: 'refused' }>): Record<string, unknown> {
  if (reason === 'regulation-not-accepted') return { regulation: detail };
  if (reason === 'sale-suspended' || reason === 'sale-closed') return { notice: noticeOf(detail) };
  return {};
}

function noticeOf(detail: string): unknown {
  try {
    return JSON.parse(detail);
  } catch {
    return null;
  }
}
