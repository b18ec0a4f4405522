import kafkajs, { type Admin, type KafkaConfig as ClientConfig, type Kafka } from 'kafkajs';

export interface KafkaConfig {
  /** `host:port` of some brokers. */
  readonly brokers: readonly string[];
  /** Topics are called `<prefix><source>.v1`. Default `enjeu.`. */
  readonly prefix?: string;
  /** For topics that are made because they are missing. Default 1 and 1; production 3 and 2. */
  readonly replication?: number;
  readonly minInSyncReplicas?: number;
  readonly ssl?: ClientConfig['ssl'];
  readonly sasl?: ClientConfig['sasl'];
}

/** The whole log of a source is this partition of its topic. */
export const SHARD = 0;

const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 5 };

/** A client that says nothing by itself: what fails is reported by those who use it. */
export function connectTo(config: KafkaConfig, who: string): Kafka {
  return new kafkajs.Kafka({
    clientId: `enjeu-${who}`,
    brokers: [...config.brokers],
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: RETRY,
    ...(config.ssl !== undefined && { ssl: config.ssl }),
    ...(config.sasl !== undefined && { sasl: config.sasl }),
  });
}

export function topicOf(config: KafkaConfig, source: string): string {
  return `${config.prefix ?? 'enjeu.'}${source}.v1`;
}

/** Offsets of the first record that is kept and of the one that comes next. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Makes the topic where it is missing, with one partition that keeps everything. Safe to call from several sides at once. */
export async function ensureTopic(kafka: Kafka, config: KafkaConfig, topic: string): Promise<Bounds> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    if (!(await admin.listTopics()).includes(topic)) await makeTopic(admin, config, topic);
    const shard = (await admin.fetchTopicOffsets(topic)).find(({ partition }) => partition === SHARD);
    return { low: Number(shard?.low ?? 0), high: Number(shard?.high ?? 0) };
  } finally {
    await admin.disconnect();
  }
}

async function makeTopic(admin: Admin, config: KafkaConfig, topic: string): Promise<void> {
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      {
        topic,
        numPartitions: 1,
        replicationFactor: config.replication ?? 1,
        configEntries: [
          { name: 'retention.ms', value: '-1' },
          { name: 'retention.bytes', value: '-1' },
          { name: 'cleanup.policy', value: 'delete' },
          { name: 'min.insync.replicas', value: String(config.minInSyncReplicas ?? 1) },
          { name: 'unclean.leader.election.enable', value: 'false' },
        ],
      },
    ],
  });
}
