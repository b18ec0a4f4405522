import { readFileSync } from 'node:fs';
import {
  type BeaconCheck,
  type CheckedOpening,
  type Commitment,
  type CommittedBlock,
  fromHex,
  type KeySet,
  loadBeaconCheck,
  type Opening,
  publicKeyEntry,
  sign,
  signCommitment,
  signOpening,
  startOf,
  verifyOpening,
} from '#fairness';
import { blocksKey, committedBlock } from '../test/committed-block.ts';

const key = blocksKey;
const keys: KeySet = { keys: [publicKeyEntry(key, 'blocks', '2009-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z')] };
const golden = JSON.parse(readFileSync(new URL('./rounds.golden.json', import.meta.url), 'utf8'));
const recorded = (round: number): string => golden.rounds.find((one: { round: number }) => one.round === round).value;

// Round 1000 is public at 15:59:24.
const block = committedBlock({
  contribution: { source: 'drand:quicknet', round: 1000 },
  committedAt: '2023-08-23T15:58:24.000Z',
});
const commitment = signCommitment(block, null, key);
const openedAt = '2023-08-23T15:59:24.000Z';
const opening = signOpening(commitment, recorded(1000), openedAt, key);
const localCommitment = signCommitment({ ...block, contribution: { source: 'local', round: 0 } }, null, key);
const localOpening = signOpening(localCommitment, 'ab'.repeat(32), block.committedAt, key);

let isRoundSignature: BeaconCheck;
beforeAll(async () => {
  isRoundSignature = await loadBeaconCheck();
});

/** Signed all the same: what a dishonest holder of the key could show. */
const resigned = (change: object, of: Opening = opening) => sign({ ...of, ...change }, key);
const contribution = (change: object) => ({ contribution: { ...opening.contribution, ...change } });
const otherBlock = (change: Partial<CommittedBlock>): Commitment => signCommitment({ ...block, ...change }, null, key);

function refusalOf(checked: CheckedOpening): string {
  return 'refused' in checked ? checked.refused : 'accepted';
}

const verified = (value: unknown, against: Commitment = commitment) =>
  refusalOf(verifyOpening(value, against, keys, isRoundSignature));

test('an opening by a recorded round of the beacon is accepted, and nothing more needs saying', () => {
  expect(opening.start).toBe(startOf(block.root, fromHex(recorded(1000)), block.size));
  expect(verifyOpening(opening, commitment, keys, isRoundSignature)).toEqual({ accepted: opening, notes: [] });
  expect(verified(JSON.parse(JSON.stringify(opening)))).toBe('accepted');
});

test('an opening whose beacon was not checked says so', () => {
  const notes = ['the beacon’s signature was not checked'];
  expect(verifyOpening(opening, commitment, keys, null)).toEqual({ accepted: opening, notes });
});

test('a local contribution opens a block at once, and is noted to prove nothing about the operator', () => {
  const notes = ['the contribution is local: it proves nothing about the operator'];
  const checked = verifyOpening(localOpening, localCommitment, keys, isRoundSignature);
  expect(checked).toEqual({ accepted: localOpening, notes });
});

test('any member that is changed without signing again is found', () => {
  const changes: Record<string, object> = {
    blockId: { blockId: '0197f3c0-1234-7abc-8def-0123456789ac' },
    round: contribution({ round: 1001 }),
    value: contribution({ value: recorded(1001) }),
    start: { start: opening.start + 1 },
    openedAt: { openedAt: '2023-08-23T15:59:24.001Z' },
  };
  for (const [name, change] of Object.entries(changes)) {
    expect([name, verified({ ...opening, ...change })]).toEqual([name, 'signature-wrong']);
  }
});

test.each<[string, string, () => object, Commitment?]>([
  ['another block', 'another-block', () => opening, otherBlock({ blockId: '0197f3c0-1234-7abc-8def-0123456789ac' })],
  ['another round', 'contribution-not-promised', () => resigned(contribution({ round: 1001, value: recorded(1001) }))],
  ['another source', 'contribution-not-promised', () => localOpening],
  [
    'a contribution where none was promised',
    'contribution-not-promised',
    () => opening,
    otherBlock({ contribution: null }),
  ],
  ['an opening before the commitment', 'time-falls', () => resigned({ openedAt: '2023-08-23T15:58:23.999Z' })],
  ['a round not public yet', 'round-not-public-then', () => resigned({ openedAt: '2023-08-23T15:59:23.999Z' })],
  ['a round 59.999 s later', 'round-too-early', () => opening, otherBlock({ committedAt: '2023-08-23T15:58:24.001Z' })],
  ['a chosen start', 'start-wrong', () => resigned({ start: opening.start + 1 })],
  ['a start after the end', 'start-wrong', () => resigned({ start: block.size })],
  ['the value of another round', 'start-wrong', () => resigned(contribution({ value: recorded(1001) }))],
  ['the start of another root', 'start-wrong', () => opening, otherBlock({ root: 'cd'.repeat(32) })],
])('%s is found although the forger holds the key', (_, refusal, forged, against = commitment) => {
  expect(verified(forged(), against)).toBe(refusal);
});

test('a value that the operator chose himself is found by the beacon’s signature alone', () => {
  const value = recorded(1001);
  const start = startOf(block.root, fromHex(value), block.size);
  const forged = resigned({ ...contribution({ value }), start });
  expect(verified(forged)).toBe('beacon-signature-wrong');
  expect(refusalOf(verifyOpening(forged, commitment, keys, null))).toBe('accepted');
});

test('missing, unknown and malformed members are refused even when signed', () => {
  for (const name of Object.keys(opening)) {
    const { [name]: _, ...without } = opening as unknown as Record<string, unknown>;
    expect([name, verified(without)]).toEqual([name, 'malformed']);
  }
  const malformed: object[] = [
    { colour: 'red' },
    { format: 'enjeu-opening/2' },
    { start: -1 },
    { start: 2 ** 32 - 1 },
    { openedAt: '2023-08-23T15:59:24Z' },
    { contribution: null },
    contribution({ round: 0 }),
    contribution({ value: 'ab'.repeat(32) }),
    contribution({ colour: 'red' }),
    contribution({ source: 'local' }),
    contribution({ source: 'dice' }),
  ];
  for (const change of malformed) expect([change, verified(resigned(change))]).toEqual([change, 'malformed']);
  for (const thing of [null, [], 'x', 1, undefined]) expect(verified(thing)).toBe('malformed');
});

test('the key must be known, of purpose blocks, and valid at openedAt', () => {
  const under = (set: KeySet) => refusalOf(verifyOpening(opening, commitment, set, isRoundSignature));
  expect(under({ keys: [] })).toBe('key-unknown');
  expect(under({ keys: [publicKeyEntry(key, 'log', '2009-01-01T00:00:00.000Z')] })).toBe('key-of-another-purpose');
  expect(under({ keys: [publicKeyEntry(key, 'blocks', '2009-01-01T00:00:00.000Z', openedAt)] })).toBe(
    'key-not-valid-then',
  );
  expect(under({ keys: [publicKeyEntry(key, 'blocks', openedAt)] })).toBe('accepted');
});

test('nobody signs an opening that would be refused', () => {
  const attempt =
    (value: string, at: string, of = commitment) =>
    () =>
      signOpening(of, value, at, key);
  expect(attempt('00'.repeat(32), openedAt)).toThrow(/value: must be 48 bytes/);
  expect(attempt('no hex', openedAt)).toThrow(RangeError);
  expect(attempt(recorded(1000), '2023-08-23T15:59:23.999Z')).toThrow(/not public yet/);
  expect(attempt(recorded(1000), openedAt, otherBlock({ contribution: null }))).toThrow(/without a contribution/);
  expect(attempt('ab'.repeat(32), '2023-08-23T15:58:23.999Z', localCommitment)).toThrow(/before it was committed/);
});
