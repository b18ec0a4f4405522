import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EmissionsResponse, OpenAccountResponse, SalesResponse } from '#contracts';
import { cents } from '#money';
import { request, successOf } from '../request.ts';

const DEMO_BALANCE = cents(50_00);
const BLOCKS_AN_EMISSION = 10;
const APPROVERS = ['demo-operator', 'demo-supervisor'].map(demoId);
const POLL_MS = 200;

export interface DemoOptions {
  readonly walletUrl: string;
  readonly issuanceUrl: string;
  readonly issuer: string;
  readonly serviceToken: string;
  readonly players: number;
  /** What is sold, and the regulations that a player accepts. */
  readonly offers: readonly { readonly regulation: string; readonly game: string; readonly stakeCents: number }[];
  readonly regulations: readonly string[];
  readonly onProgress: (step: string) => void;
  readonly stop: AbortSignal;
}

/** Approves one emission for each offer and waits until all are on sale. A second call finds them approved. */
export async function openDemoSales(options: DemoOptions): Promise<void> {
  const { issuanceUrl, serviceToken: token, offers } = options;
  for (const { regulation, stakeCents } of offers) {
    const emissionId = demoId(`emission ${regulation} ${stakeCents}`);
    const body = { emissionId, regulation, stakeCents, blocks: BLOCKS_AN_EMISSION, approvedBy: APPROVERS };
    successOf(await request(`${issuanceUrl}/internal/v1/emissions/approve`, { method: 'POST', token, body }));
  }
  let told = '';
  for (;;) {
    const get = async (path: string) => successOf(await request(`${issuanceUrl}/internal/v1/${path}`, { token }));
    const { sales } = (await get('sales')) as SalesResponse;
    const opened = offers.filter((offer) =>
      sales.some((sale) => sale.regulation === offer.regulation && sale.stakeCents === offer.stakeCents),
    ).length;
    if (opened === offers.length) return;
    const { emissions } = (await get('emissions')) as EmissionsResponse;
    const committed = emissions.reduce((sum, emission) => sum + emission.committed, 0);
    const step = `${opened} of ${offers.length} sales open, ${committed} blocks sealed and committed`;
    if (step !== told) options.onProgress(step);
    told = step;
    await pause(POLL_MS, undefined, { signal: options.stop });
  }
}

/** Opens the demo players' accounts with 50 EUR each and every regulation accepted. A second call changes nothing. */
export async function openDemoPlayers(options: DemoOptions): Promise<void> {
  const names = Array.from({ length: options.players }, (_, index) => `demo-${index + 1}`);
  for (let from = 0; from < names.length; from += 20) {
    options.stop.throwIfAborted();
    await Promise.all(names.slice(from, from + 20).map((name) => openDemoPlayer(name, options)));
  }
}

async function openDemoPlayer(subject: string, options: DemoOptions): Promise<void> {
  const post = async (path: string, body: object) =>
    successOf(
      await request(`${options.walletUrl}/internal/v1/${path}`, { method: 'POST', token: options.serviceToken, body }),
    );
  const { playerId } = (await post('accounts', { issuer: options.issuer, subject })) as OpenAccountResponse;
  for (const regulation of options.regulations) {
    await post('acceptances', { playerId, regulation, idempotencyKey: null, requestHash: null });
  }
  const adjustmentId = demoId(`balance of ${playerId}`);
  await post('adjustments', { adjustmentId, playerId, amountCents: DEMO_BALANCE, reason: 'demo' });
}

/** The same UUID (version 8, custom) for the same words: what a first start made, a second one finds. */
export function demoId(words: string): string {
  const hex = createHash('sha256').update(`enjeu demo ${words}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
