import { Failure } from '../failure.ts';

const FORM = /^[^\s,:]+:\d{1,5}(,[^\s,:]+:\d{1,5})*$/;
const PATIENCE_MS = 15_000;

/**
 * What `KAFKA_BROKERS` names, or null where it names nothing. Refuses with a Failure what is no list of addresses, and
 * brokers of which none answers within 15 s: the services would wait for them without end.
 */
export async function namedBrokers(): Promise<string | null> {
  const brokers = process.env['KAFKA_BROKERS'];
  if (!brokers) return null;
  if (!FORM.test(brokers)) {
    throw new Failure(`KAFKA_BROKERS is ${JSON.stringify(brokers)}; it must look like host:port,host:port`, 2);
  }
  const reason = await whyTheyDoNotAnswer(brokers.split(','));
  if (reason !== null) {
    throw new Failure(
      `no Kafka broker answers at ${brokers} (${reason}); start it, correct KAFKA_BROKERS, or unset it for a broker of our own`,
    );
  }
  return brokers;
}

async function whyTheyDoNotAnswer(brokers: string[]): Promise<string | null> {
  const { default: kafkajs } = await import('kafkajs');
  const admin = new kafkajs.Kafka({
    brokers,
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 3_000,
    requestTimeout: 3_000,
    retry: { initialRetryTime: 300, retries: 3 },
  }).admin();
  const { promise: impatience, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  try {
    await Promise.race([admin.connect().then(() => admin.describeCluster()), impatience]);
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    clearTimeout(timer);
    void admin.disconnect().catch(() => undefined);
  }
}
