import { writeFileSync } from 'node:fs';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { request, successOf } from '../request.ts';
import { findPlatform } from '../running-platform.ts';
import { fetchToken } from './token.ts';

/** The receipt of a play of `--player`, `last` or its id, printed or written to `--out`. */
export async function receipt([which = '']: readonly string[], options: Options): Promise<void> {
  if (!options.player) throw new Failure('say whose play it is with --player, for instance --player demo-1', 2);
  const platform = findPlatform(options);
  const token = await fetchToken(platform, options.player);
  const plays = `${platform.gatewayUrl}/api/v1/plays`;
  const { playId } = successOf(await request(`${plays}/${encodeURIComponent(which)}`, { token }));
  const body = successOf(await request(`${plays}/${playId}/receipt`, { token }));
  const text = `${JSON.stringify(body, null, 2)}\n`;
  if (options.out === undefined) process.stdout.write(text);
  else write(options.out, text);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Failure(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
  console.log(`${file} holds the receipt; verify it with \`npx enjeu verify ${file}\``);
}
