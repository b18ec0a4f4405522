import { type Lane, type LaneAnswer, LaneUnavailable, type Work } from '#event-sourcing';
import { unavailable } from './problem.ts';

/** Runs works in the lane; one that is full or stopping has done nothing, and the caller gets 503 `unavailable`. */
export async function runInLane<Answer>(lane: Lane, works: readonly Work<Answer>[]): Promise<LaneAnswer<Answer>[]> {
  try {
    return await lane.run(works);
  } catch (error) {
    if (error instanceof LaneUnavailable) throw unavailable('unavailable', `Nothing was done: ${error.message}.`);
    throw error;
  }
}

/** Runs one work; what it failed with is thrown. */
export async function runOneInLane<Answer>(
  lane: Lane,
  work: Work<Answer>,
): Promise<Exclude<LaneAnswer<Answer>, { readonly kind: 'failed' }>> {
  const [answer] = await runInLane(lane, [work]);
  if (answer === undefined) throw new Error('the lane gave no answer');
  if (answer.kind === 'failed') throw answer.error;
  return answer;
}
