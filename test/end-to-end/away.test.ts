import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inDatabase } from '../../apps/enjeu/src/embedded/databases.ts';
import { audit } from './audit.ts';
import { TestPlatform } from './platform.ts';
import { untilSettled } from './traffic.ts';

const platform = new TestPlatform();

beforeAll(async () => {
  await platform.start();
}, 240_000);

afterAll(async () => {
  await platform.dispose();
}, 60_000);

/** Stops a process without ending it: it is there and says nothing, as a machine that hangs does. */
async function whileFrozen(name: string, work: () => Promise<void>): Promise<void> {
  const pid = platform.running().pids[name] ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

test('REG-4.2: while issuance is away a play is pending, is the last one, and settles when issuance is back', async () => {
  const token = await platform.token('demo-1');
  await platform.play(token, 'sudoku', 50);
  let playId = '';
  await whileFrozen('issuance', async () => {
    const placed = await platform.play(token, 'sudoku', 100);
    expect(placed.status).toBe(202);
    expect(placed.headers.get('location')).toBe(`/api/v1/plays/${placed.body.playId}`);
    playId = placed.body.playId;
    const last = await platform.call('GET', '/api/v1/plays/last', { token });
    expect([last.status, last.body.playId, last.body.status]).toEqual([200, playId, 'pending']);
  });
  await untilSettled(platform, new Map([['demo-1', token]]));
  const settled = await platform.call('GET', `/api/v1/plays/${playId}`, { token });
  expect(['won', 'lost']).toContain(settled.body.status);
}, 120_000);

test('REG-4.2: while history is away the last play is the newest one or nothing is said, never an older one', async () => {
  const token = await platform.token('demo-2');
  await platform.play(token, 'sudoku', 50);
  await whileFrozen('history', async () => {
    const placed = await platform.play(token, 'sudoku', 50);
    expect(placed.status).toBe(201);
    const last = await platform.call('GET', '/api/v1/plays/last', { token });
    if (last.status === 200)
      expect(last.body).toMatchObject({ playId: placed.body.playId, status: placed.body.status });
    else expect(last.status).toBe(503);
  });
  await untilSettled(platform, new Map([['demo-2', token]]));
}, 120_000);

test('one parked stake stops nobody but its player, and is handled when it is sent again', async () => {
  const [stuck, free] = [await platform.token('demo-5'), await platform.token('demo-6')];
  // A trigger stands for whatever makes one record impossible to store: it refuses this player's outcomes alone.
  const superuser = await superuserOf('issuance');
  const me = (await platform.call('GET', '/api/v1/me', { token: stuck })).body.playerId as string;
  await superuser.query(`
    create function refuse_one() returns trigger language plpgsql as $$
    begin
      if new.data->>'playerId' = '${me}' then raise exception using errcode = '22000', message = 'planted'; end if;
      return new;
    end $$;
    create trigger refuse_one before insert on events for each row execute function refuse_one();
  `);
  const placed = await platform.play(stuck, 'sudoku', 50);
  expect(placed.status).toBe(202);
  for (let n = 0; n < 3; n += 1) expect((await platform.play(free, 'sudoku', 50)).status).toBe(201);
  const key = randomUUID();
  const behind = await platform.play(stuck, 'sudoku', 50, key);
  expect(behind.status).toBe(202);

  const listed = await platform.enjeu('parked', 'issuance');
  expect(listed.stdout).toMatch(new RegExp(`StakeDebited {2}key ${me} {2}.*planted`));
  await superuser.query('drop trigger refuse_one on events');
  await superuser.end();
  const again = await platform.enjeu('parked', 'issuance', '--send-again', me);
  expect(again).toMatchObject({ code: 0, stdout: '2 handled, 0 still parked\n' });
  await untilSettled(platform, new Map([['demo-5', stuck]]));
  expect((await platform.enjeu('parked', 'issuance')).stdout).toBe('nothing is parked in issuance\n');
  await pause(200);
  expect((await audit(platform.running())).faults).toEqual([]);
}, 120_000);

async function superuserOf(database: string): Promise<pg.Client> {
  const { readFileSync } = await import('node:fs');
  const password = readFileSync(`${platform.data}/postgres/password`, 'utf8').trim();
  const url = new URL(inDatabase(platform.running().logUrls[database] ?? '', database));
  url.username = 'enjeu';
  url.password = password;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return client;
}
