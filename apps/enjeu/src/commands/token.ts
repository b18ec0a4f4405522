import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { findPlatform, type RunningPlatform } from '../running-platform.ts';

const PATIENCE_MS = 15_000;

interface TokenAnswer {
  readonly access_token?: string;
  readonly error_description?: string;
  readonly error?: string;
}

/** Prints an access token of a demo player, or with `--role` of an operator. */
export async function token([subject]: readonly string[], options: Options): Promise<void> {
  console.log(await fetchToken(findPlatform(options), subject ?? '', options.role));
}

/** Asks the embedded OpenID provider; a Failure where it knows no such player or role. */
export async function fetchToken(platform: RunningPlatform, subject: string, role?: string): Promise<string> {
  const body = await fetch(`${platform.identityUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`enjeu-cli:${platform.cliSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'urn:enjeu:grant:demo', subject, ...(role ? { role } : {}) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
    .then((response) => response.json() as Promise<TokenAnswer>)
    .catch(() => {
      throw new Failure(
        `the identity provider at ${platform.identityUrl} does not answer; look at its log in the data folder`,
      );
    });
  if (!body.access_token)
    throw new Failure(`no token for ${JSON.stringify(subject)}: ${body.error_description ?? body.error}`);
  return body.access_token;
}
