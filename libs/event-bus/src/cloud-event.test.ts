import { canonicalLine, type RecordedEvent, recordOf } from '#event-sourcing';
import { envelopeOf, eventOfRecord, recordOfEnvelope } from './cloud-event.ts';

const PLAY = '018f3c5e-7a11-7c33-9d55-0123456789ab';
const origin = { source: 'wallet', logId: '018f3c5e-0000-7000-8000-000000000001', epoch: 1 };

const event: RecordedEvent = {
  position: 4_711,
  batch: 4_700,
  stream: 'account-7d9f0c1e-5a3b-4c2d-8e1f-000000000007',
  version: 12,
  type: 'StakeDebited',
  schemaVersion: 1,
  occurredAt: '2009-02-05T12:00:00.000Z',
  correlation: PLAY,
  data: `{"10":1,"9":2,"mode":null,"playId":"${PLAY}","playerId":"7d9f0c1e-5a3b-4c2d-8e1f-000000000007","text":"é\\u0001\\"\\\\😀"}`,
};

test('an event has all the members of formats.md and no others, and its player as key', () => {
  const { key, value } = envelopeOf(origin, event);
  expect(key).toBe('7d9f0c1e-5a3b-4c2d-8e1f-000000000007');
  expect(JSON.parse(value)).toEqual({
    specversion: '1.0',
    id: '018f3c5e-0000-7000-8000-000000000001/4711',
    source: '/enjeu/wallet',
    type: 'enjeu.StakeDebited.v1',
    subject: event.stream,
    time: '2009-02-05T12:00:00.000Z',
    traceparent: '00-018f3c5e7a117c339d550123456789ab-0000000000001267-01',
    position: '4711',
    version: '12',
    batch: '4700',
    epoch: '1',
    correlation: PLAY,
    data: JSON.parse(event.data),
  });
});

test('an event of no play is traced by its position and keyed by its stream', () => {
  const { key, value } = envelopeOf(origin, { ...event, correlation: null, data: '{"game":"sudoku"}' });
  expect(key).toBe(event.stream);
  const envelope = JSON.parse(value);
  expect(envelope.traceparent).toBe('00-00000000000000000000000000001267-0000000000001267-01');
  expect('correlation' in envelope).toBe(false);
});

test.each([PLAY, null])(
  'it reads back as the log has it, to the byte that is hashed (correlation %p)',
  (correlation) => {
    const written = { ...event, correlation };
    const record = recordOfEnvelope('wallet', envelopeOf(origin, written).value, '99');
    expect(record).toEqual({ ...recordOf('wallet', 1, written), offset: '99' });
    expect(eventOfRecord(record)).toEqual(written);
    expect(canonicalLine(eventOfRecord(record))).toBe(canonicalLine(written));
  },
);

test.each([
  ['nothing', null, 'not JSON'],
  ['text that is no JSON', '{', 'not JSON'],
  ['a list', '[]', 'not an object'],
  ['another version of CloudEvents', { specversion: '0.3' }, 'not a CloudEvent 1.0'],
  ['another source', { source: '/enjeu/issuance' }, 'from another source than wallet'],
  ['a type of somebody else', { type: 'com.example.thing' }, 'an unknown kind of type: com.example.thing'],
  ['a type without version', { type: 'enjeu.StakeDebited' }, 'an unknown kind of type: enjeu.StakeDebited'],
  ['a position as number', { position: 4_711 }, 'position is not a whole number'],
  ['position 0', { position: '0' }, 'position is not a whole number'],
  ['a position too large to count', { position: '9999999999999999' }, 'position is not a whole number'],
  ['no epoch', { epoch: undefined }, 'epoch is not a whole number'],
  ['no subject', { subject: undefined }, 'subject is not a text'],
  ['a correlation that is no text', { correlation: 7 }, 'correlation is not a text'],
  ['no data', { data: undefined }, 'no data'],
])('%s cannot be read', (_what, changed, reason) => {
  const whole = JSON.parse(envelopeOf(origin, event).value);
  const value = changed === null || typeof changed === 'string' ? changed : JSON.stringify({ ...whole, ...changed });
  expect(() => recordOfEnvelope('wallet', value, '1')).toThrow(reason);
});
