import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestPlatform } from './platform.ts';

/** What a player's app does: the same key until an answer came; each answer is what the player was told. */
export interface Told {
  readonly playId: string;
  readonly player: string;
  readonly status: number;
}

const OFFERS = [
  ['sudoku', 50],
  ['sudoku', 100],
  ['pharaon', 50],
  ['pharaon', 200],
] as const;

/** Plays with every token at once until `stop` is called, through whatever breaks meanwhile. */
export function startTraffic(platform: TestPlatform, tokens: ReadonlyMap<string, string>) {
  let going = true;
  const told: Told[] = [];
  const odd: string[] = [];
  const players = [...tokens].map(async ([player, token]) => {
    for (let n = 0; going; n += 1) {
      const [game, stakeCents] = OFFERS[n % OFFERS.length] ?? OFFERS[0];
      const answer = await untilAnswered(platform, token, game, stakeCents);
      if (answer.status === 201 || answer.status === 202)
        told.push({ playId: answer.body.playId, player, status: answer.status });
      else if (answer.body?.type === 'urn:enjeu:problem:balance-too-low') return;
      else odd.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    }
  });
  return {
    told,
    odd,
    async stop(): Promise<void> {
      going = false;
      await Promise.all(players);
    },
  };
}

/** The same key again after a dropped connection or a 503, for at most two minutes. */
async function untilAnswered(platform: TestPlatform, token: string, game: string, stakeCents: number) {
  const key = randomUUID();
  for (const deadline = Date.now() + 120_000; ; await pause(200)) {
    const answer = await platform.play(token, game, stakeCents, key).catch(() => null);
    if (answer && answer.status !== 503) return answer;
    if (Date.now() > deadline)
      throw new Error(`no answer for the key ${key} of ${game}: ${JSON.stringify(answer?.body)}`);
  }
}

/** Waits until no play of these players is pending in the history any more. */
export async function untilSettled(platform: TestPlatform, tokens: ReadonlyMap<string, string>): Promise<void> {
  for (const token of tokens.values()) {
    for (const deadline = Date.now() + 60_000; ; await pause(200)) {
      const statuses = await allPlays(platform, token).then(
        (plays) => plays.map(({ status }) => status),
        () => ['unknown'],
      );
      if (!statuses.includes('pending') && !statuses.includes('unknown')) break;
      if (Date.now() > deadline) throw new Error(`still pending after a minute: ${statuses.join(', ')}`);
    }
  }
}

/** Every play of the history, page by page. */
export async function allPlays(platform: TestPlatform, token: string): Promise<{ playId: string; status: string }[]> {
  const plays: { playId: string; status: string }[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await platform.call('GET', `/api/v1/plays${query}`, { token });
    if (status !== 200) throw new Error(`GET /plays answered ${status} ${JSON.stringify(body)}`);
    plays.push(...body.items);
    cursor = body.next;
  } while (cursor !== null);
  return plays;
}
