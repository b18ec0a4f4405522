import { fileURLToPath } from 'node:url';
import type { ChildSpec } from './child-process.ts';
import type { DataFolder } from './data-folder.ts';

export type ServiceName = 'identity' | 'wallet' | 'issuance' | 'history' | 'gateway';

export interface Addresses {
  readonly ports: Readonly<Record<ServiceName, number>>;
  readonly bus: 'postgres' | 'kafka';
  readonly brokers: string | null;
  /** Connection of each service to its own database, and read-only ones to the logs. */
  readonly databaseUrls: Readonly<Record<'wallet' | 'issuance' | 'history', string>>;
  readonly logUrls: Readonly<Record<'wallet' | 'issuance', string>>;
  readonly demoPlayers: number;
  /** The folders of the regulations that are offered, joined by `:`. */
  readonly regulations: string;
}

export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** What each service is started with; the same names are used wherever the services are deployed. */
export function serviceSpecs(folder: DataFolder, at: Addresses): Record<ServiceName, ChildSpec> {
  const issuer = urlOf(at.ports.identity);
  const everywhere = {
    ENJEU_HOST: '127.0.0.1',
    ENJEU_BUS: at.bus,
    ...(at.brokers ? { KAFKA_BROKERS: at.brokers } : {}),
    ENJEU_SERVICE_TOKEN: folder.serviceToken,
    ENJEU_WALLET_URL: urlOf(at.ports.wallet),
    ENJEU_ISSUANCE_URL: urlOf(at.ports.issuance),
    ENJEU_HISTORY_URL: urlOf(at.ports.history),
    ENJEU_WALLET_LOG_URL: at.logUrls.wallet,
    ENJEU_ISSUANCE_LOG_URL: at.logUrls.issuance,
    ENJEU_OIDC_ISSUER: issuer,
    ENJEU_OIDC_AUDIENCE: 'enjeu',
    ENJEU_KEYS_FILE: folder.keysFile,
    ENJEU_REGULATIONS_DIR: at.regulations,
    KAFKAJS_NO_PARTITIONER_WARNING: '1',
    NODE_COMPILE_CACHE: folder.compileCache,
  };
  const log = (name: string) => ({ ENJEU_LOG_KEY_FILE: folder.logKeyFile, ENJEU_HEADS_FILE: folder.headsFile(name) });
  const own: Record<ServiceName, Record<string, string>> = {
    identity: {
      ENJEU_EMBEDDED: '1',
      ENJEU_IDENTITY_DIR: folder.identity,
      ENJEU_DEMO_PLAYERS: String(at.demoPlayers),
      ENJEU_CLI_SECRET: folder.cliSecret,
    },
    wallet: { ENJEU_DATABASE_URL: at.databaseUrls.wallet, ...log('wallet') },
    issuance: {
      ENJEU_DATABASE_URL: at.databaseUrls.issuance,
      ENJEU_BLOCKS_KEY_FILE: folder.blocksKeyFile,
      ENJEU_KEY_ENCRYPTION_KEY_FILE: folder.keyEncryptionKeyFile,
      ...log('issuance'),
    },
    history: { ENJEU_DATABASE_URL: at.databaseUrls.history },
    gateway: {},
  };
  const specOf = (name: ServiceName): ChildSpec => ({
    name,
    entry: fileURLToPath(new URL(`../../../${name}/src/main.js`, import.meta.url)),
    url: urlOf(at.ports[name]),
    env: { ...everywhere, ...own[name], PORT: String(at.ports[name]) },
    logFile: folder.logFile(name),
  });
  return {
    identity: specOf('identity'),
    wallet: specOf('wallet'),
    issuance: specOf('issuance'),
    history: specOf('history'),
    gateway: specOf('gateway'),
  };
}
