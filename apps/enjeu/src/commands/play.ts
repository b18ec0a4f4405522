import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cents, formatEuros } from '#money';
import { showPlay } from '../drawing/show-play.ts';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { type Answer, request, successOf } from '../request.ts';
import { findPlatform } from '../running-platform.ts';
import { stakeOf } from './stake.ts';
import { fetchToken } from './token.ts';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;

/** One play from the terminal: stakes, waits for the outcome whatever is restarted meanwhile, and draws it. */
export async function play([game, stake]: readonly string[], options: Options): Promise<void> {
  if (!options.player) throw new Failure('say who plays with --player, for instance --player demo-1', 2);
  const stakeCents = stakeOf(stake ?? '');
  const platform = findPlatform(options);
  const token = await fetchToken(platform, options.player);
  const api = `${platform.gatewayUrl}/api/v1`;
  const settled = await settledPlay(api, token, { game, stakeCents, ...(options.mode ? { mode: options.mode } : {}) });
  const wallet = successOf(await request(`${api}/wallet`, { token }));
  showPlay(settled);
  if (settled.blockId) console.log(`  unit     ${settled.unitIndex} of block ${settled.blockId}`);
  console.log(`  balance  ${formatEuros(cents(wallet.availableCents))} EUR`);
}

/** The same key is sent until an answer came: however often, the stake is debited once. */
async function settledPlay(api: string, token: string, body: object): Promise<Answer['body']> {
  const headers = { 'idempotency-key': randomUUID() };
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await request(`${api}/plays`, { method: 'POST', token, body, headers }).catch(
      (failure: Failure) => failure,
    );
    if (!(answer instanceof Failure)) {
      if (answer.status === 201) return answer.body;
      if (answer.status !== 202 && answer.status !== 503) return successOf(answer);
    }
    if (Date.now() > deadline) {
      throw answer instanceof Failure
        ? answer
        : new Failure('the outcome is still on its way; it will stand in the history: GET /api/v1/plays/last');
    }
    await pause(PAUSE_MS);
  }
}
