import { z } from 'zod';

/** The environment cannot be used as it is; the message names every bad variable at once. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

const text = z.string().min(1);
const portNumber = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be a port number');
const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must look like postgres://user:password@host:port/database',
});
const httpUrl = z.url({ protocol: /^https?$/, error: 'must look like http://host:port' });

const smallNumber = z
  .string()
  .regex(/^[1-9]\d?$/, 'must be a number from 1 to 99')
  .transform(Number);

/** Where the service listens, and how much it logs. @param port used when `PORT` is not set; 0 takes a free one */
export function listening(port: number) {
  return {
    PORT: portNumber.default(port),
    ENJEU_HOST: text.default('127.0.0.1'),
    ENJEU_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  };
}

/** The service's own database. */
export const database = { ENJEU_DATABASE_URL: postgresUrl };

/** The shared secret of the internal API. */
export const internalAccess = {
  ENJEU_SERVICE_TOKEN: z.string().min(16, 'must have at least 16 characters'),
};

/** Addresses of the services whose internal API is called: `peers('wallet', 'history')`. */
export function peers<Name extends Peer>(...names: Name[]): Record<`ENJEU_${Uppercase<Name>}_URL`, typeof httpUrl> {
  return Object.fromEntries(names.map((name) => [`ENJEU_${name.toUpperCase()}_URL`, httpUrl])) as never;
}
export type Peer = 'wallet' | 'issuance' | 'history';

const optionalPostgresUrl = postgresUrl.optional();

/**
 * The bus, for a service that consumes these sources. `KAFKA_BROKERS` is wanted on kafka only, the sources' log
 * addresses on postgres only. Topics that are missing are made with `KAFKA_REPLICATION` and `KAFKA_MIN_IN_SYNC_REPLICAS`
 * (both 1; production 3 and 2).
 */
export function busOf<Source extends BusSource>(...sources: Source[]) {
  const logs = Object.fromEntries(sources.map((source) => [logVariable(source), optionalPostgresUrl]));
  return {
    ENJEU_BUS: z.enum(['postgres', 'kafka']).default('postgres'),
    KAFKA_BROKERS: z
      .string()
      .regex(/^[^\s,:]+:\d+(,[^\s,:]+:\d+)*$/, 'must look like host:port,host:port')
      .optional(),
    KAFKA_REPLICATION: smallNumber.optional(),
    KAFKA_MIN_IN_SYNC_REPLICAS: smallNumber.optional(),
    ...(logs as Record<`ENJEU_${Uppercase<Source>}_LOG_URL`, typeof optionalPostgresUrl>),
  };
}
export type BusSource = 'wallet' | 'issuance';

function logVariable(source: BusSource): string {
  return `ENJEU_${source.toUpperCase()}_LOG_URL`;
}

/** Public keys, for whoever verifies or serves them. */
export const publicKeys = { ENJEU_KEYS_FILE: text };

/** What an event-sourced service signs its log's heads with, the file that keeps them, and the keys that check them. */
export const logSigning = { ENJEU_LOG_KEY_FILE: text, ENJEU_HEADS_FILE: text, ...publicKeys };

/** What issuance signs its public objects with. */
export const blockSigning = { ENJEU_BLOCKS_KEY_FILE: text };

/** The folder of the regulations; the built-in one when it is not set. */
export const regulations = { ENJEU_REGULATIONS_DIR: text.optional() };

/** Who issues the callers' tokens, and for whom. */
export const oidc = { ENJEU_OIDC_ISSUER: httpUrl, ENJEU_OIDC_AUDIENCE: text.default('enjeu') };

/**
 * Reads the environment. Members of the result are called like the variables; empty variables count as missing.
 * @param shape fragments of this module and zod types of the service's own: `{ ...listening(3101), ...database }`
 * @throws ConfigError that names every variable which is missing or wrong, never its value
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): z.output<z.ZodObject<Shape>> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(shape)) {
    const value = environment[name];
    if (value !== undefined && value !== '') given[name] = value;
  }
  const parsed = z.object(shape).safeParse(given);
  const complaints = parsed.success ? [] : parsed.error.issues.map((issue) => complaint(issue, given));
  complaints.push(...missingForBus(shape, given));
  if (!parsed.success || complaints.length > 0) throw new ConfigError(`bad configuration: ${complaints.join('; ')}`);
  return parsed.data;
}

function complaint(issue: z.core.$ZodIssue, given: Record<string, string>): string {
  const name = String(issue.path[0]);
  if (!(name in given)) return `${name} is missing`;
  if (issue.code === 'invalid_value') return `${name} must be one of ${issue.values.join(', ')}`;
  return `${name} ${issue.message}`;
}

function missingForBus(shape: z.ZodRawShape, given: Record<string, string>): string[] {
  if (!('ENJEU_BUS' in shape)) return [];
  const wanted =
    given['ENJEU_BUS'] === 'kafka' ? ['KAFKA_BROKERS'] : Object.keys(shape).filter((name) => name.endsWith('_LOG_URL'));
  return wanted.filter((name) => !(name in given)).map((name) => `${name} is missing`);
}
