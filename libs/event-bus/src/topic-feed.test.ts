import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { readTopic } from './topic-feed.ts';

/** A client whose consumer is given its fetches by the test. */
function fakeKafka() {
  const joined = Promise.withResolvers<(payload: EachBatchPayload) => Promise<void>>();
  const listeners = new Map<string, (event: unknown) => void>();
  const consumer = {
    events: { CRASH: 'crash', GROUP_JOIN: 'join' },
    on: (event: string, listener: (event: unknown) => void) => listeners.set(event, listener),
    seek: () => {},
    connect: async () => {},
    subscribe: async () => {},
    run: async ({ eachBatch }: { eachBatch: (payload: EachBatchPayload) => Promise<void> }) => {
      listeners.get('join')?.({});
      joined.resolve(eachBatch);
    },
    disconnect: async () => {},
  };
  return { kafka: { consumer: () => consumer as unknown as Consumer } as unknown as Kafka, eachBatch: joined.promise };
}

function fetched(offset: number): EachBatchPayload {
  return {
    batch: {
      messages: [{ offset: String(offset) } as KafkaMessage],
      lastOffset: () => String(offset),
      highWatermark: '9',
    },
    resolveOffset: () => {},
    heartbeat: async () => {},
    isStale: () => false,
    isRunning: () => true,
  } as unknown as EachBatchPayload;
}

test('after a fetch that could not be handled, none that was read ahead is handed over', async () => {
  const { kafka, eachBatch } = fakeKafka();
  const handed: string[] = [];
  const onMessages = async ([message]: readonly KafkaMessage[]) => {
    handed.push(message!.offset);
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new Error('not stored');
  };
  const options = { topic: 'a topic', who: 'test', from: 0, gatherMs: 0, onMessages };
  const reading = readTopic(kafka, options, new AbortController().signal).catch((error: Error) => error.message);
  const give = await eachBatch;
  await give(fetched(0));
  await give(fetched(1));
  expect(await reading).toBe('not stored');
  expect(handed).toEqual(['0']);
});
