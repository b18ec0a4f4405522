import { randomUUID } from 'node:crypto';
import type { Debit, StakeDecision, StakeToDebit } from '#contracts';
import {
  type Lane,
  MemoryLog,
  openLane,
  projectInto,
  type RecordedEvent,
  requestHash,
  type SourceRecord,
  type Work,
} from '#event-sourcing';
import { acceptWork } from '../src/account/accept-regulation.ts';
import { type Account, accounts } from '../src/account/account.ts';
import { adjustWork } from '../src/account/adjust-account.ts';
import { stakeDecision, stakeWork } from '../src/account/debit-stakes.ts';
import { openWork } from '../src/account/open-account.ts';
import { SettlePlays } from '../src/account/settle-plays.ts';
import { GENERAL, IssuanceRecords, PHARAON, SUDOKU } from './issuance-records.ts';

export const REGULATIONS = new Set([GENERAL, SUDOKU, PHARAON]);

/** The wallet's works over a log and a lane in memory, with its handler of issuance's records. */
export async function memoryWallet() {
  const log = new MemoryLog({
    logId: randomUUID(),
    outcomeOf: ({ type, correlation }) => (type === 'PrizeCredited' || type === 'StakeRefunded' ? correlation : null),
  });
  const incidents: string[] = [];
  const lane = await openLane(log, { newId: randomUUID, onIncident: ({ kind }) => incidents.push(kind) });
  const events = () => log.read(0, 1_000_000);
  const settle = new SettlePlays(async (playIds) => debitsIn(await events(), new Set(playIds)));
  const projector = projectInto(lane, settle, { name: 'wallet', newId: randomUUID, onGap: () => {} });
  return {
    log,
    lane,
    incidents,
    issuance: new IssuanceRecords(),
    events,
    /** Hands records over as the bus does, and waits until their effects are stored. */
    async receive(...records: SourceRecord[]): Promise<void> {
      await projector.handle(records, true);
      await lane.run([NOTHING]);
    },
    run: async (...works: Work<unknown>[]) => lane.run(works),
    debit: (...stakes: StakeToDebit[]) => debit(lane, stakes),
    async balance(playerId: string): Promise<number> {
      const { states } = await log.load([`account-${playerId}`], []);
      return ((states[0]?.state ?? accounts.initial) as Account).availableCents;
    },
    close: async () => {
      projector.stop();
      await lane.stop();
    },
  };
}

const NOTHING: Work<null> = { states: [], decide: () => ({ answer: null }) };

async function debit(lane: Lane, stakes: readonly StakeToDebit[]): Promise<StakeDecision[]> {
  return (await lane.run(stakes.map((stake) => stakeWork(stake, GENERAL)))).map(stakeDecision);
}

export function debitsIn(events: readonly RecordedEvent[], playIds: ReadonlySet<string>): Debit[] {
  return events
    .filter(({ type, correlation }) => type === 'StakeDebited' && playIds.has(correlation ?? ''))
    .map(({ position, data }) => ({ position, ...JSON.parse(data) }));
}

/** Works that make an account which may play: opened, regulations accepted, and so much money on it. */
export function readyToPlay(playerId: string, availableCents: number): Work<unknown>[] {
  const accept = (regulation: string) =>
    acceptWork({ playerId, regulation, idempotencyKey: null, requestHash: null }, REGULATIONS);
  return [openWork(playerId), accept(GENERAL), accept(SUDOKU), topUp(playerId, availableCents)];
}

export function topUp(playerId: string, amountCents: number): Work<unknown> {
  return adjustWork({ adjustmentId: randomUUID(), playerId, amountCents, reason: 'demo' });
}

export function stakeOf(playerId: string, more: Partial<StakeToDebit> = {}): StakeToDebit {
  const stakeCents = more.stakeCents ?? 100;
  return {
    playId: randomUUID(),
    playerId,
    game: 'sudoku',
    stakeCents,
    mode: null,
    idempotencyKey: randomUUID(),
    requestHash: requestHash('POST /plays', { game: 'sudoku', stakeCents }),
    ...more,
  };
}
