import type { Lane, LaneAnswer, Work } from '#event-sourcing';
import { runOneInLane } from '#service';

/** A work was not done, and nothing of it is stored. */
export class WorkFailed extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'WorkFailed';
  }
}

/** The answers of works without keys, once they are stored; rejects with WorkFailed for the first that was not done. */
export async function decided<Answer>(lane: Lane, works: readonly Work<Answer>[]): Promise<Answer[]> {
  const answers = await lane.run(works);
  return answers.map((answer) => {
    if (answer.kind === 'failed') throw new WorkFailed(answer.error);
    return withoutKey(answer);
  });
}

/**
 * Runs one work of a caller who waits for its answer. A lane that is full or stopping has done nothing, and the caller
 * gets 503 `unavailable`.
 */
export async function runInLane<Answer>(lane: Lane, work: Work<Answer>): Promise<Answer> {
  return withoutKey(await runOneInLane(lane, work));
}

function withoutKey<Answer>(answer: Exclude<LaneAnswer<Answer>, { readonly kind: 'failed' }>): Answer {
  if (answer.kind !== 'decided') throw new Error(`a work without a key was answered as ${answer.kind}`);
  return answer.answer;
}
