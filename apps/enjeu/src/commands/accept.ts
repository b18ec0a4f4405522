import { randomUUID } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Command } from '../main.ts';
import { request, successOf } from '../request.ts';
import { findPlatform } from '../running-platform.ts';
import { fetchToken } from './token.ts';

/** A player's acceptance of a regulation, which comes before his first stake under it (REG-5.1); twice is like once. */
export const accept: Command = async ([regulation = ''], options) => {
  if (!options.player) throw new Failure('say who accepts with --player, for instance --player demo-1', 2);
  const platform = findPlatform(options);
  const token = await fetchToken(platform, options.player);
  const headers = { 'idempotency-key': randomUUID() };
  const url = `${platform.gatewayUrl}/api/v1/acceptances`;
  successOf(await request(url, { method: 'POST', token, headers, body: { regulation } }));
  console.log(`${options.player} has accepted ${regulation}`);
};
