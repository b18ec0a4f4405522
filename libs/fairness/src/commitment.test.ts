import {
  type Checked,
  type Commitment,
  entryDigest,
  type KeySet,
  publicKeyEntry,
  type SigningKey,
  sign,
  signCommitment,
  signingKey,
  verifyCommitment,
  verifyCommitments,
} from '#fairness';
import { blocksKey, committedBlock } from '../test/committed-block.ts';

const key = blocksKey;
const keys: KeySet = { keys: [publicKeyEntry(key, 'blocks', '2009-01-01T00:00:00.000Z', '2010-01-01T00:00:00.000Z')] };

const block = committedBlock({
  contribution: { source: 'drand:quicknet', round: 123 },
  committedAt: '2009-02-05T12:00:00.000Z',
});

/** A list of so many entries, a second apart. */
function list(count: number): Commitment[] {
  const commitments: Commitment[] = [];
  for (let i = 0; i < count; i++) {
    const committedAt = `2009-02-05T12:00:0${i}.000Z`;
    commitments.push(signCommitment({ ...block, committedAt }, commitments.at(-1) ?? null, key));
  }
  return commitments;
}

/** Signed all the same: what a dishonest holder of the key could show. */
function resigned(commitment: Commitment, change: object, by: SigningKey = key) {
  return sign({ ...commitment, ...change }, by);
}

function refusalOf(checked: Checked<unknown>): string {
  return 'refused' in checked ? checked.refused : 'accepted';
}

test('a list of commitments verifies whole, and page by page', () => {
  const all = list(5);
  expect(all.map(({ entry }) => entry)).toEqual([0, 1, 2, 3, 4]);
  expect(all[0]!.previous).toBeNull();
  expect(all[3]!.previous).toBe(entryDigest(all[2]!));
  expect(verifyCommitments(all, keys)).toEqual({ accepted: all });
  expect(verifyCommitments(all.slice(3), keys, all[2])).toEqual({ accepted: all.slice(3) });
  expect(verifyCommitments([], keys)).toEqual({ accepted: [] });
});

test('a commitment survives being stored as JSON, whatever the order of its members', () => {
  const [commitment] = list(1);
  const stored = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(commitment))).reverse());
  expect(refusalOf(verifyCommitment(stored, keys))).toBe('accepted');
});

test('a block without a public contribution is committed with null', () => {
  const commitment = signCommitment({ ...block, contribution: null }, null, key);
  expect(refusalOf(verifyCommitment(commitment, keys))).toBe('accepted');
});

test('any changed member breaks the signature', () => {
  const [, commitment] = list(2);
  const changes: Record<string, unknown> = {
    blockId: '0197f3c0-1234-7abc-8def-0123456789ac',
    entry: 7,
    previous: 'dd'.repeat(32),
    regulation: 'pharaon@2008-12-17',
    regulationDigest: 'dd'.repeat(32),
    stakeCents: 200,
    size: 1_280_001,
    tableDigest: 'dd'.repeat(32),
    mechanic: 'sudoku/2',
    root: 'dd'.repeat(32),
    contribution: { source: 'drand:quicknet', round: 124 },
    committedAt: '2009-02-05T12:00:02.000Z',
  };
  const names = Object.keys(commitment!).filter((name) => !['format', 'keyId', 'signature'].includes(name));
  expect(Object.keys(changes).sort()).toEqual(names.sort());
  for (const [name, value] of Object.entries(changes)) {
    expect([name, refusalOf(verifyCommitment({ ...commitment, [name]: value }, keys))]).toEqual([
      name,
      'signature-wrong',
    ]);
  }
});

test('missing, unknown and malformed members are refused even when signed', () => {
  const [commitment] = list(1);
  for (const name of Object.keys(commitment!)) {
    const { [name]: _, ...without } = commitment as unknown as Record<string, unknown>;
    expect([name, refusalOf(verifyCommitment(without, keys))]).toEqual([name, 'malformed']);
  }
  const malformed: object[] = [
    { colour: 'red' },
    { format: 'enjeu-commitment/2' },
    { entry: 1 },
    { entry: 1, previous: null },
    { previous: 'dd'.repeat(32) },
    { size: 0 },
    { size: 2 ** 32 },
    { stakeCents: '100' },
    { root: 'CC'.repeat(32) },
    { committedAt: '2009-02-05T12:00:00Z' },
    { committedAt: '2009-02-30T12:00:00.000Z' },
    { contribution: { source: 'drand:quicknet', round: 0 } },
    { contribution: { source: 'local', round: 1 } },
    { contribution: { source: 'dice', round: 1 } },
    { contribution: { source: 'local', round: 0, value: '' } },
  ];
  for (const change of malformed) {
    expect([change, refusalOf(verifyCommitment(resigned(commitment!, change), keys))]).toEqual([change, 'malformed']);
  }
  for (const thing of [null, [], 'x', 1, undefined]) expect(refusalOf(verifyCommitment(thing, keys))).toBe('malformed');
});

test('the key must be known, of purpose blocks, and valid at committedAt: from ≤ t < until', () => {
  const [commitment] = list(1);
  const at = (committedAt: string) => refusalOf(verifyCommitment(resigned(commitment!, { committedAt }), keys));
  expect(at('2009-01-01T00:00:00.000Z')).toBe('accepted');
  expect(at('2008-12-31T23:59:59.999Z')).toBe('key-not-valid-then');
  expect(at('2009-12-31T23:59:59.999Z')).toBe('accepted');
  expect(at('2010-01-01T00:00:00.000Z')).toBe('key-not-valid-then');
  const log: KeySet = { keys: [publicKeyEntry(key, 'log', '2009-01-01T00:00:00.000Z')] };
  expect(refusalOf(verifyCommitment(commitment, log))).toBe('key-of-another-purpose');
  expect(refusalOf(verifyCommitment(commitment, { keys: [] }))).toBe('key-unknown');
});

test('another signer cannot borrow the key’s name', () => {
  const [commitment] = list(1);
  const thief = signingKey(new Uint8Array(32).fill(2));
  const borrowed = sign(commitment!, { keyId: key.keyId, secretKey: thief.secretKey });
  expect(refusalOf(verifyCommitment(borrowed, keys))).toBe('signature-wrong');
});

test('an entry left out, doubled, swapped or replaced is found', () => {
  const all = list(4);
  const [a, b, c, d] = all as [Commitment, Commitment, Commitment, Commitment];
  expect(refusalOf(verifyCommitments([a, c, d], keys))).toBe('entry-out-of-order');
  expect(refusalOf(verifyCommitments([a, b, b, c], keys))).toBe('entry-out-of-order');
  expect(refusalOf(verifyCommitments([b, a], keys))).toBe('entry-out-of-order');
  expect(refusalOf(verifyCommitments([b], keys))).toBe('entry-out-of-order');
  const other = resigned(b, { root: 'dd'.repeat(32) });
  expect(refusalOf(verifyCommitments([a, other], keys))).toBe('accepted');
  expect(refusalOf(verifyCommitments([a, other, c, d], keys))).toBe('previous-entry-wrong');
  expect(refusalOf(verifyCommitments([c], keys, other as Commitment))).toBe('previous-entry-wrong');
});

test('committedAt never falls: neither is it signed so, nor accepted', () => {
  const [a] = list(1) as [Commitment];
  const earlier = '2009-02-05T11:59:59.999Z';
  expect(() => signCommitment({ ...block, committedAt: earlier }, a, key)).toThrow(RangeError);
  const b = signCommitment({ ...block, committedAt: a.committedAt }, a, key);
  expect(refusalOf(verifyCommitments([a, b], keys))).toBe('accepted');
  expect(refusalOf(verifyCommitments([a, resigned(b, { committedAt: earlier })], keys))).toBe('time-falls');
});

test('a malformed block is not signed', () => {
  expect(() => signCommitment({ ...block, root: 'no' }, null, key)).toThrow(/root: must be 32 bytes/);
});
