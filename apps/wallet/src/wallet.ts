import {
  busOf,
  database,
  EventSourced,
  InternalClient,
  internalAccess,
  listening,
  logSigning,
  peers,
  RegulationRegistry,
  readConfig,
  regulations,
  type Service,
  startService,
} from '#service';
import { CreateHolders1704067201000 } from './account/holders.migration.ts';
import { Holder } from './account/holders.ts';
import { IndexPlays1704067202000 } from './account/plays.migration.ts';
import { SettlePlays } from './account/settle-plays.ts';
import { Statement } from './account/statement.ts';
import { walletModule } from './wallet.module.ts';

/**
 * Starts the wallet: its internal API, its log, and the handling of what issuance records.
 * @throws ConfigError for an environment that it cannot work with
 */
export async function startWallet(environment: Readonly<Record<string, string | undefined>>): Promise<Service> {
  const config = readConfig(
    {
      ...listening(3101),
      ...database,
      ...internalAccess,
      ...peers('issuance'),
      ...busOf('issuance'),
      ...logSigning,
      ...regulations,
    },
    environment,
  );
  const registry = new RegulationRegistry(config.ENJEU_REGULATIONS_DIR);
  const issuance = new InternalClient(config.ENJEU_ISSUANCE_URL, config.ENJEU_SERVICE_TOKEN);
  const wallet = new EventSourced({
    name: 'wallet',
    databaseUrl: config.ENJEU_DATABASE_URL,
    migrations: [CreateHolders1704067201000, IndexPlays1704067202000],
    entities: [Holder],
    bus: config,
    headsFile: config.ENJEU_HEADS_FILE,
    logKeyFile: config.ENJEU_LOG_KEY_FILE,
    keysFile: config.ENJEU_KEYS_FILE,
    handlers: (opened) => {
      const statement = new Statement(opened);
      return [new SettlePlays((playIds) => statement.debitsOfPlays(playIds))];
    },
    sources: { issuance },
  });
  return startService(walletModule(wallet, registry), {
    name: 'wallet',
    port: config.PORT,
    host: config.ENJEU_HOST,
    serviceToken: config.ENJEU_SERVICE_TOKEN,
    logLevel: config.ENJEU_LOG_LEVEL,
    ready(stopping) {
      registry.watch();
      return wallet.open(stopping);
    },
    stop: [() => registry.stop(), () => wallet.close(), () => issuance.close()],
  });
}
