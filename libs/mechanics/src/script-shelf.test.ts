import { type JudgeScript, ScriptShelf, type Scripts, scriptDigest, type UnitToShow } from '#mechanics';
import { cents } from '#money';
import type { GameRegulation } from '#regulation';

const seed = '00112233445566778899aabbccddeeff';
const unit: UnitToShow = { regulation: 'coin@2020-01-01', mechanic: 'coin/1', stakeCents: 100, prizeCents: 200, seed };

const regulation = {
  id: 'coin@2020-01-01',
  game: 'coin',
  names: { fr: 'Pile ou face', en: 'Coin' },
  signedOn: '2020-01-01',
  opensOn: '2020-02-01',
  references: [],
  blockSize: 2,
  mechanic: 'coin/1',
  parameters: {},
  stakes: [],
  errata: [],
  rules: { fr: [], en: [] },
} satisfies GameRegulation;

/** A mechanic that shows the prize as it is, but for what a test changes of it. */
function coin(changes: Partial<Scripts> = {}): Scripts {
  return {
    render: (prizeCents, from) => ({ from: from.slice(0, 4), mechanic: 'coin/1', shown: prizeCents }),
    judge: (script) => ({ prizeCents: cents((script as { shown: number }).shown) }),
    ...changes,
  };
}

function shelfOf(changes: Partial<Scripts> = {}): JudgeScript {
  return new ScriptShelf(
    (id) => (id === regulation.id ? regulation : null),
    () => coin(changes),
  ).scriptOf;
}

test('REG-4.3: a script that the referee judges to the unit’s prize is given with its digest', () => {
  const script = { mechanic: 'coin/1', shown: 200, from: '0011' };
  expect(shelfOf()(unit)).toEqual({ script, digest: scriptDigest(script) });
});

test.each<[string, Partial<Scripts>, RegExp]>([
  ['the referee rejects', { judge: () => ({ invalid: 'a coin has two sides' }) }, /referee.*a coin has two sides/],
  ['shows another prize', { judge: () => ({ prizeCents: cents(300) }) }, /300 cents instead of 200/],
  ['shows a loss for a prize', { judge: () => ({ prizeCents: cents(0) }) }, /0 cents instead of 200/],
  [
    'the renderer does not draw',
    {
      render: () => {
        throw new Error('no side fits');
      },
    },
    /no side fits/,
  ],
  [
    'the referee stumbles over',
    {
      judge: () => {
        throw 'something that is no Error';
      },
    },
    /something that is no Error/,
  ],
])('REG-4.3: a script that %s is withheld, with the reason', (_, changes, why) => {
  expect(shelfOf(changes)(unit)).toEqual({ rejected: expect.stringMatching(why) });
});

test('a unit of a regulation that is not on file, at a stake that does not exist, of another mechanic, or with an impossible prize has no script', () => {
  expect(shelfOf()({ ...unit, regulation: 'coin@1999-01-01' })).toEqual({
    rejected: expect.stringContaining('coin@1999-01-01'),
  });
  expect(shelfOf()({ ...unit, prizeCents: 0.5 })).toEqual({ rejected: expect.any(String) });
  expect(shelfOf()({ ...unit, mechanic: 'coin/2' })).toEqual({
    rejected: 'coin@2020-01-01 is shown by coin/1, not by coin/2',
  });
  const real = new ScriptShelf(() => regulation);
  expect(real.scriptOf(unit)).toEqual({ rejected: expect.stringContaining('no stake of 100 cents') });
});

test('no reason holds the seed, and each is one line of at most 500 characters', () => {
  const render = (_: unknown, from: string): never => {
    throw new Error(`cannot draw ${from}\n${from.toUpperCase()}\u0000\ud800 ${'x'.repeat(3_000)}`);
  };
  const { rejected } = shelfOf({ render })(unit) as { rejected: string };
  expect(rejected).toContain('cannot draw');
  expect(rejected.toLowerCase()).not.toContain(seed);
  expect(rejected).toMatch(/^[^\p{Cc}\p{Cs}]{1,500}$/u);
});

describe('the shelf', () => {
  test('makes renderer and referee once for each regulation and stake', () => {
    const made: string[] = [];
    const shelf = new ScriptShelf(
      () => regulation,
      ({ id }, stakeCents) => {
        made.push(`${id} ${stakeCents}`);
        return coin();
      },
    );
    for (let n = 0; n < 3; n++) for (const stakeCents of [100, 200]) shelf.scriptOf({ ...unit, stakeCents });
    expect(made).toEqual(['coin@2020-01-01 100', 'coin@2020-01-01 200']);
  });

  test('finds a regulation that has come since, and the newer data of one that was replaced', () => {
    let onFile: GameRegulation | null = null;
    const shelf = new ScriptShelf(
      () => onFile,
      ({ mechanic }) => coin({ render: () => ({ mechanic, shown: 200 }) }),
    );
    expect(shelf.scriptOf(unit)).toHaveProperty('rejected');
    onFile = regulation;
    expect(shelf.scriptOf(unit)).toMatchObject({ script: { mechanic: 'coin/1' } });
    onFile = { ...regulation, mechanic: 'coin/2' };
    expect(shelf.scriptOf({ ...unit, mechanic: 'coin/2' })).toMatchObject({ script: { mechanic: 'coin/2' } });
  });
});
