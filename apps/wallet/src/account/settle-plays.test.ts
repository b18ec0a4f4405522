import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { StakeToDebit } from '#contracts';
import type { SourceRecord } from '#event-sourcing';
import { IssuanceRecords } from '../../test/issuance-records.ts';
import { memoryWallet, readyToPlay, stakeOf, topUp } from '../../test/memory-wallet.ts';

let wallet: Awaited<ReturnType<typeof memoryWallet>>;
let playerId: string;

beforeEach(async () => {
  wallet = await memoryWallet();
  playerId = randomUUID();
  await wallet.run(...readyToPlay(playerId, 5000));
  await wallet.receive(wallet.issuance.sale('SaleOpened', 100));
});
afterEach(() => wallet.close());

async function debited(stake = stakeOf(playerId)): Promise<StakeToDebit> {
  expect(await wallet.debit(stake)).toMatchObject([{ kind: 'debited', playId: stake.playId }]);
  return stake;
}

async function outcomes() {
  return (await wallet.events())
    .filter(({ type }) => type === 'PrizeCredited' || type === 'StakeRefunded')
    .map(({ type, correlation }) => ({ type, playId: correlation }));
}

const parked = () => wallet.log.parked({ limit: 100 });

test('a prize is credited to the account that was debited', async () => {
  const play = await debited();
  await wallet.receive(wallet.issuance.issued(play, 200));
  expect(await outcomes()).toEqual([{ type: 'PrizeCredited', playId: play.playId }]);
  expect(await wallet.balance(playerId)).toBe(5100);
});

test('a losing unit changes nothing', async () => {
  const play = await debited();
  const before = await wallet.events();
  await wallet.receive(wallet.issuance.issued(play, 0));
  expect(await wallet.events()).toEqual(before);
  expect(await parked()).toEqual([]);
});

test('a refused play gets back what its own StakeDebited took, with the reason', async () => {
  const play = await debited();
  await wallet.receive(wallet.issuance.refused(play, 'sale-closed'));
  expect(await wallet.balance(playerId)).toBe(5000);
  const refund = (await wallet.events()).at(-1);
  expect(JSON.parse(refund?.data ?? '')).toMatchObject({
    stakeCents: 100,
    reason: 'sale-closed',
    availableCents: 5000,
  });
});

test('the same record again, and the same batch again, pay nothing more', async () => {
  const [won, refunded] = [await debited(), await debited()];
  const records = [wallet.issuance.issued(won, 200), wallet.issuance.refused(refunded)];
  await wallet.receive(...records);
  await wallet.receive(...records);
  await wallet.receive(records[1]!);
  expect(await outcomes()).toHaveLength(2);
  expect(await wallet.balance(playerId)).toBe(5100);
});

test('a second outcome at another position is dropped and raises an incident', async () => {
  const play = await debited();
  await wallet.receive(wallet.issuance.issued(play, 200));
  await wallet.receive(wallet.issuance.issued(play, 200), wallet.issuance.refused(play));
  expect(await outcomes()).toHaveLength(1);
  expect(await wallet.balance(playerId)).toBe(5100);
  expect(wallet.incidents).toEqual(['second-outcome', 'second-outcome']);
});

test('what no own stake stands behind is parked, and pays nobody', async () => {
  const play = await debited();
  const other = randomUUID();
  await wallet.run(...readyToPlay(other, 0));
  await wallet.receive(
    wallet.issuance.issued({ ...play, playId: randomUUID(), playerId: other }, 450000),
    wallet.issuance.refused({ ...play, playerId: randomUUID() }),
    wallet.issuance.issued({ ...play, stakeCents: 200 }, 400),
  );
  expect((await parked()).map(({ error }) => error)).toEqual([
    expect.stringContaining('no stake was debited here'),
    expect.stringContaining('another player or stake'),
    expect.stringContaining('another player or stake'),
  ]);
  expect(await outcomes()).toEqual([]);
});

test('a record that is not of its form is parked; so are the later ones of its player, while other players are paid', async () => {
  const [first, second] = [await debited(), await debited()];
  const other = randomUUID();
  await wallet.run(...readyToPlay(other, 100));
  const theirs = await debited(stakeOf(other));
  const broken: SourceRecord = { ...wallet.issuance.issued(first, 200), body: { playId: first.playId } };
  await wallet.receive(broken, wallet.issuance.issued(second, 200), wallet.issuance.issued(theirs, 500));
  expect((await parked()).map(({ key, position }) => ({ key, position }))).toEqual([
    { key: playerId, position: 2 },
    { key: playerId, position: 3 },
  ]);
  expect(await outcomes()).toEqual([{ type: 'PrizeCredited', playId: theirs.playId }]);
});

test('records that mean nothing here are passed over', async () => {
  const before = await wallet.events();
  await wallet.receive(
    wallet.issuance.record({
      type: 'BlockExhausted',
      blockId: '0197f3c0-1234-7abc-8def-0123456789ab',
      exhaustedAt: '2009-02-05T12:00:00.000Z',
    }),
  );
  expect(await wallet.events()).toEqual(before);
});

/** What a schedule may do next: the numbers choose a player, a stake made so far, or how many records to send again. */
type Step =
  | { readonly do: 'stake'; readonly player: number; readonly repeat: boolean }
  | { readonly do: 'settle'; readonly play: number; readonly outcome: 'lost' | 'won' | 'refused' }
  | { readonly do: 'redeliver'; readonly records: number }
  | { readonly do: 'adjust'; readonly player: number; readonly amountCents: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('stake' as const), player: fc.nat(2), repeat: fc.boolean() }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('settle' as const),
        play: fc.nat(30),
        outcome: fc.constantFrom('lost' as const, 'won' as const, 'refused' as const),
      }),
    },
    fc.record({ do: fc.constant('redeliver' as const), records: fc.integer({ min: 1, max: 5 }) }),
    fc.record({
      do: fc.constant('adjust' as const),
      player: fc.nat(2),
      amountCents: fc.integer({ min: -300, max: 300 }),
    }),
  ),
  { maxLength: 40 },
);

const MONEY: Record<string, (data: Record<string, number>) => number> = {
  AccountAdjusted: (data) => data['amountCents']!,
  StakeDebited: (data) => -data['stakeCents']!,
  PrizeCredited: (data) => data['prizeCents']!,
  StakeRefunded: (data) => data['stakeCents']!,
};

test('in any order of stakes, outcomes and duplicates a balance is the sum of its events and never negative (REG-4.1)', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (schedule) => {
      const run = await runSchedule(schedule);
      for (const player of run.players) {
        let balance = 0;
        for (const { stream, type, data } of run.events) {
          const body = JSON.parse(data);
          if (stream !== `account-${player}` || !MONEY[type]) continue;
          balance += MONEY[type](body);
          expect(balance).toBeGreaterThanOrEqual(0);
          expect(body.availableCents).toBe(balance);
        }
        expect(await run.balance(player)).toBe(balance);
      }
      const settled = run.events.filter(({ type }) => type === 'PrizeCredited' || type === 'StakeRefunded');
      expect(new Set(settled.map(({ correlation }) => correlation)).size).toBe(settled.length);
      expect(settled.map(({ correlation }) => correlation).sort()).toEqual([...run.owed].sort());
    }),
    { numRuns: 60 },
  );
});

async function runSchedule(schedule: readonly Step[]) {
  const held = await memoryWallet();
  const issuance = new IssuanceRecords();
  const players = [randomUUID(), randomUUID(), randomUUID()];
  await held.run(...players.flatMap((player) => readyToPlay(player, 250)));
  const sent = [issuance.sale('SaleOpened', 100)];
  await held.receive(...sent);
  const plays: StakeToDebit[] = [];
  const open = new Map<string, StakeToDebit>();
  const owed = new Set<string>();
  const send = async (record: SourceRecord) => {
    sent.push(record);
    await held.receive(record);
  };
  for (const step of schedule) {
    if (step.do === 'stake') {
      const last = plays.at(-1);
      const stake = step.repeat && last ? { ...last, playId: randomUUID() } : stakeOf(players[step.player]!);
      const [decision] = await held.debit(stake);
      if (decision?.kind !== 'debited' || decision.repeated) continue;
      plays.push(stake);
      open.set(stake.playId, stake);
    } else if (step.do === 'settle') {
      const play = [...open.values()][step.play];
      if (!play) continue;
      open.delete(play.playId);
      if (step.outcome !== 'lost') owed.add(play.playId);
      await send(
        step.outcome === 'refused' ? issuance.refused(play) : issuance.issued(play, step.outcome === 'won' ? 200 : 0),
      );
    } else if (step.do === 'redeliver') await held.receive(...sent.slice(-step.records));
    else await held.run(topUp(players[step.player]!, step.amountCents));
  }
  const events = await held.events();
  await held.close();
  return { players, events, owed, balance: held.balance };
}
