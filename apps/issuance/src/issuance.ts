import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { type Incident, systemClock } from '#event-sourcing';
import { ScriptShelf } from '#mechanics';
import { isGame } from '#regulation';
import {
  blockSigning,
  busOf,
  database,
  EventSourced,
  InternalClient,
  internalAccess,
  listening,
  loadSigningKeyFor,
  logSigning,
  peers,
  RegulationRegistry,
  readConfig,
  regulations,
  reportIncident,
  type Service,
  startService,
} from '#service';
import { beaconChoice, configuredBeacon } from './beacon/configured.ts';
import { keyEncryption, readKeyEncryptionKey } from './blocks/key-encryption-key.ts';
import { BlockPreparer } from './blocks/prepare-block.ts';
import { prepareInWorker } from './blocks/prepare-in-worker.ts';
import { CreateSealedBlocks, SealDecksByStretches } from './blocks/sealed-block.migration.ts';
import { SealedBlock, SealedBlocks, SealingCheck } from './blocks/sealed-block.ts';
import { Vault } from './blocks/vault.ts';
import { issuanceModule } from './issuance.module.ts';
import { Receipts } from './receipts/receipts.ts';
import { checkCommittedUnder } from './regulations/committed-under.ts';
import { RegulationsOnFile } from './regulations/on-file.ts';
import { DueSales } from './sales/due-sales.ts';
import { issueUnits } from './units/issue-units.ts';
import { IndexOutcomes } from './units/outcomes.migration.ts';

/**
 * Starts issuance: its internal API, its log, the preparation of blocks, and the issuing of units for what the wallet
 * records. It does not become ready with another key-encryption key than the one that sealed its blocks.
 * @throws ConfigError for an environment that it cannot work with
 */
export async function startIssuance(environment: Readonly<Record<string, string | undefined>>): Promise<Service> {
  const config = readConfig(
    {
      ...listening(3102),
      ...database,
      ...internalAccess,
      ...peers('wallet'),
      ...busOf('wallet'),
      ...logSigning,
      ...blockSigning,
      ...keyEncryption,
      ...beaconChoice,
      ...regulations,
    },
    environment,
  );
  const registry = new RegulationRegistry(config.ENJEU_REGULATIONS_DIR);
  const onFile = new RegulationsOnFile(registry.regulations);
  registry.follow((regulation) => isGame(regulation) && onFile.take(regulation));
  const keyEncryptionKey = await readKeyEncryptionKey(config);
  const blocksKey = loadSigningKeyFor('blocks', config.ENJEU_BLOCKS_KEY_FILE, config.ENJEU_KEYS_FILE);
  const wallet = new InternalClient(config.ENJEU_WALLET_URL, config.ENJEU_SERVICE_TOKEN);
  const logger = new Logger('issuance');
  const report = (line: string) => logger.log(line);
  const opensOn = (id: string) => onFile.get(id).opensOn;
  const vault = new Vault();
  const { scriptOf } = new ScriptShelf((id) => onFile.find(id));
  const withheld = (incident: Incident) => reportIncident('issuance', incident);
  const beacon = configuredBeacon(config, { clock: systemClock, random: randomBytes });

  const issuance: EventSourced = new EventSourced({
    name: 'issuance',
    databaseUrl: config.ENJEU_DATABASE_URL,
    migrations: [CreateSealedBlocks, IndexOutcomes, SealDecksByStretches],
    entities: [SealedBlock, SealingCheck],
    bus: config,
    headsFile: config.ENJEU_HEADS_FILE,
    logKeyFile: config.ENJEU_LOG_KEY_FILE,
    keysFile: config.ENJEU_KEYS_FILE,
    handlers: async ({ dataSource }) => {
      await checkCommittedUnder(dataSource, onFile);
      await preparer.start();
      await dueSales.start();
      return [issueUnits({ vault, supply: preparer, opensOn, scriptOf, withheld })];
    },
    sources: { wallet },
  });
  const sealed = new SealedBlocks(issuance, keyEncryptionKey, randomBytes);
  const preparer = new BlockPreparer({
    opened: issuance,
    sealed,
    vault,
    key: blocksKey,
    opensOn,
    beacon,
    regulations: onFile,
    prepare: prepareInWorker,
    clock: systemClock,
    random: randomBytes,
    report,
  });
  const dueSales = new DueSales(issuance, onFile, systemClock, report);

  const receipts = new Receipts({
    opened: issuance,
    sealed,
    regulations: onFile,
    scriptOf,
    key: blocksKey,
    clock: systemClock,
  });

  return startService(issuanceModule(issuance, onFile, registry, preparer, receipts), {
    name: 'issuance',
    port: config.PORT,
    host: config.ENJEU_HOST,
    serviceToken: config.ENJEU_SERVICE_TOKEN,
    logLevel: config.ENJEU_LOG_LEVEL,
    ready(stopping) {
      registry.watch();
      return issuance.open(stopping);
    },
    stop: [
      () => registry.stop(),
      async () => dueSales.stop(),
      () => preparer.stop(),
      () => issuance.close(),
      () => wallet.close(),
    ],
  });
}
