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
import { dirname, join } from 'node:path';
import { type KeyPurpose, privateKeyFile, publicKeyEntry, signingKey } from '#fairness';
import { ConfigError, loadJwks, loadSigningKey } from '#service/files';
import { stopKafkaIn } from '../embedded/kafka.ts';
import { stopPostgresIn } from '../embedded/postgres.ts';
import { Failure } from '../failure.ts';
import { LOCK_FILE } from './launcher-lock.ts';

const PURPOSES: readonly KeyPurpose[] = ['blocks', 'log'];
const LARGEST_LOG_BYTES = 10_000_000;
const SECRET = /^[0-9a-f]{64}$/;

/** Everything that one embedded platform keeps: its databases, keys, secrets, signed heads and logs. */
export interface DataFolder {
  readonly path: string;
  readonly postgres: string;
  readonly kafka: string;
  readonly identity: string;
  /** Where regulations are added while the platform runs. */
  readonly regulations: string;
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

/** What stands in a data folder: nothing else is ever removed from one. */
const ENTRIES = [
  'compile-cache',
  'heads',
  'identity',
  'kafka',
  'keys',
  'logs',
  'platform.json',
  'postgres',
  'regulations',
  'secrets',
];
/** One of these makes a folder a data folder. */
const MARKS = [LOCK_FILE, 'keys/enjeu-keys.json', 'secrets/key-encryption-key', 'postgres/password'];

/**
 * Makes the folder where it is missing. Refuses with a Failure what is no folder, cannot be written, or holds something
 * else than the data of a platform: `--fresh` on it would be a disaster.
 */
export function prepareFolder(path: string): void {
  makeFolder(path);
  if (MARKS.some((mark) => existsSync(join(path, mark)))) return;
  const foreign = readdirSync(path).find((entry) => !ENTRIES.includes(entry) && entry !== 'lost+found');
  if (foreign === undefined) return;
  throw new Failure(`${path} holds other files (${foreign}); choose an empty or a new folder with --data DIR`);
}

function makeFolder(path: string, mode = 0o755): void {
  try {
    makeWithParents(path, mode);
    readdirSync(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Not with `recursive`, which never comes back where a parent cannot be made although it does not exist, as in /proc. */
function makeWithParents(path: string, mode: number): void {
  if (existsSync(path)) return;
  makeWithParents(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Opens a folder, and on its first use makes what it needs: a key for each purpose, the service token, the secrets.
 * Refuses with a Failure keys and secrets that are damaged, and a missing one that cannot be replaced.
 */
export function openDataFolder(path: string): DataFolder {
  try {
    return openWhole(path);
  } catch (error) {
    throw error instanceof Failure ? error : unusable(path, error);
  }
}

function openWhole(path: string): DataFolder {
  for (const folder of ['keys', 'heads', 'logs', 'identity', 'regulations']) makeFolder(join(path, folder));
  makeFolder(join(path, 'secrets'), 0o700);
  const keysFile = join(path, 'keys', 'enjeu-keys.json');
  for (const purpose of PURPOSES) ensureSigningKey(join(path, 'keys', `${purpose}.private.json`), keysFile, purpose);
  const secret = (name: string) => ensureSecret(join(path, 'secrets', name));
  ensureKeyEncryptionKey(path);
  return {
    path,
    postgres: join(path, 'postgres'),
    kafka: join(path, 'kafka'),
    identity: join(path, 'identity'),
    regulations: join(path, 'regulations'),
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
  if (existsSync(privateFile)) {
    checkSigningKey(privateFile, keysFile);
    return;
  }
  const secretKey = randomBytes(32);
  const entry = publicKeyEntry(signingKey(secretKey), purpose, new Date().toISOString());
  const { keys } = existsSync(keysFile) ? whole(() => loadJwks(keysFile)) : { keys: [] };
  // The public part first: a private key whose public part nobody has would sign what nobody can verify.
  writeWhole(keysFile, `${JSON.stringify({ keys: [...keys, entry] }, null, 2)}\n`, 0o644);
  writeWhole(privateFile, `${JSON.stringify(privateKeyFile(secretKey))}\n`, 0o600);
}

function checkSigningKey(privateFile: string, keysFile: string): void {
  const { keyId } = whole(() => loadSigningKey(privateFile));
  const { keys } = whole(() => loadJwks(keysFile));
  if (keys.some(({ kid }) => kid === keyId)) return;
  throw new Failure(`${keysFile} does not have the public key of ${privateFile}; restore both from a copy`);
}

/** What a key file holds. One that is damaged is never replaced: what it signed could no longer be verified. */
function whole<Value>(load: () => Value): Value {
  try {
    return load();
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(`${error.message}; restore it from a copy`);
    throw error;
  }
}

/** Made once, before there are blocks to seal: a new one would open none of them. */
function ensureKeyEncryptionKey(path: string): void {
  const file = join(path, 'secrets', 'key-encryption-key');
  if (!existsSync(file) && existsSync(join(path, 'postgres', 'cluster'))) {
    throw new Failure(
      `${file} is missing, and without it the blocks in the database stay sealed; restore it from a copy`,
    );
  }
  ensureSecret(file);
}

function ensureSecret(file: string): string {
  if (!existsSync(file)) writeWhole(file, `${randomBytes(32).toString('hex')}\n`, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  if (!SECRET.test(secret)) throw new Failure(`${file} is damaged: it must be 64 hex digits; restore it from a copy`);
  return secret;
}

/** A file is there whole or not at all, whatever interrupts the writing, a failing power supply included. */
export function writeWhole(file: string, text: string, mode: number): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text, { mode, flush: true });
  renameSync(fresh, file);
}

function rotated(file: string): string {
  if (existsSync(file) && statSync(file).size > LARGEST_LOG_BYTES) renameSync(file, `${file}.1`);
  return file;
}

/** Removes what platforms keep in this folder; a server that an earlier launcher left running is stopped first. */
export async function forgetData(path: string): Promise<void> {
  await stopPostgresIn(join(path, 'postgres'));
  await stopKafkaIn(join(path, 'kafka'));
  for (const entry of ENTRIES) rmSync(join(path, entry), { recursive: true, force: true });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EEXIST: 'it is a file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it, or something above it, is a file',
  EPERM: 'this user may not write there',
  EROFS: 'the disk can only be read',
};

function unusable(path: string, error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new Failure(
    `the data folder ${path} cannot be used (${REASONS[code] ?? code}); choose another one with --data DIR`,
  );
}
