import { busOf, ConfigError, database, internalAccess, listening, oidc, peers, readConfig } from './config.ts';

const shape = { ...listening(3101), ...database, ...internalAccess, ...peers('issuance'), ...busOf('issuance') };
const good = {
  ENJEU_DATABASE_URL: 'postgres://wallet:secret-password@127.0.0.1:5432/wallet',
  ENJEU_SERVICE_TOKEN: 'a-service-token-of-the-tests',
  ENJEU_ISSUANCE_URL: 'http://127.0.0.1:3102',
  ENJEU_ISSUANCE_LOG_URL: 'postgres://reader:x@127.0.0.1:5432/issuance',
};

function complaint(environment: Record<string, string | undefined>): string {
  try {
    readConfig(shape, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

test('what is not set has its default', () => {
  expect(readConfig(shape, good)).toEqual({
    ...good,
    PORT: 3101,
    ENJEU_HOST: '127.0.0.1',
    ENJEU_LOG_LEVEL: 'info',
    ENJEU_BUS: 'postgres',
  });
});

test('every bad variable is named at once, and no value is shown', () => {
  const message = complaint({
    ...good,
    PORT: '65536',
    ENJEU_SERVICE_TOKEN: 'too-short',
    ENJEU_DATABASE_URL: 'mysql://root:hunter2@db/x',
    ENJEU_ISSUANCE_URL: undefined,
    ENJEU_ISSUANCE_LOG_URL: '',
    ENJEU_BUS: 'rabbit',
  });
  for (const name of ['PORT', 'ENJEU_SERVICE_TOKEN', 'ENJEU_DATABASE_URL', 'ENJEU_BUS'])
    expect(message).toContain(name);
  expect(message).toContain('ENJEU_ISSUANCE_URL is missing');
  expect(message).toContain('ENJEU_ISSUANCE_LOG_URL is missing');
  expect(message).toContain('ENJEU_BUS must be one of postgres, kafka');
  expect(message).not.toMatch(/too-short|hunter2|rabbit|\n/);
});

test('on kafka brokers are wanted, and no address of a log', () => {
  const { ENJEU_ISSUANCE_LOG_URL: _, ...rest } = good;
  expect(complaint({ ...rest, ENJEU_BUS: 'kafka' })).toBe('bad configuration: KAFKA_BROKERS is missing');
  expect(complaint({ ...rest, ENJEU_BUS: 'kafka', KAFKA_BROKERS: 'a:9092,b:9092' })).toBe('');
  expect(complaint({ ...rest, ENJEU_BUS: 'kafka', KAFKA_BROKERS: 'a' })).toContain('KAFKA_BROKERS must look like');
});

test.each(['0x50', '-1', '80.5', ' 80', '99999', 'http'])('the port %j is refused', (port) => {
  expect(complaint({ ...good, PORT: port })).toBe('bad configuration: PORT must be a port number');
});

test('an issuer is an address', () => {
  expect(() => readConfig(oidc, { ENJEU_OIDC_ISSUER: 'identity' })).toThrow('ENJEU_OIDC_ISSUER must look like http://');
});
