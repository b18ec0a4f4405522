import { findKafka, stopKafkaIn } from '../../apps/enjeu/src/embedded/kafka.ts';
import setupPostgres from './postgres.ts';
import { endings, folderOfThisRun, foldersOfDeadRuns, forget } from './running.ts';

/**
 * Gives the tests of this run a PostgreSQL, and a broker as `ENJEU_TEST_KAFKA_BROKERS`: the one of `KAFKA_BROKERS`, else
 * one of its own. One that is set already is kept.
 */
export default async function setup(): Promise<void> {
  await setupPostgres();
  if (process.env['ENJEU_TEST_KAFKA_BROKERS']) return;
  await sweep();
  const folder = folderOfThisRun('kafka');
  const kafka = await findKafka({ dataDir: folder, onProgress: (step) => console.log(`enjeu: ${step} …`) });
  process.env['ENJEU_TEST_KAFKA_BROKERS'] = kafka.brokers;
  endings().push(async () => {
    await kafka.stop();
    forget(folder);
    delete process.env['ENJEU_TEST_KAFKA_BROKERS'];
  });
}

async function sweep(): Promise<void> {
  for (const folder of foldersOfDeadRuns('kafka')) {
    await stopKafkaIn(folder);
    forget(folder);
  }
}
