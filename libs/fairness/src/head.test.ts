import { type HeadToSign, type KeySet, publicKeyEntry, sign, signHead, signingKey, verifyHead } from '#fairness';

const key = signingKey(new Uint8Array(32).fill(3));
const keys: KeySet = { keys: [publicKeyEntry(key, 'log', '2009-01-01T00:00:00.000Z')] };
const head: HeadToSign = {
  logId: '0197f3c0-1234-7abc-8def-0123456789ab',
  epoch: 1,
  position: 42,
  chain: 'ab'.repeat(32),
  signedAt: '2009-02-05T12:00:00.000Z',
};

test('a signed head verifies, and each changed member breaks it', () => {
  const signed = signHead(head, key);
  expect(verifyHead(JSON.parse(JSON.stringify(signed)), keys)).toEqual({ accepted: signed });
  const changes: Partial<HeadToSign>[] = [
    { logId: '0197f3c0-1234-7abc-8def-0123456789ac' },
    { epoch: 2 },
    { position: 41 },
    { chain: 'ac'.repeat(32) },
    { signedAt: '2009-02-05T12:00:00.001Z' },
  ];
  expect(changes.map((change) => Object.keys(change)[0])).toEqual(Object.keys(head));
  for (const change of changes)
    expect(verifyHead({ ...signed, ...change }, keys)).toMatchObject({ refused: 'signature-wrong' });
});

test('a head signed by a key for blocks, or with an unknown member, is refused', () => {
  const blocks: KeySet = { keys: [publicKeyEntry(key, 'blocks', '2009-01-01T00:00:00.000Z')] };
  expect(verifyHead(signHead(head, key), blocks)).toMatchObject({ refused: 'key-of-another-purpose' });
  expect(verifyHead(sign({ ...signHead(head, key), extra: 1 }, key), keys)).toMatchObject({ refused: 'malformed' });
});

test('members beside those of the format are not signed into a head, and a malformed one is refused', () => {
  const given = { ...head, state: 'running' };
  expect(Object.keys(signHead(given, key)).sort()).toEqual(
    ['chain', 'epoch', 'format', 'keyId', 'logId', 'position', 'signature', 'signedAt'].sort(),
  );
  expect(() => signHead({ ...head, chain: '' }, key)).toThrow(/chain: must be 32 bytes/);
  expect(() => signHead({ ...head, epoch: 0 }, key)).toThrow(RangeError);
});
