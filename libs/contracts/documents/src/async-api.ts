import { type DocumentedEvent, type JsonSchema, nameOf } from './event-schemas.ts';

const LOGS = ['wallet', 'issuance'] as const;
type Log = (typeof LOGS)[number];

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';
/** CloudEvents integers have 32 bits, so positions travel as text. */
const POSITION = { type: 'string', pattern: '^[1-9]\\d{0,15}$' };

/** AsyncAPI 3: both topics, and the records on them as CloudEvents in structured mode. */
export function asyncApi(events: readonly DocumentedEvent[]): Record<string, unknown> {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Enjeu events',
      version: '1',
      description:
        'What the services record, in one totally ordered topic for each log. Records are kept for ever; an event that ' +
        'has been published never changes its meaning.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/cloudevents+json',
    servers: { kafka: { host: 'localhost:9092', protocol: 'kafka', description: 'A broker of the platform.' } },
    channels: Object.fromEntries(LOGS.map((log) => [log, channel(log, of(log, events))])),
    operations: Object.fromEntries(LOGS.map((log) => [`publish-${log}`, operation(log)])),
    components: {
      securitySchemes: {
        broker: {
          type: 'scramSha512',
          description: 'Whatever the broker wants; a broker for development wants nothing.',
        },
      },
      messages: Object.fromEntries(
        LOGS.flatMap((log) => of(log, events).map((event) => [messageName(log, event), message(log, event)])),
      ),
      schemas: Object.fromEntries(events.map((event) => [nameOf(event), { title: nameOf(event), ...event.schema }])),
    },
  };
}

function of(log: Log, events: readonly DocumentedEvent[]): DocumentedEvent[] {
  return events.filter(({ owner }) => owner === log || owner === 'any');
}

function messageName(log: Log, event: DocumentedEvent): string {
  return event.owner === 'any' ? `${log}.${nameOf(event)}` : nameOf(event);
}

function channel(log: Log, events: readonly DocumentedEvent[]) {
  return {
    address: `enjeu.${log}.v1`,
    title: `The log of ${log}`,
    description: 'Partition n is the log of shard n: positions from 1, without gaps. One shard is the default.',
    servers: [{ $ref: '#/servers/kafka' }],
    messages: Object.fromEntries(
      events.map((event) => [nameOf(event), { $ref: `#/components/messages/${messageName(log, event)}` }]),
    ),
    bindings: {
      kafka: {
        topic: `enjeu.${log}.v1`,
        partitions: 1,
        replicas: 3,
        topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': -1, 'retention.bytes': -1 },
        bindingVersion: '0.5.0',
      },
    },
  };
}

function operation(log: Log) {
  return {
    action: 'send',
    title: `${log} publishes its log`,
    summary: 'In order, each record at least once: a consumer drops what is at or below its position.',
    channel: { $ref: `#/channels/${log}` },
    security: [{ $ref: '#/components/securitySchemes/broker' }],
  };
}

function message(log: Log, event: DocumentedEvent) {
  return {
    name: nameOf(event),
    title: nameOf(event),
    summary: event.meaning,
    contentType: 'application/cloudevents+json',
    headers: {
      type: 'object',
      properties: { 'content-type': { type: 'string', const: 'application/cloudevents+json; charset=UTF-8' } },
    },
    payload: envelope(log, event),
    bindings: {
      kafka: {
        key: { type: 'string', description: 'The player id for a play’s and an account’s events, else the stream.' },
        bindingVersion: '0.5.0',
      },
    },
  };
}

function envelope(log: Log, event: DocumentedEvent): JsonSchema {
  return {
    type: 'object',
    required: [
      'specversion',
      'id',
      'source',
      'type',
      'subject',
      'time',
      'traceparent',
      'position',
      'version',
      'batch',
      'epoch',
      'data',
    ],
    properties: {
      specversion: { type: 'string', const: '1.0' },
      id: { type: 'string', description: '<log id>/<position>' },
      source: { type: 'string', const: `/enjeu/${log}` },
      type: { type: 'string', const: `enjeu.${nameOf(event)}` },
      subject: { type: 'string', description: 'The stream.' },
      time: { type: 'string', pattern: TIME },
      traceparent: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$' },
      position: { ...POSITION, description: 'In the log, from 1 without gaps.' },
      version: { ...POSITION, description: 'In the stream.' },
      batch: { ...POSITION, description: 'Position of the first event of the same append.' },
      epoch: POSITION,
      correlation: { type: 'string', pattern: UUID, description: 'The play id for a play’s events.' },
      data: { $ref: `#/components/schemas/${nameOf(event)}` },
    },
  };
}
