import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import pg from 'pg';
import type { ParkedResponse, SendAgainResponse } from '#contracts';
import type { RecordHandler, Subject, Work } from '#event-sourcing';
import { privateKeyFile, publicKeyEntry, signingKey } from '#fairness';
import { freshDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { ConfigError } from './config.ts';
import { EventSourcedModule } from './event-sourced.module.ts';
import { EventSourced, type EventSourcedOptions } from './event-sourced.ts';
import { InternalClient, InternalProblem } from './internal-client.ts';
import { type Service, startService } from './service.ts';

type Counted = { readonly type: 'Counted'; readonly by: number };
const counters: Subject<number, Counted> = {
  name: 'counter',
  initial: 0,
  evolve: (count, { by }) => count + by,
};

const TOKEN = 'a-service-token-of-the-tests';
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'enjeu-event-sourced-'));
const key = signingKey(new Uint8Array(32).fill(7));
const keyFiles = { logKeyFile: join(folder, 'log.json'), keysFile: join(folder, 'keys.json') };
writeFileSync(keyFiles.logKeyFile, JSON.stringify(privateKeyFile(key.secretKey)));
writeFileSync(keyFiles.keysFile, JSON.stringify({ keys: [publicKeyEntry(key, 'log', '2009-02-05T12:00:00.000Z')] }));

let databases: { wallet: TestDatabase; issuance: TestDatabase };
const open: EventSourced[] = [];
const services: Service[] = [];

beforeEach(async () => {
  databases = { wallet: await freshDatabase(), issuance: await freshDatabase() };
});

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  await Promise.all(open.splice(0).map((one) => one.close()));
  await Promise.all(Object.values(databases).map((database) => database.drop()));
});

function make(name: 'wallet' | 'issuance', options: Partial<EventSourcedOptions> = {}): EventSourced {
  const made = new EventSourced({
    name,
    databaseUrl: databases[name].url,
    migrations: [],
    entities: [],
    bus: {
      ENJEU_BUS: 'postgres',
      ENJEU_WALLET_LOG_URL: databases.wallet.url,
      ENJEU_ISSUANCE_LOG_URL: databases.issuance.url,
    },
    headsFile: join(folder, `${databases[name].name}.heads`),
    ...keyFiles,
    handlers: () => [],
    sources: {},
    onLost: () => {},
    standby_ms: 50,
    ...options,
  });
  open.push(made);
  return made;
}

function count(id: string, by: number): Work<number> {
  return {
    states: [{ subject: counters, id }],
    decide(draft) {
      draft.emit(counters, id, { type: 'Counted', by });
      return { answer: draft.state(counters, id) };
    },
  };
}

async function counted(one: EventSourced, id: string, by: number): Promise<unknown> {
  const [answer] = await one.lane.run([count(id, by)]);
  return answer;
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 15_000;
  while (!(await check())) {
    if (performance.now() > until) throw new Error('it did not come to pass within 15 s');
    await pause(20);
  }
}

test('what was stored before a stop is there after it, and the last head is signed', async () => {
  const first = make('wallet');
  await first.open(never);
  await counted(first, 'a', 2);
  await first.close();
  const lines = readFileSync(first.options.headsFile, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).position)).toEqual([1]);

  const second = make('wallet');
  await second.open(never);
  expect((await second.log.read(0, 10)).map(({ type }) => type)).toEqual(['Counted', 'LogHeadSigned']);
  expect(await counted(second, 'a', 3)).toEqual({ kind: 'decided', answer: 5 });
});

test('a key with which no head would verify is refused before anything is signed', () => {
  const another = signingKey(new Uint8Array(32).fill(8));
  const keysFile = join(folder, 'other-keys.json');
  for (const entry of [
    publicKeyEntry(another, 'log', '2009-02-05T12:00:00.000Z'),
    publicKeyEntry(key, 'blocks', '2009-02-05T12:00:00.000Z'),
    publicKeyEntry(key, 'log', '2009-02-05T12:00:00.000Z', '2009-02-06T12:00:00.000Z'),
  ]) {
    writeFileSync(keysFile, JSON.stringify({ keys: [entry] }));
    expect(() => make('wallet', { keysFile })).toThrow(ConfigError);
  }
});

test('its members say so while it is not open', () => {
  expect(() => make('wallet').lane).toThrow('not open yet');
});

test('a second process stands by, not ready, and takes over when the first has gone', async () => {
  const first = make('wallet');
  await first.open(never);
  const second = make('wallet');
  let ready = false;
  const opening = second.open(never).then(() => {
    ready = true;
  });
  await pause(300);
  expect(ready).toBe(false);
  await counted(first, 'a', 1);
  await first.close();
  await opening;
  expect(await counted(second, 'a', 1)).toEqual({ kind: 'decided', answer: 2 });
});

test('a standby can be stopped', async () => {
  await make('wallet').open(never);
  const stopping = new AbortController();
  const second = make('wallet');
  const opening = second.open(stopping.signal);
  await pause(100);
  stopping.abort(new Error('the service is stopping'));
  await expect(opening).rejects.toThrow('the service is stopping');
  await second.close();
});

test('losing the connection that holds the lock is the end of the writer, closing it is not', async () => {
  const lost: string[] = [];
  const one = make('wallet', { onLost: (error) => lost.push(error.message) });
  await one.open(never);
  await terminate('enjeu-wallet-writer');
  await eventually(async () => lost.length > 0);
  expect(lost[0]).toMatch(/connection that makes it the writer is lost/);
  await one.close().catch(() => {});
  const other = make('wallet', { onLost: (error) => lost.push(error.message) });
  await other.open(never);
  await other.close();
  expect(lost).toHaveLength(1);
});

async function terminate(application: string): Promise<void> {
  const client = new pg.Client({ connectionString: databases.wallet.url });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
    [application],
  );
  await client.end();
}

test('a log that was restored to an earlier moment refuses to serve', async () => {
  const first = make('wallet');
  await first.open(never);
  await counted(first, 'a', 1);
  await first.close();
  const heads = first.options.headsFile;
  await databases.wallet.drop();
  databases = { ...databases, wallet: await freshDatabase() };
  await expect(make('wallet', { headsFile: heads }).open(never)).rejects.toThrow(/^log-behind-bus: /);
});

test('a database that does not exist fails the start with one line', async () => {
  const one = make('wallet', { databaseUrl: databases.wallet.url.replace(databases.wallet.name, 'nowhere') });
  await expect(one.open(never)).rejects.toThrow(/^database "nowhere" does not exist; create it/);
});

test('a migration that fails names itself and fails the start', async () => {
  class Broken1800000000000 {
    up = (runner: { query(statement: string): Promise<unknown> }) => runner.query('create tabel x ()');
    down = async () => {};
  }
  await expect(make('wallet', { migrations: [Broken1800000000000 as never] }).open(never)).rejects.toThrow(
    /could not be migrated: syntax error at or near "tabel"/,
  );
});

describe('following another log', () => {
  /** Counts what the wallet counted, and cannot handle negative numbers until it is told to. */
  function copying(patience: { withNegatives: boolean }): RecordHandler {
    return {
      source: 'wallet',
      work({ type, stream, body }) {
        if (type !== 'Counted') return null;
        const { by } = body as Counted;
        if (by < 0 && !patience.withNegatives) throw new Error('negative numbers are not handled yet');
        return count(stream, by);
      },
    };
  }

  async function serve(one: EventSourced): Promise<InternalClient> {
    @Module({ imports: [EventSourcedModule.for(one)] })
    class CopyModule {}
    const service = await startService(CopyModule, {
      name: 'copy',
      port: 0,
      host: '127.0.0.1',
      serviceToken: TOKEN,
      logLevel: 'silent',
      ready: (stopping) => one.open(stopping),
      stop: [() => one.close()],
    });
    services.push(service);
    await service.ready;
    return new InternalClient(service.url, TOKEN);
  }

  test('every record has its effect once, also across a restart', async () => {
    const wallet = make('wallet');
    await wallet.open(never);
    const handlers = () => [copying({ withNegatives: true })];
    const first = make('issuance', { handlers });
    await first.open(never);
    for (let by = 1; by <= 5; by++) await counted(wallet, 'a', by);
    await eventually(async () => (await first.log.head()).position >= 5);
    await first.close();
    for (let by = 6; by <= 10; by++) await counted(wallet, 'a', by);
    const second = make('issuance', { handlers });
    await second.open(never);
    await eventually(async () => (await sumOf(second)) >= 55);
    await pause(200);
    expect(await sumOf(second)).toBe(55);
  });

  async function sumOf(one: EventSourced): Promise<number> {
    const events = await one.log.read(0, 100);
    return events.reduce((sum, { type, data }) => sum + (type === 'Counted' ? JSON.parse(data).by : 0), 0);
  }

  test('a record that cannot be handled is listed, waits with those behind it, and is sent again in order', async () => {
    const wallet = make('wallet');
    await wallet.open(never);
    const patience = { withNegatives: false };
    const issuance = make('issuance', { handlers: () => [copying(patience)] });
    const client = await serve(issuance);
    for (const [id, by] of [
      ['a', -1],
      ['a', 2],
      ['b', 3],
    ] as const)
      await counted(wallet, id, by);
    await eventually(async () => (await client.get<ParkedResponse>('/parked')).items.length === 2);
    expect(await sumOf(issuance)).toBe(3);
    expect((await client.get<ParkedResponse>('/parked?limit=1&key=counter-a')).items).toMatchObject([
      {
        source: 'wallet',
        position: 1,
        key: 'counter-a',
        type: 'Counted',
        error: 'negative numbers are not handled yet',
      },
    ]);
    const again = () => client.post<SendAgainResponse>('/parked/send-again', { key: 'counter-a' });
    expect(await again()).toEqual({ handled: 0, left: 2, error: 'negative numbers are not handled yet' });
    patience.withNegatives = true;
    expect(await again()).toEqual({ handled: 2, left: 0, error: null });
    expect(await sumOf(issuance)).toBe(4);
    await client.close();
  });

  test('on postgres there is nothing to publish again, and forms are checked', async () => {
    const client = await serve(make('issuance'));
    expect(await client.post('/publish-again', { position: 0 })).toEqual({ moved: false });
    for (const [path, body] of [
      ['/publish-again', { position: -1 }],
      ['/publish-again', { position: '1' }],
      ['/parked/send-again', { key: 7 }],
      ['/parked/send-again', {}],
    ] as const) {
      await expect(client.post(path, body)).rejects.toMatchObject({ status: 400, problem: 'body-invalid' });
    }
    await expect(client.get('/parked?limit=0')).rejects.toBeInstanceOf(InternalProblem);
    await client.close();
  });
});
