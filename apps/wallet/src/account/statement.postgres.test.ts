import { randomUUID } from 'node:crypto';
import { GENERAL, SUDOKU } from '../../test/issuance-records.ts';
import { readyToPlay, stakeOf, topUp } from '../../test/memory-wallet.ts';
import { postgresWallet } from '../../test/postgres-wallet.ts';
import { stakeWork } from './debit-stakes.ts';
import { DEBITS_ABOVE, DEBITS_OF_PLAYS, ENTRIES_BELOW } from './statement.ts';

let wallet: Awaited<ReturnType<typeof postgresWallet>>;
const playerId = randomUUID();
const plays = Array.from({ length: 12 }, () => stakeOf(playerId));

beforeAll(async () => {
  wallet = await postgresWallet();
  await wallet.run(...readyToPlay(playerId, 5000));
  await wallet.receive(wallet.issuance.sale('SaleOpened', 100));
  for (const play of plays) {
    await wallet.run(stakeWork(play, GENERAL));
    await wallet.receive(wallet.issuance.issued(play, 200));
  }
});
afterAll(() => wallet.close());

test('balance and position come from one moment', async () => {
  const head = await wallet.log.head();
  expect(await wallet.statement.account(playerId)).toEqual({
    playerId,
    openedAt: expect.any(String),
    availableCents: 5000 + 12 * 100,
    reservedCents: 0,
    accepted: [
      { regulation: GENERAL, acceptedAt: expect.any(String) },
      { regulation: SUDOKU, acceptedAt: expect.any(String) },
    ],
    position: head.position,
  });
  expect(await wallet.statement.account(randomUUID())).toBeNull();
});

test('pages of entries follow each other without a gap, newest first, each with the balance after it', async () => {
  const pages: number[][] = [];
  let before: number | null = null;
  let balance: number | null = null;
  do {
    const page = await wallet.statement.entries(playerId, before, 7);
    for (const entry of page?.items ?? []) {
      if (balance !== null) expect(entry.availableCents).toBe(balance);
      balance = entry.availableCents - entry.amountCents;
    }
    pages.push((page?.items ?? []).map(({ position }) => position));
    before = page?.next ?? null;
  } while (before !== null);
  expect(pages.map((page) => page.length)).toEqual([7, 7, 7, 4]);
  expect(pages.flat()).toEqual(pages.flat().toSorted((a, b) => b - a));
  expect(balance).toBe(0);
});

test('a page cannot start at what is no event of the account', async () => {
  expect(await wallet.statement.entries(playerId, 1_000_000, 7)).toBeNull();
  expect(await wallet.statement.entries(randomUUID(), 5, 7)).toBeNull();
});

test('debits above a position come newest first, and what does not fit is announced', async () => {
  const all = await wallet.statement.debitsAbove(playerId, 0, 200);
  expect(all.items.map(({ playId }) => playId)).toEqual(plays.map(({ playId }) => playId).reverse());
  expect(all.more).toBe(false);
  const third = all.items[2]!;
  expect(await wallet.statement.debitsAbove(playerId, third.position, 200)).toEqual({
    items: all.items.slice(0, 2),
    more: false,
  });
  expect(await wallet.statement.debitsAbove(playerId, third.position - 1, 2)).toEqual({
    items: all.items.slice(0, 2),
    more: true,
  });
  const { position } = await wallet.log.head();
  expect(await wallet.statement.debitsAbove(playerId, position, 200)).toEqual({ items: [], more: false });
  expect(await wallet.statement.debitsAbove(randomUUID(), 0, 200)).toEqual({ items: [], more: false });
});

test('a long way back is cut, and the cut is announced', async () => {
  const busy = randomUUID();
  await wallet.run(...readyToPlay(busy, 5000), stakeWork(stakeOf(busy), GENERAL));
  for (let i = 0; i < 2_001; i += 500) {
    await wallet.run(...Array.from({ length: Math.min(500, 2_001 - i) }, () => topUp(busy, 1)));
  }
  expect(await wallet.statement.debitsAbove(busy, 0, 200)).toEqual({ items: [], more: true });
});

test('the debits of plays are found by their ids, and only those', async () => {
  const [first, second] = plays;
  const found = await wallet.statement.debitsOfPlays([second!.playId, randomUUID(), first!.playId]);
  expect(found.map(({ playId }) => playId).sort()).toEqual([first!.playId, second!.playId].sort());
  expect(found[0]).toMatchObject({ playerId, game: 'sudoku', stakeCents: 100, regulation: SUDOKU, mode: null });
  expect(await wallet.statement.debitsOfPlays([])).toEqual([]);
});

describe('on a log that has grown', () => {
  /** 100,000 events of 1,000 other accounts, written past the log: only their number and shape matter here. */
  const GROW = `
    insert into events (position, batch, version, occurred_at, schema_version, correlation, stream, type, data)
    select 1000000 + n, 1000000 + n, n, now(), 1, gen_random_uuid(), 'account-other-' || n % 1000, 'StakeDebited', '{}'
      from generate_series(1, 100000) n`;

  beforeAll(async () => {
    await wallet.dataSource.query(GROW);
    await wallet.dataSource.query('analyze events');
  });

  const stream = `account-${playerId}`;
  test.each([
    ['entries', ENTRIES_BELOW, [stream, 1e15, 50], 'Index Scan Backward using events_stream_version'],
    ['debits above a position', DEBITS_ABOVE, [stream, 0, 50, 2000], 'events_stream_version'],
    ['debits of plays', DEBITS_OF_PLAYS, [plays.map(({ playId }) => playId)], 'events_debit_of_play'],
  ])('%s are read by their index and never by a scan of the log', async (_name, statement, values, index) => {
    const rows = await wallet.dataSource.query(`explain ${statement}`, values as unknown[]);
    const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });
});
