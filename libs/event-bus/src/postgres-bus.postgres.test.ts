import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstChain } from '#event-sourcing';
import { ensureDatabase, type RunningPostgres, startPostgres } from '../../../test/setup/servers.ts';
import type { Bus } from './bus.ts';
import { type BusRig, busContract, Ledger, TestFollower, until } from './bus-contract.ts';
import { PostgresBus } from './postgres-bus.ts';
import { TestLog } from './test-log.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'enjeu-postgres-bus-'));
const SETTINGS = { fsync: 'off', full_page_writes: 'off' };
let server: RunningPostgres;

beforeAll(async () => {
  server = await startPostgres({ dataDir, settings: SETTINGS });
}, 60_000);
afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

class PostgresRig implements BusRig {
  readonly #buses: Bus[] = [];

  static async open(): Promise<PostgresRig> {
    const url = await ensureDatabase(server.url, `bus_${randomUUID().replaceAll('-', '')}`);
    return new PostgresRig(await TestLog.open(url));
  }

  private constructor(private source: TestLog) {}

  bus(options: { readonly batch?: number; readonly gatherMs?: number } = {}): PostgresBus {
    const bus = new PostgresBus({ logs: { wallet: this.source.url }, ...options });
    this.#buses.push(bus);
    return bus;
  }

  append: BusRig['append'] = (count, filler) => this.source.append(count, filler);
  read: BusRig['read'] = (after, limit) => this.source.readAfter(after, limit);
  firstChain = async () => firstChain((await this.source.head()).logId);
  chain = async () => (await this.source.head()).chain;

  async lose(count: number): Promise<void> {
    await this.source.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'enjeu-bus %'",
    );
    await this.append(count);
  }

  async settled(): Promise<void> {}

  async publishAgain(): Promise<void> {}

  crash = async () => {
    await this.source.close();
    await server.kill9();
    return async () => {
      server = await startPostgres({ dataDir, port: server.port, settings: SETTINGS });
      this.source = await TestLog.open(this.source.url);
    };
  };

  query = (sql: string) => this.source.query(sql);
  url = () => this.source.url;

  async close(): Promise<void> {
    await Promise.all(this.#buses.map((bus) => bus.close()));
    await this.source.close();
  }
}

describe('the bus on PostgreSQL', () => busContract(PostgresRig.open));

describe('a log read in place', () => {
  let rig: PostgresRig;
  beforeEach(async () => {
    rig = await PostgresRig.open();
  });
  afterEach(() => rig.close());

  test('small appends come with their notification: the table is not read for them', async () => {
    const one = new TestFollower(new Ledger());
    await rig.append(1);
    await rig.bus().follow('wallet', one);
    await until(() => one.ledger.position === 1, 'the first is read');
    await rig.query('alter table events rename to hidden');
    await rig.query('create view events as select * from hidden where false');
    await rig.query('create rule forward as on insert to events do instead insert into hidden values (new.*)');
    for (const count of [1, 3, 2]) await rig.append(count);
    await until(() => one.ledger.position === 7, 'all arrive');
  });

  test('a plan made while the log was empty does not read the whole table once it has grown', async () => {
    const one = new TestFollower(new Ledger());
    const subscription = await rig.bus({ batch: 200 }).follow('wallet', one);
    for (let i = 0; i < 10; i++) await rig.append(1);
    await until(() => one.ledger.position === 10, 'the statement is prepared');
    for (let i = 0; i < 20; i++) await rig.append(1_000);
    await until(() => one.ledger.position === 20_010, 'all arrive');
    await subscription.stop();
    await sleep(100);
    const [stats] = await rig.query(
      "select seq_scan::int, idx_scan::int from pg_stat_user_tables where relname = 'events'",
    );
    expect(stats?.['seq_scan']).toBeLessThanOrEqual(2);
    expect(stats?.['idx_scan']).toBeGreaterThanOrEqual(100);
  });

  test('a follower that has applied more than the log holds is given nothing, and it is said', async () => {
    await rig.append(10);
    const ledger = new Ledger();
    ledger.at = { source: 'wallet', epoch: 1, position: 12, offset: null };
    const one = new TestFollower(ledger);
    const said: unknown[] = [];
    const logBehind = (...about: unknown[]) => said.push(about);
    const bus = new PostgresBus({ logs: { wallet: rig.url() }, reports: { logBehind } });
    await bus.follow('wallet', one);
    await until(() => said.length > 0, 'it is said');
    await rig.append(10);
    await sleep(300);
    expect([said, one.calls]).toEqual([[['wallet', 'test', 12, 10]], 0]);
    await bus.close();
  });

  test('a source without an address is refused at once', async () => {
    await expect(rig.bus().follow('issuance', new TestFollower(new Ledger()))).rejects.toThrow(
      "the address of issuance's log is not known",
    );
  });
});
