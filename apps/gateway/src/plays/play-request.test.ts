import { ValidationPipe } from '@nestjs/common';
import fc from 'fast-check';
import { PlaceablePlay } from '#contracts/http';
import { requestHash } from '#event-sourcing';
import { loadRegulations, Problem } from '#service';
import { Catalog } from '../games/catalog.ts';
import { readPlayRequest } from './play-request.ts';

const catalog = new Catalog(loadRegulations().all);
const pipe = new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true });

async function classAccepts(body: unknown): Promise<boolean> {
  try {
    await pipe.transform(body, { type: 'body', metatype: PlaceablePlay });
    return true;
  } catch {
    return false;
  }
}

function formIsRead(body: unknown): boolean {
  try {
    readPlayRequest(body, catalog);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.problem !== 'body-invalid';
  }
}

test('reads exactly the forms that its documented class takes', async () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('sudoku', 'auto', 'Auto', '', 'x'.repeat(33), 100, 50.5, -1, 0, 2 ** 53, null),
  );
  const member = fc.constantFrom('game', 'stakeCents', 'mode', 'Mode', 'length', '');
  const good = fc.record({
    game: fc.constantFrom('sudoku', 'pharaon', 'chess'),
    stakeCents: fc.integer({ min: 1, max: 500 }),
  });
  const bodies = fc
    .tuple(good, fc.dictionary(member, odd, { maxKeys: 2, noNullPrototype: true }))
    .map(([a, b]) => ({ ...a, ...b }));
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const read = formIsRead(body);
      accepted += Number(read);
      expect(read).toBe(await classAccepts({ ...body }));
    }),
    { numRuns: 1_000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test.each([[null], [undefined], ['x'], [[]], [[{ game: 'sudoku', stakeCents: 100 }]], [7]])('%j is no body', (body) => {
  expect(formIsRead(body)).toBe(false);
});

test('a body has the hash of its canonical form, whether its mode is given or not', () => {
  const hashOf = (body: object) => readPlayRequest(body, catalog).requestHash;
  const given = { stakeCents: 50, mode: 'play', game: 'pharaon' };
  expect(hashOf(given)).toBe(requestHash('POST /plays', given));
  expect(hashOf({ game: 'pharaon', stakeCents: 50 })).toBe(
    requestHash('POST /plays', { game: 'pharaon', stakeCents: 50 }),
  );
  expect(hashOf({ game: 'pharaon', stakeCents: 50 })).not.toBe(hashOf(given));
});
