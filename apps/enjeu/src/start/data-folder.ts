import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type KeyPurpose, type KeySet, privateKeyFile, publicKeyEntry, signingKey } from '#fairness';
import { startPostgres } from '../embedded/postgres.ts';
import { Failure } from '../failure.ts';
import { LOCK_FILE } from './launcher-lock.ts';

const PURPOSES: readonly KeyPurpose[] = ['blocks', 'log'];
const LARGEST_LOG_BYTES = 10_000_000;

/** Everything that one embedded platform keeps: its databases, keys, secrets, signed heads and logs. */
export interface DataFolder {
  readonly path: string;
  readonly postgres: string;
  readonly kafka: string;
  readonly identity: string;
  readonly keysFile: string;
  readonly blocksKeyFile: string;
  readonly logKeyFile: string;
  readonly keyEncryptionKeyFile: string;
  readonly compileCache: string;
  readonly serviceToken: string;
  readonly cliSecret: string;
  readonly readerPassword: string;
  headsFile(service: string): string;
  /** The file that a process's output goes to; an earlier one that grew large is kept once, beside it. */
  logFile(service: string): string;
}

/** Makes the folder where it is missing; refuses with a Failure what is no folder or cannot be written. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failure(
      `the data folder ${path} cannot be used (${reasonOf(error)}); choose another one with --data DIR`,
    );
  }
}

/** Opens a folder, and on its first use makes what it needs: a key for each purpose, the service token, the secrets. */
export function openDataFolder(path: string): DataFolder {
  for (const folder of ['', 'keys', 'heads', 'logs', 'identity']) makeFolder(join(path, folder));
  mkdirSync(join(path, 'secrets'), { recursive: true, mode: 0o700 });
  const keysFile = join(path, 'keys', 'enjeu-keys.json');
  for (const purpose of PURPOSES) ensureSigningKey(join(path, 'keys', `${purpose}.private.json`), keysFile, purpose);
  const secret = (name: string) => ensureSecret(join(path, 'secrets', name));
  secret('key-encryption-key');
  return {
    path,
    postgres: join(path, 'postgres'),
    kafka: join(path, 'kafka'),
    identity: join(path, 'identity'),
    keysFile,
    blocksKeyFile: join(path, 'keys', 'blocks.private.json'),
    logKeyFile: join(path, 'keys', 'log.private.json'),
    keyEncryptionKeyFile: join(path, 'secrets', 'key-encryption-key'),
    compileCache: join(path, 'compile-cache'),
    serviceToken: secret('service-token'),
    cliSecret: secret('cli-secret'),
    readerPassword: secret('reader-password'),
    headsFile: (service) => join(path, 'heads', `${service}.jsonl`),
    logFile: (service) => rotated(join(path, 'logs', `${service}.log`)),
  };
}

/** Makes the private key and adds its public part to the JWKS, entries of which are only ever added. */
function ensureSigningKey(privateFile: string, keysFile: string, purpose: KeyPurpose): void {
  if (existsSync(privateFile)) return;
  const secretKey = randomBytes(32);
  const entry = publicKeyEntry(signingKey(secretKey), purpose, new Date().toISOString());
  const { keys } = existsSync(keysFile) ? (JSON.parse(readFileSync(keysFile, 'utf8')) as KeySet) : { keys: [] };
  // The public part first: a private key whose public part nobody has would sign what nobody can verify.
  writeWhole(keysFile, `${JSON.stringify({ keys: [...keys, entry] }, null, 2)}\n`, 0o644);
  writeWhole(privateFile, `${JSON.stringify(privateKeyFile(secretKey))}\n`, 0o600);
}

function ensureSecret(file: string): string {
  if (!existsSync(file)) writeWhole(file, `${randomBytes(32).toString('hex')}\n`, 0o600);
  return readFileSync(file, 'utf8').trim();
}

/** A file is there whole or not at all, whatever interrupts the writing. */
export function writeWhole(file: string, text: string, mode: number): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text, { mode });
  renameSync(fresh, file);
}

function rotated(file: string): string {
  if (existsSync(file) && statSync(file).size > LARGEST_LOG_BYTES) renameSync(file, `${file}.1`);
  return file;
}

/** Removes everything but the launcher's lock; a PostgreSQL that an earlier launcher left running is stopped first. */
export async function forgetData(path: string): Promise<void> {
  if (existsSync(join(path, 'postgres', 'cluster', 'postmaster.pid'))) {
    await (await startPostgres({ dataDir: join(path, 'postgres') })).stop();
  }
  for (const entry of readdirSync(path)) {
    if (entry !== LOCK_FILE) rmSync(join(path, entry), { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
