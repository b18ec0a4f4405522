import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresOptions, type RunningPostgres, startPostgres, stopPostgresIn } from './postgres.ts';
import { findBinaries } from './postgres-programs.ts';
import { isAlive, waitUntilGone } from './processes.ts';

const folders: string[] = [];
const started: RunningPostgres[] = [];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'enjeu-postgres-'));
  folders.push(made);
  return made;
}

async function start(options: PostgresOptions): Promise<RunningPostgres> {
  const server = await startPostgres(options);
  started.push(server);
  return server;
}

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

afterEach(async () => {
  for (const server of started.splice(0)) await server.kill9();
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

test('data, port and password outlast a stop', async () => {
  const dataDir = folder();
  const first = await start({ dataDir });
  await ask(first.url, 'create table kept as select 7 as n');
  await first.stop();
  expect(first.running()).toBe(false);
  const second = await start({ dataDir });
  expect(second.url).toBe(first.url);
  expect(await ask(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
});

test('what was committed outlasts kill -9 of the server, which starts again at once', async () => {
  const dataDir = folder();
  const first = await start({ dataDir });
  await ask(first.url, 'create table kept as select generate_series(1, 1000) as n');
  await first.kill9();
  expect(first.running()).toBe(false);
  const second = await start({ dataDir, port: first.port });
  expect(second.takenOver).toBe(false);
  expect(await ask(second.url, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
});

test('it is durable unless told otherwise', async () => {
  const server = await start({ dataDir: folder() });
  const settings = "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') order by name";
  expect(await ask(server.url, settings)).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);
});

test('the server of a launcher that was killed is taken over, and can be stopped', async () => {
  const dataDir = folder();
  const module = new URL('./postgres.ts', import.meta.url).href;
  const program = `
    const { startPostgres } = await import(${JSON.stringify(module)});
    const { pid } = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(pid);
    setInterval(() => undefined, 1000);`;
  const node = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const launcher = spawn(process.execPath, [...node, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(await new Promise((resolve) => launcher.stdout.once('data', resolve)));
  launcher.kill('SIGKILL');
  await new Promise((resolve) => launcher.once('close', resolve));
  expect(isAlive(pid)).toBe(true);

  const server = await start({ dataDir });
  expect([server.takenOver, server.pid]).toEqual([true, pid]);
  expect(await ask(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  expect(await stopPostgresIn(dataDir)).toBe(true);
  expect(isAlive(pid)).toBe(false);
  expect(await stopPostgresIn(dataDir)).toBe(false);
});

test('Ctrl-C in the terminal of the launcher does not reach the server', async () => {
  const server = await start({ dataDir: folder() });
  const groupOf = (pid: number | string) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
  expect(groupOf(server.pid)).not.toBe(groupOf('self'));
});

test('a postmaster.pid that names some other process does not stop a start', async () => {
  const dataDir = folder();
  const first = await start({ dataDir });
  await first.kill9();
  const file = join(dataDir, 'cluster', 'postmaster.pid');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(process.pid)));
  const second = await start({ dataDir });
  expect(second.takenOver).toBe(false);
});

test('a port that another program has is refused by name', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  await expect(startPostgres({ dataDir: folder(), port })).rejects.toThrow(
    `port ${port}, which PostgreSQL wants, is taken by another program: free it or choose another.`,
  );
  other.close();
});

test('the port of the last time gives way to a free one when another program has it', async () => {
  const dataDir = folder();
  const first = await start({ dataDir });
  await first.stop();
  const other = createServer().listen(first.port, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const second = await start({ dataDir });
  expect(second.port).not.toBe(first.port);
  other.close();
});

test('a data folder that cannot be made is refused by name', async () => {
  const file = join(folder(), 'a-file');
  writeFileSync(file, '');
  await expect(startPostgres({ dataDir: join(file, 'data') })).rejects.toThrow(
    /^the data folder .*a-file.* cannot be made/,
  );
});

test('a data folder below one that the server may not enter is refused by name', async () => {
  const closed = folder();
  const dataDir = join(closed, 'data');
  mkdirSync(dataDir);
  if (process.getuid?.() === 0) {
    chownSync(dataDir, 12_345, 12_345);
    chmodSync(closed, 0o700);
  } else chmodSync(dataDir, 0o500);
  await expect(startPostgres({ dataDir })).rejects.toThrow(
    /^PostgreSQL cannot reach its data folder .*data: it runs as /,
  );
  chmodSync(dataDir, 0o700);
});

test('a damaged cluster is refused with what the server says of it, and the next start of a whole one is not held up', async () => {
  const dataDir = folder();
  const server = await start({ dataDir });
  await server.stop();
  const control = join(dataDir, 'cluster', 'global', 'pg_control');
  const whole = readFileSync(control);
  writeFileSync(control, whole.subarray(0, 100));
  await expect(startPostgres({ dataDir })).rejects.toThrow(/^PostgreSQL does not start on .*cluster: .*pg_control/);
  writeFileSync(control, whole);
  await start({ dataDir });
});

test('an interrupted initdb leaves nothing that the next start trips over', async () => {
  const dataDir = folder();
  mkdirSync(join(dataDir, 'cluster.new', 'base'), { recursive: true });
  expect((await start({ dataDir })).running()).toBe(true);
});

test('where user namespaces are forbidden, root gives the folder to another user and goes on', async () => {
  if (process.getuid?.() !== 0) return;
  const dataDir = folder();
  const server = await start({ dataDir, namespaces: false });
  expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(/^Uid:\s+65534/m);
  await server.kill9();
  await waitUntilGone(server.pid, 1000);
  expect((await start({ dataDir })).running()).toBe(true);
});

test('a platform without PostgreSQL is told what is missing', () => {
  expect(() => findBinaries('plan9', 'mips')).toThrow(/^PostgreSQL for plan9-mips is not installed: run npm ci/);
});
