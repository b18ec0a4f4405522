import { randomUUID } from 'node:crypto';
import { prepareBlock } from '#fairness';
import { tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import { type PreparationOrder, prepareInWorker } from './prepare-in-worker.ts';

const order = (changes: Partial<PreparationOrder> = {}): PreparationOrder => ({
  tables: tinyRegulation(),
  stakeCents: 100,
  blockId: randomUUID(),
  secret: new Uint8Array(32).fill(7),
  ...changes,
});
const never = new AbortController().signal;

test('a block prepared in its thread is the one that its secret gives', async () => {
  const asked = order();
  const prepared = await prepareInWorker(asked, never);
  const expected = prepareBlock(asked.tables, asked.stakeCents, asked.blockId, asked.secret);
  expect({ ...prepared, deck: [...prepared.deck], coarseLevel: [...prepared.coarseLevel] }).toEqual({
    ...expected,
    deck: [...expected.deck],
    coarseLevel: [...expected.coarseLevel],
  });
});

test('what cannot be prepared rejects with its cause', async () => {
  await expect(prepareInWorker(order({ stakeCents: 300 }), never)).rejects.toThrow('has no stake of 300 cents');
});

test('a thread is ended when the service stops', async () => {
  const stopping = new AbortController();
  const large = tinyRegulation({ blockSize: 20_000_000 });
  const since = Date.now();
  const preparing = prepareInWorker(order({ tables: large }), stopping.signal);
  stopping.abort(new Error('the service stops'));
  await expect(preparing).rejects.toThrow('the service stops');
  expect(Date.now() - since).toBeLessThan(5_000);
});
