import {
  type Commitment,
  compareReceipts,
  type Disagreement,
  entryDigest,
  type Receipt,
  type ReceiptToSign,
  sign,
  signReceipt,
  verifyCommitments,
  verifyReceipt,
} from '#fairness';
import { key, keys, receiptOf, rulesOf, sealedBlock, told } from '../test/made-up-platform.ts';

const first = sealedBlock(0, null);
const block = sealedBlock(1, first.commitment);
const third = sealedBlock(2, block.commitment);
const list = [first, block, third].map(({ commitment }) => commitment);

const a = receiptOf(block, 5, 7);
const b = receiptOf(block, 6, 8);
const c = receiptOf(first, 6, 9);

const kinds = (found: readonly Disagreement[]) => [...new Set(found.map(({ kind }) => kind))];
const isSound = (receipt: Receipt) =>
  verifyReceipt(receipt, { keys, rulesOf, isRoundSignature: null }).failure === null;
const again = (of: Receipt, change: Partial<ReceiptToSign>): Receipt => sign({ ...of, ...change }, key) as Receipt;

test('honest receipts do not contradict each other, nor the list', () => {
  expect(compareReceipts([a, b, c])).toEqual([]);
  expect(compareReceipts([a, b, c], list)).toEqual([]);
  expect(compareReceipts([])).toEqual([]);
});

test('the same receipt twice, or signed again later with a longer list, is no contradiction', () => {
  const later = signReceipt({ ...told(block, 5, 7, third.commitment), signedAt: '2023-08-24T00:00:00.000Z' }, key);
  expect(compareReceipts([a, a, later], list)).toEqual([]);
});

test('a unit sold twice is found: each receipt is sound by itself', () => {
  const twin = receiptOf(block, 5, 8);
  expect([a, twin].every(isSound)).toBe(true);
  const found = compareReceipts([b, a, twin]);
  expect(kinds(found)).toEqual(['unit-sold-twice', 'play-told-twice']);
  expect(found[0]).toMatchObject({ receipts: [1, 2], detail: expect.stringContaining('sale 5 of block') });
  const same = receiptOf(block, 5, 10);
  expect(compareReceipts([a, same]).map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^sale 5 of block \S+: sold to two plays$/),
    expect.stringMatching(/^unit \d+ of block \S+: sold to two plays$/),
  ]);
});

test('one play with two units is found', () => {
  const other = receiptOf(block, 9, 7);
  expect([a, other].every(isSound)).toBe(true);
  expect(kinds(compareReceipts([a, other]))).toEqual(['play-told-twice']);
});

test('a list shown differently to two players is found by their receipts', () => {
  const otherThird = sealedBlock(3, block.commitment);
  const mine = again(a, { listHead: { entry: 2, digest: entryDigest(third.commitment) } });
  const yours = again(b, { listHead: { entry: 2, digest: entryDigest(otherThird.commitment) } });
  expect([mine, yours].every(isSound)).toBe(true);
  expect(compareReceipts([mine, yours])).toEqual([
    { kind: 'lists-differ', receipts: [0, 1], detail: 'entry 2 of the list: shown in two versions' },
  ]);
  expect(kinds(compareReceipts([mine, yours], list))).toEqual(['lists-differ', 'not-in-the-list']);
});

test('two lists are found by the entry before a commitment as well', () => {
  const otherFirst = sealedBlock(4, null);
  const otherBlock = sealedBlock(5, otherFirst.commitment);
  const yours = receiptOf(otherBlock, 0, 8);
  expect(isSound(yours)).toBe(true);
  const found = compareReceipts([c, yours]);
  expect(found).toEqual([
    { kind: 'lists-differ', receipts: [0, 1], detail: 'entry 0 of the list: shown in two versions' },
  ]);
  expect(compareReceipts([a, yours]).map(({ detail }) => detail)).toEqual([
    'entry 1 of the list: shown in two versions',
    'entry 0 of the list: shown in two versions',
  ]);
});

test('a block changed after its sale began is found, in place or under a new entry', () => {
  const { root } = sealedBlock(6, null).prepared;
  const inPlace = sealedBlock(1, first.commitment, { root }).commitment;
  const anew = sealedBlock(1, third.commitment, { root }).commitment;
  const sold = (commitment: Commitment) =>
    again(b, { commitment, listHead: { entry: commitment.entry, digest: entryDigest(commitment) } });
  expect(kinds(compareReceipts([a, sold(inPlace)]))).toEqual(['lists-differ', 'block-committed-twice']);
  expect(kinds(compareReceipts([a, sold(anew)]))).toEqual(['block-committed-twice']);
  expect(verifyCommitments([...list, anew], keys)).toHaveProperty('accepted');
  expect(compareReceipts([], [...list, anew])).toEqual([
    { kind: 'block-committed-twice', receipts: [], detail: expect.stringContaining('entries 1 and 3 of the list') },
  ]);
});

test('two openings of one block are found', () => {
  const opening = sign({ ...block.opening!, openedAt: '2023-08-23T15:59:31.000Z' }, key);
  expect(isSound(again(b, { opening }))).toBe(true);
  expect(kinds(compareReceipts([a, again(b, { opening })]))).toEqual(['block-opened-twice']);
});

test('a commitment or a list head that the public list does not have is found', () => {
  const hidden = sealedBlock(7, first.commitment);
  const secretly = receiptOf(hidden, 0, 10);
  expect(isSound(secretly)).toBe(true);
  expect(compareReceipts([a, secretly], list).filter(({ kind }) => kind === 'not-in-the-list')).toEqual([
    { kind: 'not-in-the-list', receipts: [1], detail: 'entry 1, as the receipt has it, is not the one in the list' },
  ]);
  const beyond = again(a, { listHead: { entry: 3, digest: 'aa'.repeat(32) } });
  expect(compareReceipts([beyond], list)).toEqual([
    {
      kind: 'not-in-the-list',
      receipts: [0],
      detail: 'the receipt speaks of entry 3, and the list ends before entry 3',
    },
  ]);
  expect(kinds(compareReceipts([a], list.slice(1)))).toEqual(['not-in-the-list']);
});
