import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { prepareBlock } from '#fairness';
import { cents } from '#money';
import { openTables } from '#service';
import { tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import { freshDatabase, type TestDatabase } from '../../../../test/setup/database.ts';
import { prepareHere } from '../issuance.fixture.ts';
import { RegulationsOnFile } from '../regulations/on-file.ts';
import { sealMissingDecks } from './load-vault.ts';
import { CreateSealedBlocks, SealDecksByStretches } from './sealed-block.migration.ts';
import { type BlockToSeal, SealedBlock, SealedBlocks, SealingCheck, WrongKeyEncryptionKey } from './sealed-block.ts';

const key = new Uint8Array(32).fill(1);
let database: TestDatabase;
let dataSource: DataSource;
let sealed: SealedBlocks;

beforeEach(async () => {
  database = await freshDatabase();
  dataSource = await openTables(database.url, 'issuance', {
    entities: [SealedBlock, SealingCheck],
    migrations: [CreateSealedBlocks, SealDecksByStretches],
  });
  sealed = new SealedBlocks({ dataSource }, key, randomBytes);
});

afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

function aBlock(blockSize = 20): BlockToSeal {
  const blockId = randomUUID();
  const secret = randomBytes(32);
  const prepared = prepareBlock(tinyRegulation({ blockSize }), 100, blockId, secret);
  const of = { emissionId: randomUUID(), regulation: 'tiny@2020-01-01', stakeCents: cents(100) };
  return { blockId, ...of, secret, prepared, sealedAt: '2020-02-01T12:00:00.000Z' };
}

const bytesOf = (row: SealedBlock) => Buffer.concat([row.sealedSecret, row.sealedDeck!, row.coarseLevel]);

test('a sealed block is opened with what was sealed', async () => {
  const block = aBlock();
  await sealed.store(block);
  const [opened] = await sealed.open([block.blockId, randomUUID()]);
  expect(opened?.blockId).toBe(block.blockId);
  expect([...(opened?.secret ?? [])]).toEqual([...block.secret]);
  expect([...(opened?.deck ?? [])]).toEqual([...block.prepared.deck]);
});

test('neither the secret nor the deck stands in its row in clear', async () => {
  const block = aBlock();
  await sealed.store(block);
  const row = await dataSource.getRepository(SealedBlock).findOneByOrFail({ blockId: block.blockId });
  expect(bytesOf(row).includes(Buffer.from(block.secret))).toBe(false);
  expect(bytesOf(row).includes(Buffer.from(block.prepared.deck))).toBe(false);
  expect(row.coarseLevel.equals(block.prepared.coarseLevel)).toBe(true);
});

test('the first key that comes is the key of a database, and another one is refused in one line', async () => {
  await sealed.check();
  await sealed.check();
  const other = new SealedBlocks({ dataSource }, randomBytes(32), randomBytes);
  await expect(other.check()).rejects.toThrow(WrongKeyEncryptionKey);
  await expect(other.check()).rejects.toThrow(/^the key-encryption key is not the one [^\n]*$/);
});

test('what was moved to another block, or changed by one bit, is not opened', async () => {
  const [one, two] = [aBlock(), aBlock()];
  await sealed.store(one);
  await sealed.store(two);
  const rows = dataSource.getRepository(SealedBlock);
  const first = await rows.findOneByOrFail({ blockId: one.blockId });
  await rows.update({ blockId: two.blockId }, { sealedSecret: first.sealedSecret });
  await expect(sealed.open([two.blockId])).rejects.toThrow(WrongKeyEncryptionKey);
  await rows.update({ blockId: one.blockId }, { sealedDeck: first.sealedSecret });
  await expect(sealed.open([one.blockId])).rejects.toThrow(WrongKeyEncryptionKey);
  first.sealedDeck![20]! ^= 1;
  await rows.update({ blockId: one.blockId }, { sealedDeck: first.sealedDeck });
  await expect(sealed.open([one.blockId])).rejects.toThrow(WrongKeyEncryptionKey);
});

test('one stretch of a deck is opened alone, the last and shorter one too', async () => {
  const block = aBlock(2_500);
  await sealed.store(block);
  expect([...(await sealed.open([block.blockId]))[0]!.deck]).toEqual([...block.prepared.deck]);
  for (const [unitIndex, from, to] of [
    [0, 0, 1_024],
    [1_023, 0, 1_024],
    [1_024, 1_024, 2_048],
    [2_499, 2_048, 2_500],
  ] as const) {
    const stretch = await sealed.openStretch(block.blockId, unitIndex);
    expect([...(stretch?.deck ?? [])]).toEqual([...block.prepared.deck.subarray(from, to)]);
    expect([...(stretch?.secret ?? [])]).toEqual([...block.secret]);
    expect([...(stretch?.coarseLevel ?? [])]).toEqual([...block.prepared.coarseLevel]);
  }
  expect(await sealed.openStretch(randomUUID(), 0)).toBeNull();
});

test('a stretch that was put in another one’s place is not opened', async () => {
  const block = aBlock(2_500);
  await sealed.store(block);
  const rows = dataSource.getRepository(SealedBlock);
  const { sealedDeck } = await rows.findOneByOrFail({ blockId: block.blockId });
  const bytes = 12 + 1_024 + 16;
  const swapped = [
    sealedDeck!.subarray(bytes, 2 * bytes),
    sealedDeck!.subarray(0, bytes),
    sealedDeck!.subarray(2 * bytes),
  ];
  await rows.update({ blockId: block.blockId }, { sealedDeck: Buffer.concat(swapped) });
  await expect(sealed.openStretch(block.blockId, 0)).rejects.toThrow(WrongKeyEncryptionKey);
  await expect(sealed.open([block.blockId])).rejects.toThrow(WrongKeyEncryptionKey);
});

test('a block of the true size takes at most 1.5 MB', async () => {
  const block = aBlock(1_280_000);
  await sealed.store(block);
  const [{ bytes }] = await dataSource.query(
    `select sum(pg_column_size(s.*))::float8 as bytes from sealed_blocks s where block_id = '${block.blockId}'`,
  );
  expect(bytes).toBeGreaterThan(1_280_000);
  expect(bytes).toBeLessThan(1_500_000);
});

test('a deck that is missing is derived again from the secret, and sealed', async () => {
  const block = aBlock(2_500);
  await sealed.store(block);
  await dataSource.getRepository(SealedBlock).update({ blockId: block.blockId }, { sealedDeck: null });
  const regulations = new RegulationsOnFile([tinyRegulation({ blockSize: 2_500 })]);
  await sealMissingDecks({ sealed, regulations }, prepareHere, new AbortController().signal);
  expect([...(await sealed.open([block.blockId]))[0]!.deck]).toEqual([...block.prepared.deck]);
  expect(await sealed.withoutDeck(10)).toEqual([]);
});

test('a block without an entry may be forgotten, one with an entry may not', async () => {
  const [one, two] = [aBlock(), aBlock()];
  await sealed.store(one);
  await sealed.store(two);
  await sealed.setEntry(two.blockId, 0);
  expect(await sealed.withoutEntry(10)).toEqual([one.blockId]);
  await sealed.discard(one.blockId);
  await sealed.discard(two.blockId);
  expect((await sealed.open([one.blockId, two.blockId])).map(({ blockId }) => blockId)).toEqual([two.blockId]);
});
