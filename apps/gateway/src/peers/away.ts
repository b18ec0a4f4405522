import { InternalProblem, Problem } from '#service';

export type PeerName = 'wallet' | 'issuance' | 'history';

/** 503 `wallet-away`, `issuance-away` or `history-away`: a service that this answer needs did not give one. */
export class Away extends Problem {
  constructor(
    readonly peer: PeerName,
    cause: unknown,
  ) {
    super(503, `${peer}-away`, `What the ${peer} knows is needed for this answer, and it is away; try again shortly.`, {
      headers: { 'retry-after': '1' },
      cause,
    });
    this.name = 'Away';
  }
}

/** A peer's answer. Rejects with the InternalProblem that it refuses with (4xx), and with Away for everything else. */
export async function answerOf<Answer>(peer: PeerName, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof InternalProblem && error.status < 500) throw error;
    throw new Away(peer, error);
  }
}

/** True for a refusal of this name by a peer. */
export function isRefusal(error: unknown, problem: string): error is InternalProblem {
  return error instanceof InternalProblem && error.problem === problem;
}
