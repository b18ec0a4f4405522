import pg from 'pg';
import type { RunningPlatform } from '../../apps/enjeu/src/running-platform.ts';

interface LoggedEvent {
  readonly position: string;
  readonly stream: string;
  readonly type: string;
  readonly correlation: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: events of every type pass through here.
  readonly data: any;
}

/** What an audit read and what it found wrong; `faults` is empty when the money is exact. */
export interface Audit {
  readonly stakes: number;
  readonly issued: number;
  readonly refunded: number;
  readonly faults: readonly string[];
}

const SIGNED: Record<string, (data: LoggedEvent['data']) => number> = {
  StakeDebited: (data) => -data.stakeCents,
  StakeRefunded: (data) => data.stakeCents,
  PrizeCredited: (data) => data.prizeCents,
  AccountAdjusted: (data) => data.amountCents,
};

/**
 * Reads both logs through the read-only role and checks what must hold whatever was killed: every stake has one outcome,
 * every prize and refund is paid once, no unit is sold twice or skipped, every balance is the sum of its events and never
 * negative, positions have no gap.
 */
export async function audit(platform: RunningPlatform): Promise<Audit> {
  const wallet = await eventsOf(platform.logUrls['wallet'] ?? '');
  const issuance = await eventsOf(platform.logUrls['issuance'] ?? '');
  const of = (events: LoggedEvent[], type: string) => events.filter((event) => event.type === type);
  const [stakes, credits, refunds] = ['StakeDebited', 'PrizeCredited', 'StakeRefunded'].map((type) => of(wallet, type));
  const [issued, refused] = ['UnitIssued', 'UnitRefused'].map((type) => of(issuance, type));
  const winners = (issued ?? []).filter((event) => event.data.prizeCents > 0);
  const faults = [
    ...gaps('wallet', wallet),
    ...gaps('issuance', issuance),
    ...sameOnce('a stake and its outcome', plays(stakes), plays([...(issued ?? []), ...(refused ?? [])])),
    ...sameOnce('a prize and its credit', plays(winners), plays(credits)),
    ...sameOnce('a refusal and its refund', plays(refused), plays(refunds)),
    ...amounts(winners, credits ?? []),
    ...unitsInOrder(issued ?? []),
    ...balances(wallet),
  ];
  return { stakes: stakes?.length ?? 0, issued: issued?.length ?? 0, refunded: refunds?.length ?? 0, faults };
}

async function eventsOf(url: string): Promise<LoggedEvent[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query('select position, stream, type, correlation, data from events order by position')).rows;
  } finally {
    await client.end();
  }
}

function plays(events: readonly LoggedEvent[] = []): string[] {
  return events.map(({ data }) => data.playId as string);
}

function gaps(log: string, events: readonly LoggedEvent[]): string[] {
  const odd = events.findIndex(({ position }, index) => Number(position) !== index + 1);
  return odd < 0 ? [] : [`${log}: position ${events[odd]?.position} stands where ${odd + 1} should`];
}

function sameOnce(what: string, expected: readonly string[], actual: readonly string[]): string[] {
  const missing = new Set(expected);
  const faults: string[] = [];
  for (const id of actual) if (!missing.delete(id)) faults.push(`${what}: ${id} is there twice, or without reason`);
  return [...faults, ...[...missing].map((id) => `${what}: ${id} is missing`)];
}

function amounts(winners: readonly LoggedEvent[], credits: readonly LoggedEvent[]): string[] {
  const won = new Map(winners.map(({ data }) => [data.playId, data.prizeCents]));
  return credits
    .filter(({ data }) => won.get(data.playId) !== data.prizeCents)
    .map(({ data }) => `${data.playId} was credited ${data.prizeCents}, its unit has ${won.get(data.playId)}`);
}

function unitsInOrder(issued: readonly LoggedEvent[]): string[] {
  const next = new Map<string, number>();
  const faults: string[] = [];
  for (const { data } of issued) {
    const expected = next.get(data.blockId) ?? 0;
    if (data.sequence !== expected)
      faults.push(`block ${data.blockId}: sale ${data.sequence} stands where ${expected} should`);
    next.set(data.blockId, data.sequence + 1);
  }
  return faults;
}

function balances(wallet: readonly LoggedEvent[]): string[] {
  const balance = new Map<string, number>();
  const faults: string[] = [];
  for (const { type, data, position } of wallet) {
    const amount = SIGNED[type]?.(data);
    if (amount === undefined) continue;
    const after = (balance.get(data.playerId) ?? 0) + amount;
    balance.set(data.playerId, after);
    if (after < 0) faults.push(`wallet/${position}: the balance of ${data.playerId} fell to ${after}`);
    if (data.availableCents !== after)
      faults.push(`wallet/${position}: says ${data.availableCents}, the events give ${after}`);
  }
  return faults;
}
