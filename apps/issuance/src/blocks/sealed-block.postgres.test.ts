import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { prepareBlock } from '#fairness';
import { cents } from '#money';
import { openTables } from '#service';
import { tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import { freshDatabase, type TestDatabase } from '../../../../test/setup/database.ts';
import { CreateSealedBlocks } from './sealed-block.migration.ts';
import { type BlockToSeal, SealedBlock, SealedBlocks, SealingCheck, WrongKeyEncryptionKey } from './sealed-block.ts';

const key = new Uint8Array(32).fill(1);
let database: TestDatabase;
let dataSource: DataSource;
let sealed: SealedBlocks;

beforeEach(async () => {
  database = await freshDatabase();
  dataSource = await openTables(database.url, 'issuance', {
    entities: [SealedBlock, SealingCheck],
    migrations: [CreateSealedBlocks],
  });
  sealed = new SealedBlocks({ dataSource }, key, randomBytes);
});

afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

function aBlock(): BlockToSeal {
  const blockId = randomUUID();
  const secret = randomBytes(32);
  const prepared = prepareBlock(tinyRegulation(), 100, blockId, secret);
  const of = { emissionId: randomUUID(), regulation: 'tiny@2020-01-01', stakeCents: cents(100) };
  return { blockId, ...of, secret, prepared, sealedAt: '2020-02-01T12:00:00.000Z' };
}

const bytesOf = (row: SealedBlock) => Buffer.concat([row.sealedSecret, row.sealedDeck, row.coarseLevel]);

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
  first.sealedDeck[20]! ^= 1;
  await rows.update({ blockId: one.blockId }, { sealedDeck: first.sealedDeck });
  await expect(sealed.open([one.blockId])).rejects.toThrow(WrongKeyEncryptionKey);
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
