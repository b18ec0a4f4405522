import { z } from 'zod';
import {
  busOf,
  InternalClient,
  internalAccess,
  listening,
  oidc,
  openServiceBus,
  peers,
  publicKeys,
  RegulationRegistry,
  readConfig,
  regulations,
  runService,
  startService,
} from '#service';
import { gatewayModule } from './gateway.module.ts';
import { Gateway } from './gateway.ts';
import { serveOpenApi } from './open-api.ts';

const milliseconds = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a number of milliseconds')
  .transform(Number);

/** How long a call of the wallet may take: longer than the answer to a player waits for it, since what it decides counts. */
const WALLET_TIMEOUT_MS = 5_000;
/** Reading alone: without an answer there is often another that is true. */
const READ_TIMEOUT_MS = 2_000;

await runService('gateway', async () => {
  const config = readConfig({
    ...listening(3000),
    ...internalAccess,
    ...peers('wallet', 'issuance', 'history'),
    ...busOf('wallet', 'issuance'),
    ...oidc,
    ...publicKeys,
    ...regulations,
    /** How long POST /plays waits for an outcome. */
    ENJEU_ANSWER_WAIT_MS: milliseconds.default(2_000),
    /** How long no outcome may come before new stakes are refused. */
    ENJEU_OUTCOMES_DELAYED_MS: milliseconds.default(30_000),
  });
  const peer = (url: string, timeout_ms: number) => new InternalClient(url, config.ENJEU_SERVICE_TOKEN, { timeout_ms });
  const registry = new RegulationRegistry(config.ENJEU_REGULATIONS_DIR);
  const gateway = new Gateway({
    wallet: peer(config.ENJEU_WALLET_URL, WALLET_TIMEOUT_MS),
    issuance: peer(config.ENJEU_ISSUANCE_URL, READ_TIMEOUT_MS),
    history: peer(config.ENJEU_HISTORY_URL, READ_TIMEOUT_MS),
    bus: openServiceBus(config, 'gateway'),
    regulations: registry.all,
    keysFile: config.ENJEU_KEYS_FILE,
    issuer: config.ENJEU_OIDC_ISSUER,
    audience: config.ENJEU_OIDC_AUDIENCE,
    wait_ms: config.ENJEU_ANSWER_WAIT_MS,
    delayed_ms: config.ENJEU_OUTCOMES_DELAYED_MS,
  });
  registry.follow((regulation) => gateway.catalog.take(regulation));
  return startService(gatewayModule(gateway), {
    name: 'gateway',
    port: config.PORT,
    host: config.ENJEU_HOST,
    logLevel: config.ENJEU_LOG_LEVEL,
    configure: serveOpenApi,
    ready(stopping) {
      registry.watch();
      return gateway.open(stopping);
    },
    stop: [() => registry.stop(), () => gateway.close()],
  });
});
