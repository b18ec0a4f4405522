import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  LOG_MIGRATIONS,
  openLane,
  openPostgresLog,
  requestHash,
  type SourceRecord,
  type Subject,
} from '#event-sourcing';
import { privateKeyFile, publicKeyEntry, signingKey } from '#fairness';
import { freshDatabase } from '../../../test/setup/database.ts';
import { startWallet } from '../src/wallet.ts';
import { AT, IssuanceRecords } from './issuance-records.ts';

const SERVICE_TOKEN = 'the token of these tests';

/** The wallet as it is deployed, on a database of its own, following an issuance log that the test writes. */
export async function runningWallet() {
  const [database, issuance, folder] = await Promise.all([freshDatabase(), issuanceLog(), keysFolder()]);
  const environment = {
    PORT: '0',
    ENJEU_LOG_LEVEL: 'silent',
    ENJEU_BUS: 'postgres',
    ENJEU_DATABASE_URL: database.url,
    ENJEU_ISSUANCE_LOG_URL: issuance.url,
    ENJEU_ISSUANCE_URL: 'http://127.0.0.1:9',
    ENJEU_SERVICE_TOKEN: SERVICE_TOKEN,
    ENJEU_LOG_KEY_FILE: join(folder, 'log.json'),
    ENJEU_KEYS_FILE: join(folder, 'keys.json'),
    ENJEU_HEADS_FILE: join(folder, 'heads.jsonl'),
  };
  let service = await started(environment);
  return {
    issuance,
    get: <Answer>(path: string) => call<Answer>(service.url, 'GET', path),
    post: <Answer>(path: string, body: unknown) => call<Answer>(service.url, 'POST', path, JSON.stringify(body)),
    postText: (path: string, text: string) => call(service.url, 'POST', path, text),
    getWithoutToken: (path: string) => fetch(`${service.url}/internal/v1${path}`),
    async restart(): Promise<void> {
      await service.stop();
      service = await started(environment);
    },
    async close(): Promise<void> {
      await service.stop();
      await issuance.close();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

async function started(environment: Record<string, string>) {
  const service = await startWallet(environment);
  await service.ready;
  return service;
}

export interface Called<Answer> {
  readonly status: number;
  readonly body: Answer;
}

async function call<Answer>(url: string, method: string, path: string, body?: string): Promise<Called<Answer>> {
  const response = await fetch(`${url}/internal/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

const ANY: Subject<null, { readonly type: string }> = { name: 'sale', initial: null, evolve: () => null };

/** A log as issuance has one, into which a test writes what issuance would have. */
async function issuanceLog() {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const { statements } of LOG_MIGRATIONS) for (const statement of statements) await client.query(statement);
  const lane = await openLane(await openPostgresLog(client), { newId: randomUUID });
  const records = new IssuanceRecords();
  return {
    url: database.url,
    records,
    async append(...appended: SourceRecord[]): Promise<void> {
      await lane.run(
        appended.map(({ type, body, correlation }) => ({
          states: [{ subject: ANY, id: 'sudoku' }],
          decide(draft) {
            draft.emit(ANY, 'sudoku', { type, ...(body as object) }, correlation);
            return { answer: null };
          },
        })),
      );
    },
    async close(): Promise<void> {
      await lane.stop();
      await client.end();
      await database.drop();
    },
  };
}

async function keysFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'enjeu-wallet-'));
  const secret = randomBytes(32);
  await writeFile(join(folder, 'log.json'), JSON.stringify(privateKeyFile(secret)));
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: [publicKeyEntry(signingKey(secret), 'log', AT)] }));
  return folder;
}

export function acceptanceOf(playerId: string, regulation: string, idempotencyKey: string | null = null) {
  const hash = idempotencyKey === null ? null : requestHash('POST /acceptances', { regulation });
  return { playerId, regulation, idempotencyKey, requestHash: hash };
}
