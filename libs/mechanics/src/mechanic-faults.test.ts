import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { mechanicFaults } from '#mechanics';
import { tinyRegulation } from '../../../test/fixtures/tiny-game.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests break the shape on purpose.
type Change = (regulation: any) => void;

const fileOf = (id: string) => readFileSync(new URL(`../../regulation/data/${id}.json`, import.meta.url), 'utf8');
const SUDOKU = fileOf('sudoku@2009-01-26');
const PHARAON = fileOf('pharaon@2008-12-17');
/** Five amounts at one stake: the fewest that match/1 can show. */
const MATCH = JSON.stringify(
  tinyRegulation({
    mechanic: 'match/1',
    stakes: tinyRegulation()
      .stakes.slice(0, 1)
      .map((stake) => ({
        ...stake,
        rows: [...stake.rows, { count: 1, prizeCents: 5_000 as (typeof stake.rows)[number]['prizeCents'] }],
      })),
  }),
);

function faultsAfter(text: string, change: Change) {
  const regulation = JSON.parse(text);
  change(regulation);
  return mechanicFaults(regulation).map(({ place, message }) => [place, message]);
}

test.each([
  ['sudoku/1', SUDOKU],
  ['pharaon/1', PHARAON],
  ['match/1', MATCH],
])('a sound regulation of %s has no fault', (mechanic, text) => {
  expect(JSON.parse(text).mechanic).toBe(mechanic);
  expect(faultsAfter(text, () => {})).toEqual([]);
});

test('a mechanic or a version that does not exist is named, with those that do', () => {
  expect(faultsAfter(SUDOKU, (r) => (r.mechanic = 'sudoku/2'))).toEqual([
    ['mechanic', 'there is no mechanic "sudoku/2", there are sudoku/1, pharaon/1, match/1'],
  ]);
});

const at = (stake: string) => `stakes[1].parameters.${stake}`;

describe('sudoku/1', () => {
  const blocks = (r: { stakes: { parameters: { blocksPerPrize: object[] } }[] }) =>
    // biome-ignore lint/suspicious/noExplicitAny: the tests break the shape on purpose.
    r.stakes[1]!.parameters.blocksPerPrize as any[];

  test.each<[string, Change, [string, string][]]>([
    [
      'a row without an entry',
      (r) => blocks(r).pop(),
      [['stakes[1].rows[19].prizeCents', 'has no entry in parameters.blocksPerPrize']],
    ],
    [
      'a second entry for a row',
      (r) => blocks(r).push(blocks(r)[3]),
      [[at('blocksPerPrize[20].prizeCents'), 'has an entry before this']],
    ],
    [
      'an entry for an amount that is no row',
      (r) => blocks(r).push({ prizeCents: 99, blocks: [1] }),
      [[at('blocksPerPrize[20].prizeCents'), 'is no prize of the table']],
    ],
    [
      'an entry for another amount than its row',
      (r) => (blocks(r)[0].prizeCents = 900_001),
      [
        ['stakes[1].rows[0].prizeCents', 'has no entry in parameters.blocksPerPrize'],
        [at('blocksPerPrize[0].prizeCents'), 'is no prize of the table'],
        [at('blocksPerPrize[0].blocks[1]'), 'does not divide 900001 cents into whole cents'],
        [at('blocksPerPrize[0].blocks[2]'), 'does not divide 900001 cents into whole cents'],
        [at('blocksPerPrize[0].blocks[3]'), 'does not divide 900001 cents into whole cents'],
      ],
    ],
    [
      'a number of blocks twice',
      (r) => (blocks(r)[0].blocks = [1, 2, 1]),
      [[at('blocksPerPrize[0].blocks[2]'), 'stands there before']],
    ],
    ['no number of blocks', (r) => (blocks(r)[0].blocks = []), [[at('blocksPerPrize[0].blocks'), expect.any(String)]]],
    ['ten blocks', (r) => (blocks(r)[0].blocks = [10]), [[at('blocksPerPrize[0].blocks[0]'), expect.any(String)]]],
  ])('%s is a fault at its place', (_, change, faults) => {
    expect(faultsAfter(SUDOKU, change)).toEqual(faults);
  });

  test('SUD-4.3.3: a number of blocks whose gain box would not hold whole cents is refused', () => {
    expect(faultsAfter(SUDOKU, (r) => (blocks(r)[1].blocks = [2, 3, 7, 8]))).toEqual([
      [at('blocksPerPrize[1].blocks[1]'), 'does not divide 200000 cents into whole cents'],
      [at('blocksPerPrize[1].blocks[2]'), 'does not divide 200000 cents into whole cents'],
    ]);
  });
});

describe('pharaon/1', () => {
  test.each<[string, Change, [string, string][]]>([
    [
      'a combination that pays no row',
      (r) => r.stakes[1].parameters.combinations.push({ symbol: 'head', count: 2, prizeCents: 7 }),
      [[at('combinations[8].prizeCents'), 'is no prize of the table']],
    ],
    [
      'a row that two combinations pay',
      (r) => r.stakes[1].parameters.combinations.push({ symbol: 'head', count: 2, prizeCents: 300 }),
      [[at('combinations[8].prizeCents'), 'is paid by a combination before this']],
    ],
    [
      'a combination that stands twice',
      (r) => Object.assign(r.stakes[1].parameters.combinations[7], { symbol: 'bird', count: 3 }),
      [[at('combinations[7]'), '3 bird stand there before']],
    ],
    [
      'a row without a combination that the bonus game does not always show',
      (r) => r.stakes[1].parameters.combinations.shift(),
      [[at('bonusPerMille[0].perMille'), 'must be 1000, since no combination pays 750000 cents']],
    ],
    [
      'a row without a share of the bonus game',
      (r) => r.stakes[1].parameters.bonusPerMille.shift(),
      [['stakes[1].rows[0].prizeCents', 'has no entry in parameters.bonusPerMille']],
    ],
    [
      'a share for an amount that is no row',
      (r) => r.stakes[1].parameters.bonusPerMille.push({ prizeCents: 7, perMille: 0 }),
      [[at('bonusPerMille[8].prizeCents'), 'is no prize of the table']],
    ],
    [
      'a second share for a row',
      (r) => r.stakes[1].parameters.bonusPerMille.push({ prizeCents: 100, perMille: 0 }),
      [[at('bonusPerMille[8].prizeCents'), 'has an entry before this']],
    ],
    [
      'fewer bricks than a wall may need',
      (r) => (r.stakes[1].parameters.bricks = 14),
      [[at('bricks'), expect.any(String)]],
    ],
    [
      'snakes that pay',
      (r) => (r.stakes[1].parameters.combinations[0].symbol = 'snake'),
      [[at('combinations[0].symbol'), expect.any(String)]],
    ],
    [
      'stones the wrong way round',
      (r) => (r.parameters.stones = { least: 2, most: 1 }),
      [['parameters.stones', 'at least 2 and at most 1']],
    ],
  ])('%s is a fault at its place', (_, change, faults) => {
    expect(faultsAfter(PHARAON, change)).toEqual(faults);
  });

  test('a row that the bonus game always shows needs no combination', () => {
    const always: Change = ({ stakes: [{ parameters }] }) => {
      parameters.combinations.shift();
      parameters.bonusPerMille[0].perMille = 1000;
    };
    expect(faultsAfter(PHARAON, always)).toEqual([]);
  });
});

describe('match/1', () => {
  test('a table of four amounts is refused, and it says why', () => {
    const why =
      '4 amounts cannot fill the nine cells of a losing grid without three equal ones, which win; it takes at least 5';
    expect(faultsAfter(MATCH, (r) => r.stakes[0].rows.pop())).toEqual([['stakes[0].rows', why]]);
    expect(faultsAfter(MATCH, (r) => (r.stakes[0].rows[4].prizeCents = 100))).toEqual([['stakes[0].rows', why]]);
  });

  test('five rows of which one cannot be read may be five amounts', () => {
    expect(faultsAfter(MATCH, (r) => (r.stakes[0].rows[4].prizeCents = '5000'))).toEqual([]);
    expect(faultsAfter(MATCH, (r) => (r.stakes[0].rows = null))).toEqual([]);
  });
});

test('every fault is told at once, and what cannot be read hides no other', () => {
  const faults = faultsAfter(PHARAON, (r) => {
    r.parameters.stones.middle = 1;
    r.parameters.stones.least = 4;
    r.stakes[0].parameters.colour = 'red';
    r.stakes[0].parameters.combinations[1].symbol = 'owl';
    r.stakes[0].parameters.bonusPerMille.pop();
    r.stakes[1].rows[0].prizeCents = 'much';
    r.stakes[1].parameters.combinations.push(r.stakes[1].parameters.combinations[0]);
    r.stakes[2].parameters.bonusPerMille = null;
    r.stakes[2].parameters.combinations[0].prizeCents = 1;
  });
  expect(faults.map(([place]) => place)).toEqual([
    'parameters.stones.least',
    'parameters.stones.middle',
    'parameters.stones',
    'stakes[0].parameters.combinations[1].symbol',
    'stakes[0].parameters.colour',
    'stakes[0].rows[7].prizeCents',
    'stakes[1].parameters.combinations[8].prizeCents',
    'stakes[1].parameters.combinations[8]',
    'stakes[2].parameters.bonusPerMille',
    'stakes[2].parameters.combinations[0].prizeCents',
  ]);
});

test('whatever JSON comes, a mechanic answers with faults and never throws', () => {
  const part = fc.oneof(fc.jsonValue(), fc.constantFrom(...[SUDOKU, PHARAON].map((text) => JSON.parse(text).stakes)));
  fc.assert(
    fc.property(fc.constantFrom('sudoku/1', 'pharaon/1', 'match/1'), part, part, (mechanic, stakes, parameters) => {
      for (const { place } of mechanicFaults({ mechanic, stakes, parameters })) expect(place).not.toBe('');
    }),
  );
  expect(mechanicFaults(undefined)).toEqual([]);
});
