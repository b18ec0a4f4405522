import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import pg from 'pg';
import type { SourceRecord } from '#event-sourcing';
import { freshDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { History } from '../src/history.ts';
import { Parked } from '../src/parked/parked.ts';
import { PAGE_OF_PLAYER, PLAYS_WITH_SEEN, ReadPlays } from '../src/plays/read-plays.ts';
import { Seen } from '../src/plays/seen.ts';
import { FakeBus } from './fake-bus.ts';
import { Logs, playerIdOf, playIdOf } from './records.ts';

interface Running {
  readonly history: History;
  readonly bus: FakeBus;
  readonly publishedAgain: { source: string; position: number }[];
  readonly lost: Error[];
}

let database: TestDatabase;
let open: Running[] = [];

beforeAll(() => {
  Logger.overrideLogger(false);
});

beforeEach(async () => {
  database = await freshDatabase();
  open = [];
});

afterEach(async () => {
  for (const { history } of open) await history.close();
  await database.drop();
});

async function start(): Promise<Running> {
  const bus = new FakeBus();
  const publishedAgain: Running['publishedAgain'] = [];
  const lost: Error[] = [];
  const source = (name: string) => ({
    post: async (_path: string, { position }: { position: number }) => {
      publishedAgain.push({ source: name, position });
    },
  });
  const history = new History({
    databaseUrl: database.url,
    openBus: () => bus,
    sources: { wallet: source('wallet'), issuance: source('issuance') },
    onLost: (error) => lost.push(error),
  });
  const running = { history, bus, publishedAgain, lost };
  open.push(running);
  await history.open(new AbortController().signal);
  return running;
}

async function stop(running: Running): Promise<void> {
  open = open.filter((other) => other !== running);
  await running.history.close();
}

async function sql(statement: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

const readerOf = ({ history }: Running) => new ReadPlays(history);

/** Ten plays: won, lost, refunded and pending ones, of two players. */
function tenPlays(): Logs {
  const logs = new Logs();
  for (let play = 1; play <= 10; play++) logs.debit(play, 1 + (play % 2));
  for (let play = 1; play <= 9; play++) {
    if (play % 3 === 0) logs.refuse(play, 1 + (play % 2));
    else logs.issue(play, play % 3 === 1 ? 200 : 0, 1 + (play % 2));
  }
  for (let play = 1; play <= 9; play++) {
    if (play % 3 === 0) logs.refund(play, 1 + (play % 2));
    else if (play % 3 === 1) logs.credit(play, 200, 1 + (play % 2));
  }
  return logs;
}

const statuses = ['pending', 'won', 'lost', 'refunded'];
const expectedStatus = (play: number) => (play === 10 ? 'pending' : statuses[1 + ((play + 2) % 3)]);

describe('what the logs told', () => {
  test('REG-4.2: every play stands in its player’s history from its debit on, newest first, with its outcome', async () => {
    const running = await start();
    const logs = tenPlays();
    await running.bus.bring(logs.wallet);
    await running.bus.bring(logs.issuance);
    const page = await readerOf(running).page(playerIdOf(1), null, 100);
    expect(page.items.map(({ playId }) => playId)).toEqual([10, 8, 6, 4, 2].map(playIdOf));
    expect(page.items.map(({ status }) => status)).toEqual([10, 8, 6, 4, 2].map(expectedStatus));
    expect(page).toMatchObject({ next: null, walletPosition: 16 });
    expect(page.items[3]).toEqual({
      playId: playIdOf(4),
      playerId: playerIdOf(1),
      game: 'sudoku',
      regulation: 'sudoku@2009-01-26',
      stakeCents: 100,
      mode: null,
      status: 'won',
      prizeCents: 200,
      blockId: '01920002-0000-7000-8000-000000000001',
      sequence: 4,
      unitIndex: 5,
      mechanic: 'sudoku/1',
      seed: '00112233445566778899aabbccddeeff',
      scriptDigest: null,
      reason: null,
      placedAt: '2009-02-05T12:00:00.000Z',
      settledAt: '2009-02-05T12:00:00.000Z',
      paidAt: '2009-02-05T12:00:00.000Z',
      seenAt: null,
      walletPosition: 4,
    });
  });

  test('however the two feeds are cut and mixed, with records sent again, the history is the same', async () => {
    const running = await start();
    const logs = tenPlays();
    const cuts = fc.array(
      fc.record({ wallet: fc.boolean(), size: fc.integer({ min: 1, max: 6 }), back: fc.integer({ min: 0, max: 4 }) }),
      {
        minLength: 60,
        maxLength: 60,
      },
    );
    await fc.assert(
      fc.asyncProperty(cuts, async (steps) => {
        await sql('truncate plays; update positions set epoch = 0, position = 0, "offset" = null');
        await running.history.projection.open();
        for (const { wallet, size, back } of steps) {
          const feed = wallet ? logs.wallet : logs.issuance;
          const at = running.history.projection.applied(wallet ? 'wallet' : 'issuance')?.position ?? 0;
          const records = feed.slice(Math.max(0, at - back), at + size);
          if (records.length > 0) await running.bus.bring(records, false);
        }
        await running.bus.bring(logs.wallet);
        await running.bus.bring(logs.issuance);
        const found = await readerOf(running).find(
          logs.wallet.slice(0, 10).map(({ correlation }) => correlation as string),
        );
        const byPlay = new Map(found.items.map(({ playId, status, paidAt }) => [playId, [status, paidAt !== null]]));
        for (let play = 1; play <= 10; play++) {
          const status = expectedStatus(play);
          expect(byPlay.get(playIdOf(play))).toEqual([status, status === 'won' || status === 'refunded']);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('records of both logs that arrive at once are stored without a deadlock, and no field of a play is lost', async () => {
    const running = await start();
    const logs = new Logs();
    for (let play = 1; play <= 300; play++) {
      logs.debit(play);
      logs.issue(play, 200);
      logs.credit(play, 200);
    }
    const feed = async (records: readonly SourceRecord[]) => {
      for (let at = 0; at < records.length; at += 7) await running.bus.bring(records.slice(at, at + 7));
    };
    await Promise.all([feed(logs.wallet), feed(logs.issuance)]);
    const rows = await sql(
      'select count(*)::int as whole from plays where placed_at is not null and settled_at is not null and paid_at is not null',
    );
    expect(rows).toEqual([{ whole: 300 }]);
  });

  test('events that are about no play only move the position', async () => {
    const running = await start();
    const logs = new Logs();
    logs.other('wallet');
    await running.bus.bring(logs.wallet);
    expect(running.history.projection.applied('wallet')).toEqual({
      source: 'wallet',
      epoch: 1,
      position: 1,
      offset: '1',
    });
    expect(await sql('select count(*)::int as plays from plays')).toEqual([{ plays: 0 }]);
  });
});

describe('pages', () => {
  test('a page goes on below its cursor until there is none', async () => {
    const running = await start();
    const logs = new Logs();
    for (let play = 1; play <= 7; play++) logs.debit(play);
    await running.bus.bring(logs.wallet);
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const page = await readerOf(running).page(playerIdOf(1), before, 3);
      seen.push(...page.items.map(({ playId }) => playId));
      before = page.next;
    } while (before !== null);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map(playIdOf));
  });

  test('a player without plays has an empty page, and still learns how far the wallet’s log was applied', async () => {
    const running = await start();
    expect(await readerOf(running).page(playerIdOf(9), null, 3)).toEqual({ items: [], next: null, walletPosition: 0 });
    await running.bus.bring([new Logs().debit(1)]);
    expect(await readerOf(running).page(playerIdOf(9), null, 3)).toEqual({ items: [], next: null, walletPosition: 1 });
    expect(await readerOf(running).find([playIdOf(77)])).toEqual({ items: [], walletPosition: 1 });
  });

  test('a play of which only the outcome came can be found, and joins the pages with its debit', async () => {
    const running = await start();
    const logs = new Logs();
    await running.bus.bring([logs.issue(1, 200)]);
    expect((await readerOf(running).find([playIdOf(1)])).items).toMatchObject([
      { status: 'won', walletPosition: null },
    ]);
    expect((await readerOf(running).page(playerIdOf(1), null, 10)).items).toEqual([]);
    await running.bus.bring([logs.debit(1)]);
    expect((await readerOf(running).page(playerIdOf(1), null, 10)).items).toMatchObject([
      { status: 'won', walletPosition: 1 },
    ]);
  });

  test('a page is one backward scan of its index, and plays are found by theirs', async () => {
    await start();
    await sql(`insert into plays (play_id, player_id, wallet_position, game, regulation, stake_cents, placed_at)
               select gen_random_uuid(), ('01920001-0000-7000-8000-' || lpad(to_hex(n % 1000), 12, '0'))::uuid, n, 'sudoku', 'r', 100, now()
                 from generate_series(1, 50000) n`);
    await sql('analyze plays');
    const planOf = async (statement: string, values: unknown[]) =>
      JSON.stringify(await sql(`explain (format json) ${statement}`, values));
    const page = await planOf(PAGE_OF_PLAYER, [playerIdOf(1), 40_000, 21]);
    expect(page).toContain('"Scan Direction":"Backward","Index Name":"plays_of_player"');
    expect(page).not.toMatch(/"Seq Scan"[^}]*"Relation Name":"plays"/);
    const found = await planOf(PLAYS_WITH_SEEN, [[playIdOf(1)]]);
    expect(found).toContain('plays_pkey');
    expect(found).not.toMatch(/"Seq Scan"[^}]*"Relation Name":"plays"/);
  });
});

describe('lost and repeated records', () => {
  test('a gap stores nothing beyond it, is published again, and closes when the missing record comes', async () => {
    const running = await start();
    const logs = new Logs();
    const [first, missing, third] = [logs.debit(1), logs.debit(2), logs.debit(3)];
    await running.bus.bring([first, third]);
    expect(running.history.projection.applied('wallet')?.position).toBe(1);
    expect(running.publishedAgain).toEqual([{ source: 'wallet', position: 1 }]);
    await running.bus.bring([missing, third]);
    expect((await readerOf(running).page(playerIdOf(1), null, 10)).items).toHaveLength(3);
  });

  test('a restart goes on from the stored position and applies nothing twice', async () => {
    const logs = tenPlays();
    const first = await start();
    await first.bus.bring(logs.wallet.slice(0, 12));
    await stop(first);
    const second = await start();
    expect(await second.bus.followers.get('wallet')?.position()).toEqual({
      source: 'wallet',
      epoch: 1,
      position: 12,
      offset: '12',
    });
    expect(await second.bus.followers.get('issuance')?.position()).toBeNull();
    await second.bus.bring(logs.wallet);
    await second.bus.bring(logs.issuance);
    expect((await readerOf(second).page(playerIdOf(1), null, 10)).walletPosition).toBe(16);
  });

  test('records of a lower epoch are dropped, and a higher one stops the source', async () => {
    const running = await start();
    const logs = new Logs();
    const [first, second] = [logs.debit(1), logs.debit(2)];
    await running.bus.bring([{ ...first, epoch: 2 }]);
    await running.bus.bring([{ ...second, epoch: 1 }]);
    expect(running.history.projection.applied('wallet')).toMatchObject({ epoch: 2, position: 1 });
    await expect(running.bus.bring([{ ...second, epoch: 3 }])).rejects.toThrow('epoch-ahead');
    await expect(running.bus.bring([{ ...second, epoch: 2 }])).rejects.toThrow('epoch-ahead');
    expect(running.history.projection.applied('wallet')).toMatchObject({ epoch: 2, position: 1 });
  });

  test('a second outcome for a play is dropped: the first one stands', async () => {
    const running = await start();
    const logs = new Logs();
    logs.debit(1);
    logs.issue(1, 200);
    logs.refuse(1);
    await running.bus.bring(logs.wallet);
    await running.bus.bring(logs.issuance);
    expect((await readerOf(running).find([playIdOf(1)])).items).toMatchObject([{ status: 'won', prizeCents: 200 }]);
    expect(running.history.projection.applied('issuance')?.position).toBe(2);
  });
});

describe('parking', () => {
  const broken = (record: SourceRecord): SourceRecord => ({
    ...record,
    body: { ...(record.body as object), stakeCents: 'a lot' },
  });

  test('a record that cannot be read is parked with the later ones of its key, and the others flow on', async () => {
    const running = await start();
    const logs = new Logs();
    const records = [broken(logs.debit(1, 1)), logs.debit(2, 2), logs.debit(3, 1)];
    await running.bus.bring(records);
    await running.bus.bring([logs.credit(2, 200, 2), logs.debit(4, 1)]);
    const { items } = { items: await new Parked(running.history).parked({ limit: 100 }) };
    expect(items.map(({ position, key }) => [position, key])).toEqual(
      [1, 3, 5].map((position) => [position, playerIdOf(1)]),
    );
    expect(items[0]?.error).toContain('stakeCents');
    expect(items[1]?.error).toBe('waits behind a parked record of its key');
    expect((await readerOf(running).page(playerIdOf(2), null, 10)).items).toMatchObject([{ playId: playIdOf(2) }]);
  });

  test('the player of a parked record is told only how far his own part was applied', async () => {
    const running = await start();
    const logs = new Logs();
    await running.bus.bring([logs.debit(1, 1), broken(logs.debit(2, 1)), logs.debit(3, 2), logs.debit(4, 1)]);
    expect(await readerOf(running).page(playerIdOf(1), null, 10)).toMatchObject({
      walletPosition: 1,
      items: [{ playId: playIdOf(1) }],
    });
    expect((await readerOf(running).page(playerIdOf(2), null, 10)).walletPosition).toBe(4);
  });

  test('a record that the database refuses for ever is found among others and parked alone', async () => {
    const running = await start();
    const logs = new Logs();
    for (let play = 1; play <= 9; play++) logs.debit(play, play);
    const poisoned = logs.wallet.map((record, at) =>
      at === 5 ? { ...record, body: { ...(record.body as object), placedAt: '2009-02-31T12:00:00.000Z' } } : record,
    );
    await running.bus.bring(poisoned);
    const parked = await new Parked(running.history).parked({ limit: 10 });
    expect(parked.map(({ position }) => position)).toEqual([6]);
    expect(await sql('select count(*)::int as plays from plays')).toEqual([{ plays: 8 }]);
    expect(running.history.projection.applied('wallet')?.position).toBe(9);
  });

  test('a key is sent again in order, its later records with it, and is parked no longer', async () => {
    const first = await start();
    const logs = new Logs();
    const records = [broken(logs.debit(1)), logs.debit(2), logs.debit(3)];
    await first.bus.bring(records);
    await stop(first);
    await sql(`update parked set record = jsonb_set(record::jsonb, '{body,stakeCents}', '100') where position = 1`);

    const second = await start();
    const parked = new Parked(second.history);
    await second.bus.bring([logs.debit(4)]);
    expect(await parked.parked({ limit: 10 })).toHaveLength(4);
    expect(await parked.sendAgain(playerIdOf(1))).toEqual({ handled: 4, left: 0, error: null });
    expect(await parked.parked({ limit: 10 })).toEqual([]);
    await second.bus.bring([logs.debit(5)]);
    expect((await readerOf(second).page(playerIdOf(1), null, 10)).items.map(({ playId }) => playId)).toEqual(
      [5, 4, 3, 2, 1].map(playIdOf),
    );
    expect((await readerOf(second).page(playerIdOf(1), null, 10)).walletPosition).toBe(5);
  });

  test('what still fails stays parked with those behind it, and its key with them', async () => {
    const running = await start();
    const logs = new Logs();
    await running.bus.bring([broken(logs.debit(1)), logs.debit(2)]);
    const parked = new Parked(running.history);
    expect(await parked.sendAgain(playerIdOf(1))).toMatchObject({
      handled: 0,
      left: 2,
      error: expect.stringContaining('stakeCents'),
    });
    await running.bus.bring([logs.debit(3)]);
    expect(await parked.parked({ limit: 10 })).toHaveLength(3);
  });

  test('sent again twice at once, each record is handled once', async () => {
    const running = await start();
    const logs = new Logs();
    await running.bus.bring([broken(logs.debit(1)), logs.debit(2)]);
    await sql(`update parked set record = jsonb_set(record::jsonb, '{body,stakeCents}', '100') where position = 1`);
    const parked = new Parked(running.history);
    const answers = await Promise.all([parked.sendAgain(playerIdOf(1)), parked.sendAgain(playerIdOf(1))]);
    expect(answers.map(({ handled }) => handled).sort()).toEqual([0, 2]);
  });
});

describe('two writers', () => {
  test('a second process waits until the first has gone, then goes on', async () => {
    const first = await start();
    const logs = new Logs();
    await first.bus.bring([logs.debit(1)]);
    let ready = false;
    const second = start().then((running) => {
      ready = true;
      return running;
    });
    await pause(300);
    expect(ready).toBe(false);
    await stop(first);
    const running = await second;
    await running.bus.bring([logs.debit(2)]);
    expect((await readerOf(running).page(playerIdOf(1), null, 10)).items).toHaveLength(2);
  });

  test('whose lock the database ends knows it, and a writer that goes on all the same changes nothing twice', async () => {
    const first = await start();
    const logs = new Logs();
    logs.debit(1);
    logs.issue(1, 200);
    await first.bus.bring(logs.wallet);
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'enjeu-history-writer' and datname = current_database()`,
    );
    const second = await start();
    expect(first.lost).toHaveLength(1);
    await second.bus.bring(logs.issuance);
    expect((await readerOf(second).find([playIdOf(1)])).items).toMatchObject([{ status: 'won', walletPosition: 1 }]);
  });

  test('a write on positions that another writer has moved is refused whole, and done again on what is there', async () => {
    const running = await start();
    const logs = new Logs();
    logs.debit(1);
    logs.debit(2);
    logs.issue(1, 200);
    await running.bus.bring(logs.wallet.slice(0, 1));
    // Another writer applies the outcome behind this one's back.
    await sql(`update positions set epoch = 1, position = 1 where source = 'issuance'`);
    await sql(
      `update plays set settled_at = placed_at, prize_cents = 0, block_id = play_id, sequence = 0, unit_index = 0, seed = '\\x00', mechanic = 'sudoku/1'`,
    );
    await running.bus.bring(logs.wallet);
    expect((await readerOf(running).page(playerIdOf(1), null, 10)).items).toMatchObject([
      { playId: playIdOf(2), status: 'pending' },
      { playId: playIdOf(1), status: 'lost' },
    ]);
    expect(running.history.projection.applied('issuance')?.position).toBe(1);
  });

  test('a stored position that went back ends the writer', async () => {
    const running = await start();
    const logs = new Logs();
    logs.debit(1);
    logs.debit(2);
    await running.bus.bring(logs.wallet.slice(0, 1));
    await sql(`update positions set position = 0 where source = 'wallet'`);
    await expect(running.bus.bring(logs.wallet)).rejects.toThrow('went back');
    expect(running.lost).toHaveLength(1);
  });
});

describe('seen marks', () => {
  test('the first time counts, also of two at once; a pending, an unknown and another’s play have none', async () => {
    const running = await start();
    const logs = new Logs();
    logs.debit(1);
    logs.debit(2);
    logs.issue(1, 200);
    await running.bus.bring(logs.wallet);
    await running.bus.bring(logs.issuance);
    let now = Date.parse('2009-02-05T12:00:01.000Z');
    const seen = new Seen(running.history, () => new Date(now++));
    const marks = await Promise.all([1, 2, 3].map(() => seen.mark(playIdOf(1), playerIdOf(1))));
    expect(new Set(marks).size).toBe(1);
    expect(await seen.mark(playIdOf(1), playerIdOf(1))).toBe(marks[0]);
    expect(await seen.mark(playIdOf(2), playerIdOf(1))).toBeNull();
    expect(await seen.mark(playIdOf(3), playerIdOf(1))).toBeNull();
    expect(await seen.mark(playIdOf(1), playerIdOf(2))).toBeNull();
    expect((await readerOf(running).page(playerIdOf(1), null, 10)).items.map(({ seenAt }) => seenAt)).toEqual([
      null,
      marks[0],
    ]);
  });
});
