import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type {
  BlocksResponse,
  BlockView,
  EmissionsResponse,
  ParkedResponse,
  ReceiptResponse,
  SalesResponse,
} from '#contracts';
import { LOG_MIGRATIONS, type NewEvent, openPostgresLog, type PostgresLog } from '#event-sourcing';
import {
  type Commitment,
  canonical,
  privateKeyFile,
  publicKeyEntry,
  signingKey,
  verifyCommitments,
  verifyOpening,
  verifyReceipt,
} from '#fairness';
import { rulesOf } from '#mechanics';
import { InternalClient, type Service } from '#service';
import { tinyMatch } from '../../../test/fixtures/tiny-game.ts';
import { freshDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { blocksKey } from './issuance.fixture.ts';
import { startIssuance } from './issuance.ts';

const token = 'a-service-token-for-tests';
/** Each block starts a thread from source: seconds on a busy machine. */
const PATIENCE_MS = 60_000;
const logKey = signingKey(new Uint8Array(32).fill(9));
const keys = {
  keys: [
    publicKeyEntry(blocksKey, 'blocks', '2020-01-01T00:00:00.000Z'),
    publicKeyEntry(logKey, 'log', '2020-01-01T00:00:00.000Z'),
  ],
};
const keyEncryptionKey = '11'.repeat(32);
const regulation = tinyMatch();

let folder: string;
let databases: { issuance: TestDatabase; wallet: TestDatabase };
let walletClient: pg.Client;
let walletLog: PostgresLog;
let walletPosition: number;
let service: Service;
let client: InternalClient;

function environment(changes: Record<string, string> = {}): Record<string, string> {
  return {
    PORT: '0',
    ENJEU_LOG_LEVEL: 'silent',
    ENJEU_DATABASE_URL: databases.issuance.url,
    ENJEU_SERVICE_TOKEN: token,
    ENJEU_WALLET_URL: 'http://127.0.0.1:9',
    ENJEU_BUS: 'postgres',
    ENJEU_WALLET_LOG_URL: databases.wallet.url,
    ENJEU_KEYS_FILE: join(folder, 'keys.json'),
    ENJEU_LOG_KEY_FILE: join(folder, 'log.json'),
    ENJEU_BLOCKS_KEY_FILE: join(folder, 'blocks.json'),
    ENJEU_HEADS_FILE: join(folder, 'heads.jsonl'),
    ENJEU_KEY_ENCRYPTION_KEY: keyEncryptionKey,
    ENJEU_REGULATIONS_DIR: join(folder, 'regulations'),
    ...changes,
  };
}

async function start(): Promise<void> {
  service = await startIssuance(environment());
  await service.ready;
  client = new InternalClient(service.url, token);
}

async function stop(): Promise<void> {
  await client.close();
  await service.stop();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'enjeu-issuance-'));
  const general = 'general@2001-04-05.json';
  const fixtures = join(import.meta.dirname, '../../../test/fixtures/regulations');
  mkdirSync(join(folder, 'regulations'));
  copyFileSync(join(fixtures, general), join(folder, 'regulations', general));
  writeFileSync(join(folder, 'regulations', `${regulation.id}.json`), JSON.stringify(regulation));
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(keys));
  writeFileSync(join(folder, 'log.json'), JSON.stringify(privateKeyFile(logKey.secretKey)));
  writeFileSync(join(folder, 'blocks.json'), JSON.stringify(privateKeyFile(blocksKey.secretKey)));
  databases = { issuance: await freshDatabase(), wallet: await freshDatabase() };
  walletClient = new pg.Client({ connectionString: databases.wallet.url });
  await walletClient.connect();
  for (const { statements } of LOG_MIGRATIONS) for (const statement of statements) await walletClient.query(statement);
  walletLog = await openPostgresLog(walletClient);
  walletPosition = 0;
  await start();
}, PATIENCE_MS);

afterEach(async () => {
  await stop();
  await walletClient.end();
  await databases.issuance.drop();
  await databases.wallet.drop();
  rmSync(folder, { recursive: true });
});

/** What the wallet does when it debits: one append of this many stakes. */
async function debit(count: number): Promise<void> {
  const events = Array.from({ length: count }, (): NewEvent => {
    const [playId, playerId, at] = [randomUUID(), randomUUID(), new Date().toISOString()];
    const play = {
      playId,
      playerId,
      game: 'tiny',
      stakeCents: 100,
      regulation: regulation.id,
      mode: null,
      placedAt: at,
    };
    const data = canonical({ ...play, availableCents: 0 });
    const of = { stream: `account-${playerId}`, version: 1, type: 'StakeDebited', schemaVersion: 1 };
    return { ...of, occurredAt: at, correlation: playId, data };
  });
  await walletLog.append({ events, states: [], keys: [], positions: [], parked: [], unparked: [] });
  walletPosition += count;
}

async function outcomes(): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const issuance = new pg.Client({ connectionString: databases.issuance.url });
  await issuance.connect();
  try {
    for (;;) {
      const { rows: applied } = await issuance.query(
        "select position::int as position from positions where source = 'wallet'",
      );
      const { rows } = await issuance.query(
        "select type, data from events where type in ('UnitIssued', 'UnitRefused') order by position",
      );
      if (applied[0]?.position === walletPosition) return rows;
      await pause(10);
    }
  } finally {
    await issuance.end();
  }
}

async function until<Answer>(path: string, holds: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await client.get<Answer>(path);
    if (holds(answer)) return answer;
    await pause(10);
  }
}

const order = (changes: object = {}) => ({
  emissionId: randomUUID(),
  regulation: regulation.id,
  stakeCents: 100,
  blocks: 2,
  approvedBy: ['operator-1', 'supervisor-2'],
  ...changes,
});

const told = (changes: object = {}) => ({
  kind: 'script-differs',
  subject: randomUUID(),
  detail: 'sudoku/1, unit 7: another digest than at issue',
  ...changes,
});

async function incidents(): Promise<Record<string, unknown>[]> {
  const issuance = new pg.Client({ connectionString: databases.issuance.url });
  await issuance.connect();
  try {
    const { rows } = await issuance.query("select data from events where type = 'IncidentRaised' order by position");
    return rows.map(({ data }) => data);
  } finally {
    await issuance.end();
  }
}

const onSale = async (blocks: number) => {
  const body = order({ blocks });
  expect(await client.post('/emissions/approve', body)).toEqual({ kind: 'approved' });
  await until<SalesResponse>('/sales', ({ sales }) => sales.length > 0);
  return body;
};

test(
  'REG-2.1: an approved emission is prepared, sold to its last unit and closed, and every address tells how far it is',
  async () => {
    const { emissionId } = await onSale(2);
    const emission = { emissionId, regulation: regulation.id, stakeCents: 100, blocks: 2 };
    const prepared = await until<EmissionsResponse>('/emissions', ({ emissions }) => emissions[0]?.committed === 2);
    expect(prepared.emissions).toEqual([{ ...emission, committed: 2, status: 'open' }]);
    expect(await client.get('/sales')).toEqual({
      sales: [{ game: 'tiny', stakeCents: 100, regulation: regulation.id, status: 'open', notice: null }],
    });
    await debit(25);
    expect((await outcomes()).map(({ type }) => type)).toEqual(Array(25).fill('UnitIssued'));
    const { items } = await client.get<BlocksResponse>('/blocks');
    const views = await Promise.all(items.map(({ blockId }) => client.get<BlockView>(`/blocks/${blockId}`)));
    expect(views.map(({ status, sold }) => [status, sold])).toEqual([
      ['exhausted', 20],
      ['open', 5],
    ]);
    for (const [i, { commitment, opening }] of views.entries()) {
      expect(commitment).toEqual(items[i]);
      const checked = verifyOpening(opening, commitment as unknown as Commitment, keys, null);
      expect(checked).toMatchObject({ accepted: { blockId: commitment['blockId'] } });
    }
    expect((await outcomes()).map(({ data }) => data['unitIndex'])).toEqual(
      views.flatMap(({ opening, sold }) =>
        Array.from({ length: sold }, (_, n) => (Number(opening?.['start']) + n) % 20),
      ),
    );
    await debit(17);
    const reasons = (await outcomes()).filter(({ type }) => type === 'UnitRefused').map(({ data }) => data['reason']);
    expect(reasons).toEqual(['no-unit-left', 'no-unit-left']);
    expect((await client.get<SalesResponse>('/sales')).sales[0]?.status).toBe('closed');
    expect(await client.get('/emissions')).toEqual({ emissions: [{ ...emission, committed: 2, status: 'used-up' }] });
  },
  PATIENCE_MS,
);

test(
  'whoever looks at blocks, sales or emissions never waits for the writer, nor the writer for him',
  async () => {
    await onSale(1);
    const { items } = await client.get<BlocksResponse>('/blocks');
    const locking = new pg.Client({ connectionString: databases.issuance.url });
    await locking.connect();
    await locking.query('begin');
    await locking.query('select from log_head for update');
    const suspended = client.post('/sales/suspend', { game: 'tiny', notice: null });
    await pause(200);
    const paths = ['/sales', '/emissions', `/blocks/${items[0]?.['blockId']}`];
    const answers = await Promise.allSettled(paths.map((path) => client.get(path, { timeout_ms: 2_000 })));
    await locking.query('rollback');
    await locking.end();
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(await suspended).toMatchObject({ changed: expect.arrayContaining([100]) });
  },
  PATIENCE_MS,
);

test(
  'an approval sent again is answered as repeated, and every refusal is a 409 with its reason',
  async () => {
    const body = await onSale(1);
    expect(await client.post('/emissions/approve', body)).toEqual({ kind: 'repeated' });
    const refusals: [object, string][] = [
      [{ ...body, blocks: 5 }, 'emission-already-approved'],
      [order({ approvedBy: ['operator-1', 'operator-1'] }), 'same-approver'],
      [order({ regulation: 'tiny@1999-01-01' }), 'regulation-unknown'],
      [order({ stakeCents: 300 }), 'stake-unknown'],
      [order({ blocks: 0 }), 'blocks-below-one'],
    ];
    for (const [refused, problem] of refusals) {
      await expect(client.post('/emissions/approve', refused)).rejects.toMatchObject({ status: 409, problem });
    }
    expect((await client.get<EmissionsResponse>('/emissions')).emissions).toHaveLength(1);
  },
  PATIENCE_MS,
);

test(
  'bodies and addresses of another form are answered with a problem and change nothing',
  async () => {
    const bodies: [string, unknown][] = [
      ['/emissions/approve', []],
      ['/emissions/approve', order({ stakeCents: '100' })],
      ['/emissions/approve', order({ stakeCents: 0.5 })],
      ['/emissions/approve', order({ blocks: 1e9 })],
      ['/emissions/approve', order({ approvedBy: ['operator-1'] })],
      ['/emissions/approve', order({ approvedBy: ['operator-1', 'a\u0000b'] })],
      ['/emissions/approve', order({ emissionId: 'none' })],
      ['/emissions/approve', order({ extra: true })],
      ['/sales/suspend', { game: 'tiny' }],
      ['/sales/suspend', { game: 'tiny', notice: { fr: 'Arrêt' } }],
      ['/sales/suspend', { game: 'tiny', notice: { fr: 'a\u0000', en: 'b' } }],
      ['/sales/suspend', { game: 'tiny', notice: [] }],
      ['/sales/resume', { game: '' }],
      ['/incidents', told({ kind: 'script-rejected' })],
      ['/incidents', told({ subject: 'a play' })],
      ['/incidents', told({ detail: '' })],
      ['/incidents', told({ detail: 'a\nb' })],
      ['/incidents', told({ detail: 'x'.repeat(1_001) })],
      ['/incidents', told({ seed: '00' })],
      ['/incidents', { kind: 'script-differs' }],
    ];
    for (const [path, body] of bodies) {
      await expect(client.post(path, body)).rejects.toMatchObject({ status: 400, problem: 'body-invalid' });
    }
    await expect(client.post('/sales/suspend', { game: 'unknown', notice: null })).rejects.toMatchObject({
      status: 404,
    });
    for (const path of ['/blocks?from=-1', '/blocks?limit=0', '/blocks?limit=101', '/blocks?limit=x']) {
      await expect(client.get(path)).rejects.toMatchObject({ status: 400, problem: 'bad-request' });
    }
    for (const id of ['none', randomUUID()]) {
      await expect(client.get(`/blocks/${id}`)).rejects.toMatchObject({ status: 404, problem: 'block-unknown' });
    }
    expect(await client.get('/emissions')).toEqual({ emissions: [] });
    expect(await client.get('/sales')).toEqual({ sales: [] });
  },
  PATIENCE_MS,
);

test(
  'REG-1.1: an operator suspends and resumes the sale of a game, with a notice, and an order repeated changes nothing',
  async () => {
    await onSale(1);
    const notice = { fr: 'Vente reportée', en: 'Sale postponed' };
    expect(await client.post('/sales/suspend', { game: 'tiny', notice })).toEqual({ changed: [100, 200] });
    expect(await client.post('/sales/suspend', { game: 'tiny', notice })).toEqual({ changed: [] });
    const { sales } = await client.get<SalesResponse>('/sales');
    expect(sales.map(({ status, notice }) => [status, notice])).toEqual(Array(2).fill(['suspended', notice]));
    await debit(1);
    expect((await outcomes())[0]?.data).toMatchObject({ reason: 'sale-suspended' });
    expect(await client.post('/sales/resume', { game: 'tiny' })).toEqual({ changed: [100, 200] });
    expect(await client.post('/sales/resume', { game: 'tiny' })).toEqual({ changed: [] });
    await debit(1);
    expect((await outcomes())[1]?.type).toBe('UnitIssued');
  },
  PATIENCE_MS,
);

test(
  'REG-4.3: what the gateway notices of a script is raised once for its play, however often and at once it is told',
  async () => {
    const first = told();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/incidents', first)));
    expect(answers.filter((answer) => (answer as { kind: string }).kind === 'raised')).toHaveLength(1);
    await stop();
    await start();
    expect(await client.post('/incidents', { ...first, detail: 'told in other words' })).toEqual({ kind: 'repeated' });
    const second = told();
    expect(await client.post('/incidents', second)).toEqual({ kind: 'raised' });
    expect(await incidents()).toEqual(
      [first, second].map((incident) => ({
        ...incident,
        incidentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        raisedAt: expect.any(String),
      })),
    );
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^enjeu_incidents_total\{kind="script-differs"\} 2$/m);
  },
  PATIENCE_MS,
);

test(
  'an incident is taken from nobody without the service token',
  async () => {
    const response = await fetch(`${service.url}/internal/v1/incidents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer another' },
      body: JSON.stringify(told()),
    });
    expect(response.status).toBe(401);
    expect(await incidents()).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'the list of commitments is read by pages, in order, chained and signed',
  async () => {
    await onSale(5);
    await until<EmissionsResponse>('/emissions', ({ emissions }) => emissions[0]?.committed === 2);
    await debit(60);
    await outcomes();
    await until<EmissionsResponse>('/emissions', ({ emissions }) => emissions[0]?.committed === 5);
    const items: Record<string, unknown>[] = [];
    for (let from: number | null = 0; from !== null; ) {
      const page: BlocksResponse = await client.get(`/blocks?from=${from}&limit=2`);
      items.push(...page.items);
      from = page.next;
    }
    expect(items.map(({ entry }) => entry)).toEqual([0, 1, 2, 3, 4]);
    expect(verifyCommitments(items, keys)).toHaveProperty('accepted');
    expect(await client.get('/blocks?from=5')).toEqual({ items: [], next: null });
  },
  PATIENCE_MS,
);

test(
  'a restart finds everything as it was left',
  async () => {
    await onSale(3);
    await until<EmissionsResponse>('/emissions', ({ emissions }) => emissions[0]?.committed === 2);
    await debit(7);
    await outcomes();
    const state = async () => Promise.all(['/sales', '/emissions', '/blocks'].map((path) => client.get(path)));
    const before = await state();
    await stop();
    await start();
    expect(await state()).toEqual(before);
    await debit(3);
    const sequences = (await outcomes()).map(({ data }) => data['sequence']);
    expect(sequences).toEqual(Array.from({ length: 10 }, (_, n) => n));
  },
  PATIENCE_MS,
);

test(
  'the unit of every sale is proved by its receipt, to who knows nothing but the public keys and the regulation',
  async () => {
    await onSale(2);
    await debit(25);
    const sales = (await outcomes()).map(({ data }) => data);
    const rules = rulesOf(() => regulation);
    const of = async (sale: Record<string, unknown>) => {
      const path = `/blocks/${sale['blockId']}/units/${sale['sequence']}/receipt`;
      return (await client.get<ReceiptResponse>(path)).receipt;
    };
    for (const sale of sales) {
      const receipt = await of(sale);
      const playerId = String(sale['playerId']);
      const verified = verifyReceipt(receipt, { keys, rulesOf: rules, isRoundSignature: null, playerId });
      expect(verified.failure).toBeNull();
      const { playId, prizeCents, unitIndex, seed, scriptDigest } = sale;
      expect(receipt).toMatchObject({ playId, prizeCents, unitIndex, seed, scriptDigest });
      expect(receipt['script']).toMatchObject({ mechanic: 'match/1' });
    }
    await expect(of({ ...sales[0], sequence: 20 })).rejects.toThrow(/404 unit-unknown/);
    await expect(of({ ...sales[0], blockId: randomUUID() })).rejects.toThrow(/404 unit-unknown/);
  },
  PATIENCE_MS,
);

test(
  'with another key-encryption key issuance does not become ready and says why in one line',
  async () => {
    await stop();
    const refused = await startIssuance(environment({ ENJEU_KEY_ENCRYPTION_KEY: '22'.repeat(32) }));
    await expect(refused.ready).rejects.toThrow(
      /^the key-encryption key is not the one that sealed the blocks of this database$/,
    );
    await refused.stop();
    await expect(startIssuance(environment({ ENJEU_KEY_ENCRYPTION_KEY: '' }))).rejects.toThrow(
      /ENJEU_KEY_ENCRYPTION_KEY/,
    );
    await start();
  },
  PATIENCE_MS,
);

test(
  'a regulation that is gone or was changed after blocks were committed under it keeps issuance from becoming ready',
  async () => {
    await onSale(1);
    await stop();
    const file = join(folder, 'regulations', `${regulation.id}.json`);
    const refuses = async (words: RegExp) => {
      const other = await startIssuance(environment());
      await expect(other.ready).rejects.toThrow(words);
      await other.stop();
    };
    writeFileSync(file, JSON.stringify({ ...regulation, opensOn: '2020-02-02' }));
    await refuses(/committed under tiny@2020-01-01, and its file is another one now/);
    rmSync(file);
    await refuses(/committed under tiny@2020-01-01, which is not on file; put its file back/);
    writeFileSync(file, JSON.stringify(regulation));
    await start();
  },
  PATIENCE_MS,
);

test(
  'a key that is not among the public keys for blocks keeps issuance from starting',
  async () => {
    await expect(startIssuance(environment({ ENJEU_BLOCKS_KEY_FILE: join(folder, 'log.json') }))).rejects.toThrow(
      /cannot sign under .*: key \S+ signs log, not blocks$/,
    );
  },
  PATIENCE_MS,
);

test(
  'a record that is no stake is parked under its key and shown; the others go on',
  async () => {
    await onSale(1);
    const data = canonical({ playId: randomUUID() });
    const of = { stream: 'account-x', version: 1, type: 'StakeDebited', schemaVersion: 1, correlation: null };
    const events = [{ ...of, occurredAt: new Date().toISOString(), data }];
    await walletLog.append({ events, states: [], keys: [], positions: [], parked: [], unparked: [] });
    walletPosition++;
    await debit(2);
    expect(await outcomes()).toHaveLength(2);
    const { items } = await client.get<ParkedResponse>('/parked');
    expect(items.map(({ source, position, key }) => ({ source, position, key }))).toEqual([
      { source: 'wallet', position: 1, key: 'account-x' },
    ]);
  },
  PATIENCE_MS,
);
