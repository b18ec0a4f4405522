import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EmissionsResponse, SalesResponse } from '#contracts';
import { type Cents, formatEuros } from '#money';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { type Answer, request, successOf } from '../request.ts';
import { findPlatform, type RunningPlatform } from '../running-platform.ts';
import { demoId } from '../start/demo.ts';
import { stakeOf } from './stake.ts';

/** A block of half a million units takes seconds; longer than this without one, something is the matter. */
const PATIENCE_MS = 120_000;
const POLL_MS = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Order {
  readonly emissionId: string;
  readonly regulation: string;
  readonly stakeCents: Cents;
  readonly blocks: number;
  readonly approvedBy: readonly [string, string];
}

/**
 * Approves an emission in the name of two persons, and resolves when its units are on sale, or when it is known what they
 * still wait for: their opening date, an earlier version's blocks, or the end of a suspension.
 */
export async function emission(
  [verb, regulation = '', stake = '']: readonly string[],
  options: Options,
): Promise<void> {
  if (verb !== 'approve')
    throw new Failure(`\`enjeu emission\` is followed by approve, not ${JSON.stringify(verb)}`, 2);
  const order: Order = {
    emissionId: randomUUID(),
    regulation,
    stakeCents: stakeOf(stake),
    blocks: blocksOf(options.blocks),
    approvedBy: approversOf(options.by ?? []),
  };
  const platform = findPlatform(options);
  await approve(platform, order);
  console.log(
    `${order.blocks} ${order.blocks === 1 ? 'block' : 'blocks'} of ${regulation} at ${formatEuros(order.stakeCents)} EUR approved`,
  );
  console.log(`  emission  ${order.emissionId}`);
  console.log(`  sale      ${await untilOnSale(platform, order)}`);
}

/** Sent again under the same id until an answer came: however often, it is one emission. */
async function approve(platform: RunningPlatform, order: Order): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask(platform, 'emissions/approve', order).catch((failure: Failure) => failure);
    const answered = !(answer instanceof Failure);
    if (answered && answer.status !== 503) return void successOf(answer);
    if (Date.now() > deadline) {
      throw new Failure(
        `issuance did not answer whether it approved the emission ${order.emissionId}; look at its log`,
      );
    }
    await pause(POLL_MS);
  }
}

/** Says whenever another block is committed; answers what became of the sale. */
async function untilOnSale(platform: RunningPlatform, order: Order): Promise<string> {
  const { opensOn } = successOf(await request(`${platform.gatewayUrl}/api/v1/regulations/${order.regulation}`));
  let committed = 0;
  let deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const now = await look(platform, order);
    if (now !== null && now.committed > committed) {
      committed = now.committed;
      deadline = Date.now() + PATIENCE_MS;
      console.log(`  block     ${committed} of ${order.blocks} sealed and committed`);
    }
    const word = now === null ? null : wordOf(now, opensOn, order.regulation);
    if (word !== null) return word;
    if (Date.now() > deadline)
      return 'not open yet, and no block was committed for two minutes; look at the log of issuance';
    await pause(POLL_MS);
  }
}

interface State {
  /** Blocks of the emission. */
  readonly committed: number;
  /** The sale of its game at its stake, whatever it sells. */
  readonly sale: SalesResponse['sales'][number] | null;
}

/** Null while issuance does not answer. */
async function look(platform: RunningPlatform, { emissionId, regulation, stakeCents }: Order): Promise<State | null> {
  const [emissions, sales] = await Promise.all(
    ['emissions', 'sales'].map((path) => ask(platform, path).catch(() => null)),
  );
  if (emissions?.status !== 200 || sales?.status !== 200) return null;
  const approved = (emissions.body as EmissionsResponse).emissions.find((one) => one.emissionId === emissionId);
  const game = regulation.split('@')[0];
  const ofLine = (one: SalesResponse['sales'][number]) => one.game === game && one.stakeCents === stakeCents;
  return { committed: approved?.committed ?? 0, sale: (sales.body as SalesResponse).sales.find(ofLine) ?? null };
}

/** What there is to be said of the sale, or null while it may still open at any moment. */
function wordOf({ committed, sale }: State, opensOn: string, regulation: string): string | null {
  if (sale?.status === 'suspended') return `suspended; it goes on with \`npx enjeu sale resume ${sale.game}\``;
  if (sale?.status === 'open' && sale.regulation === regulation) return 'open';
  if (committed === 0) return null;
  if (sale?.status === 'open') return `after the blocks that are on sale under ${sale.regulation}`;
  return todayInParis() < opensOn ? `opens by itself on ${opensOn}` : null;
}

/** `2009-02-05`, as opening dates are meant. */
function todayInParis(): string {
  return new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Paris' });
}

function ask({ serviceUrls, serviceToken: token }: RunningPlatform, path: string, body?: object): Promise<Answer> {
  const url = `${serviceUrls['issuance']}/internal/v1/${path}`;
  return request(url, body ? { method: 'POST', token, body } : { token });
}

function blocksOf(text: string | undefined): number {
  const blocks = Number(text);
  if (text !== undefined && /^\d{1,6}$/.test(text) && blocks > 0) return blocks;
  throw new Failure('say how many blocks with --blocks N, a whole number above 0', 2);
}

/** The log holds no names: each becomes the id that the same name always has; an id is taken as it is. */
function approversOf(names: readonly string[]): readonly [string, string] {
  const [first = '', second = '', ...more] = names.map((name) => name.trim());
  if (first === '' || second === '' || more.length > 0) {
    throw new Failure('two persons approve an emission: --by NAME --by NAME', 2);
  }
  const ids = [idOf(first), idOf(second)] as const;
  if (ids[0] === ids[1]) throw new Failure(`two different persons approve an emission, not ${first} twice`, 2);
  return ids;
}

function idOf(name: string): string {
  const plain = name.normalize('NFC').toLowerCase();
  return UUID.test(plain) ? plain : demoId(plain);
}
