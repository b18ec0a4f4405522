import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type BeaconCheck, loadBeaconCheck, QUICKNET, roundPublicAt, roundToPromise } from '#fairness';
import { millisecondsOf } from './times.ts';

interface RecordedRounds {
  readonly chain: string;
  readonly rounds: readonly { readonly round: number; readonly value: string }[];
  readonly publicAtSeconds: Readonly<Record<string, number>>;
}

/** Rounds as drand's nodes have served them, recorded in several public repositories. */
const golden: RecordedRounds = JSON.parse(readFileSync(new URL('./rounds.golden.json', import.meta.url), 'utf8'));

let isRoundSignature: BeaconCheck;
beforeAll(async () => {
  isRoundSignature = await loadBeaconCheck();
});

test.each(golden.rounds)('the recorded signature of round $round is the beacon’s', ({ round, value }) => {
  expect(golden.chain).toBe(QUICKNET.chain);
  expect(isRoundSignature(round, value)).toBe(true);
});

test('a signature is that of its own round alone', () => {
  const { value } = golden.rounds[2]!;
  for (const round of [999, 1001, 1, 0, -1000, 1000.5, Number.NaN, 2 ** 53]) {
    expect([round, isRoundSignature(round, value)]).toEqual([round, false]);
  }
});

const other = (count: number) => '0'.repeat(count);

test.each<[string, string]>([
  ['the point at infinity', `c0${other(94)}`],
  ['a point off the curve (x = 1)', `80${other(93)}1`],
  ['a point of the curve outside the subgroup (x = 0)', `80${other(94)}`],
  ['a coordinate above the field', `9f${'f'.repeat(94)}`],
  ['an uncompressed point', `17f1d3a7${other(184)}`],
  ['96 bytes', other(192)],
  ['47 bytes', `80${other(92)}`],
  ['nothing', ''],
  ['capitals', golden.rounds[0]!.value.toUpperCase()],
  ['no hex', 'x'.repeat(96)],
  ['the negated signature', golden.rounds[0]!.value.replace(/^b/, '9')],
])('%s is no signature of a round', (_, value) => {
  expect(isRoundSignature(1, value)).toBe(false);
});

test('every changed bit of a signature is found', () => {
  const { round, value } = golden.rounds[1]!;
  for (let byte = 0; byte < 48; byte += 5) {
    const changed = (Number.parseInt(value.slice(2 * byte, 2 * byte + 2), 16) ^ 1).toString(16).padStart(2, '0');
    expect(isRoundSignature(round, value.slice(0, 2 * byte) + changed + value.slice(2 * byte + 2))).toBe(false);
  }
});

test('rounds become public every three seconds from the chain’s first', () => {
  for (const [round, seconds] of Object.entries(golden.publicAtSeconds)) {
    expect(roundPublicAt(Number(round))).toBe(seconds * 1_000);
  }
  for (const round of [0, -1, 0.5, Number.NaN]) expect(() => roundPublicAt(round)).toThrow(RangeError);
});

test('the round to promise is the first that is public at least 60 s after the commitment', () => {
  expect(roundToPromise('2009-02-05T12:00:00.000Z')).toBe(1);
  // Round 1000 is public at 2023-08-23T15:59:24Z.
  expect(roundToPromise('2023-08-23T15:58:24.000Z')).toBe(1000);
  expect(roundToPromise('2023-08-23T15:58:24.001Z')).toBe(1001);
  expect(roundToPromise('2023-08-23T15:58:21.001Z')).toBe(1000);
});

test('milliseconds of a time are those of the calendar, leap days included', () => {
  const range = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') };
  const times = fc.date({ ...range, noInvalidDate: true });
  fc.assert(
    fc.property(times, (date) => expect(millisecondsOf(date.toISOString())).toBe(date.getTime())),
    { numRuns: 2_000 },
  );
  for (const time of ['2024-02-29T00:00:00.000Z', '2000-02-29T23:59:59.999Z', '1969-12-31T23:59:59.999Z']) {
    expect(millisecondsOf(time)).toBe(Date.parse(time));
  }
  expect(() => millisecondsOf('2023-02-29T00:00:00.000Z')).toThrow(RangeError);
  expect(() => millisecondsOf('2023-02-28')).toThrow(RangeError);
});
