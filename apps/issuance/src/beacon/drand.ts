import { type Clock, pause } from '#event-sourcing';
import { loadBeaconCheck, QUICKNET, roundPublicAt, roundToPromise } from '#fairness';
import { oneLine } from '#service';
import type { Beacon } from './beacon.ts';

export interface DrandOptions {
  /** Relays of the network, asked one after the other: `https://api.drand.sh`. What they say is checked. */
  readonly urls: readonly string[];
  readonly clock: Clock;
}

/** How long one relay may take. */
const PATIENCE_MS = 5_000;
/** A round is some hundred characters. */
const MOST_CHARACTERS = 10_000;

/** The League of Entropy's network: a round every three seconds, signed by a threshold of its members. */
export function drandBeacon({ urls, clock }: DrandOptions): Beacon {
  return {
    promise: (committedAt) => ({ source: QUICKNET.source, round: roundToPromise(committedAt) }),
    async draw({ source, round }, stopping) {
      if (source !== QUICKNET.source) throw new Error(`${source} is not a round of drand`);
      const wait_ms = roundPublicAt(round) - clock.now();
      if (wait_ms > 0) await pause(clock, wait_ms, stopping);
      const failures: string[] = [];
      for (const url of urls) {
        try {
          return await askRelay(url, round, stopping);
        } catch (error) {
          stopping.throwIfAborted();
          failures.push(`${url}: ${oneLine(error)}`);
        }
      }
      throw new Error(`round ${round} of drand could not be had (${failures.join('; ')})`);
    },
  };
}

async function askRelay(url: string, round: number, stopping: AbortSignal): Promise<string> {
  const response = await fetch(`${url}/${QUICKNET.chain}/public/${round}`, {
    redirect: 'error',
    signal: AbortSignal.any([stopping, AbortSignal.timeout(PATIENCE_MS)]),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const signature = signatureOf(await textOf(response), round);
  const isRoundSignature = await loadBeaconCheck();
  if (!isRoundSignature(round, signature)) throw new Error('its signature is not the network’s');
  return signature;
}

async function textOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_CHARACTERS) throw new Error('the answer is too long');
  }
  return text;
}

function signatureOf(text: string, round: number): string {
  let answer: { round?: unknown; signature?: unknown } | null;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error('the answer is not JSON');
  }
  if (answer?.round !== round) throw new Error('the answer is of another round');
  if (typeof answer.signature !== 'string' || !/^[0-9a-f]{96}$/.test(answer.signature)) {
    throw new Error('the answer has no signature of 48 bytes');
  }
  return answer.signature;
}
