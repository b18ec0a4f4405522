import { showPlay } from '../drawing/show-play.ts';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { request, successOf } from '../request.ts';
import { findPlatform } from '../running-platform.ts';
import { fetchToken } from './token.ts';

/** A play of `--player` again, exactly as it was drawn (REG-4.2): `last`, or its id. */
export async function watch([which = '']: readonly string[], options: Options): Promise<void> {
  if (!options.player) throw new Failure('say whose play it is with --player, for instance --player demo-1', 2);
  const platform = findPlatform(options);
  const token = await fetchToken(platform, options.player);
  const path = `/api/v1/plays/${encodeURIComponent(which)}`;
  showPlay(successOf(await request(`${platform.gatewayUrl}${path}`, { token })));
}
