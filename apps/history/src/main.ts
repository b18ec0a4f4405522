import {
  busOf,
  database,
  endProcess,
  InternalClient,
  internalAccess,
  listening,
  openServiceBus,
  peers,
  readConfig,
  runService,
  startService,
} from '#service';
import { historyModule } from './history.module.ts';
import { History } from './history.ts';

await runService('history', async () => {
  const config = readConfig({
    ...listening(3103),
    ...database,
    ...internalAccess,
    ...peers('wallet', 'issuance'),
    ...busOf('wallet', 'issuance'),
  });
  const history = new History({
    databaseUrl: config.ENJEU_DATABASE_URL,
    openBus: (onLogBehind) => openServiceBus(config, 'history', { gather_ms: 30, onLogBehind }),
    sources: {
      wallet: new InternalClient(config.ENJEU_WALLET_URL, config.ENJEU_SERVICE_TOKEN),
      issuance: new InternalClient(config.ENJEU_ISSUANCE_URL, config.ENJEU_SERVICE_TOKEN),
    },
    onLost: (error) => endProcess('history', error),
  });
  return startService(historyModule(history), {
    name: 'history',
    port: config.PORT,
    host: config.ENJEU_HOST,
    logLevel: config.ENJEU_LOG_LEVEL,
    serviceToken: config.ENJEU_SERVICE_TOKEN,
    ready: (stopping) => history.open(stopping),
    stop: [() => history.close()],
  });
});
