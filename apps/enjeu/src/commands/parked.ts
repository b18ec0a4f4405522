import type { ParkedResponse, SendAgainResponse } from '#contracts';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { request, successOf } from '../request.ts';
import { findPlatform, ofService } from '../running-platform.ts';

/** Prints the records that a service has set aside, each with its reason; with `--send-again` has them handled again. */
export async function parked([service = '']: readonly string[], options: Options): Promise<void> {
  const platform = findPlatform(options);
  const url = ofService(platform.serviceUrls, service);
  if (!url) {
    throw new Failure(`${JSON.stringify(service)} parks nothing; ask wallet, issuance or history`, 2);
  }
  const key = options['send-again'];
  if (key === undefined) return list(`${url}/internal/v1/parked`, platform.serviceToken, service);
  const answer = await request(`${url}/internal/v1/parked/send-again`, {
    method: 'POST',
    token: platform.serviceToken,
    body: { key },
  });
  const { handled, left, error } = successOf(answer) as SendAgainResponse;
  if (handled === 0 && left === 0)
    throw new Failure(`${service} has nothing parked under the key ${JSON.stringify(key)}`);
  console.log(`${handled} handled, ${left} still parked`);
  if (left > 0) throw new Failure(`the first of those still parked failed again: ${error}`);
}

async function list(url: string, token: string, service: string): Promise<void> {
  const { items } = successOf(await request(url, { token })) as ParkedResponse;
  if (items.length === 0) console.log(`nothing is parked in ${service}`);
  for (const { source, position, key, type, error, parkedAt } of items) {
    console.log(`${parkedAt}  ${source}/${position}  ${type}  key ${key}  ${error}`);
  }
}
