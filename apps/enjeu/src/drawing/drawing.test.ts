import { drawPlay } from './drawing.ts';
import { inkFor, plainInk } from './ink.ts';

const ORDERED = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Everything uncovered but these digits. */
const maskOf = (...digits: number[]) => ORDERED.map((digit) => (digits.includes(digit) ? 0 : 1));

const sudoku = {
  mechanic: 'sudoku/1',
  gainCents: 200,
  blocks: ORDERED.map(() => ORDERED),
  uncovered: [maskOf(3, 4), maskOf(1, 9), ...Array.from({ length: 7 }, () => maskOf(5, 7, 9))],
  rolls: [
    [1, 2],
    ['clover', 4],
    [2, 2],
    [6, 2],
  ],
};
const play = { game: 'sudoku', stakeCents: 100, mechanic: 'sudoku/1', reason: null };
const draw = (changes: object, ink = plainInk) => drawPlay({ ...play, ...changes }, ink);

test('SUD-4.3.1: a won unit of Sudoku is drawn with its grid, gain box, rolls, the extra one announced, and what they uncover', () => {
  const lines = draw({ status: 'won', prizeCents: 200, script: sudoku });
  expect(lines.slice(0, 4)).toEqual([
    '    1           2           3',
    '   1  2  .  |  .  2  3  |  1  2  3',
    '   .  5  6  |  4  5  6  |  4  .  6',
    '   7  8  9  |  7  8  .  |  .  8  .',
  ]);
  expect(lines.slice(15, 23)).toEqual([
    '  gain box  2.00 EUR a block',
    '',
    '  roll 1  [1] [2]          3  uncovers a cell in block 1',
    '  roll 2  [clover] [4]     4  uncovers a cell in block 1, and one more roll',
    '  roll 3  [2] [2]          4  came before, uncovers nothing',
    '  an extra roll',
    '  roll 4  [6] [2]          8  uncovers nothing',
    '',
  ]);
  expect(lines.slice(23, 27)).toEqual([
    '  * 1           2           3',
    '   1  2 (3) |  .  2  3  |  1  2  3',
    '  (4) 5  6  |  4  5  6  |  4  .  6',
    '   7  8  9  |  7  8  .  |  .  8  .',
  ]);
  expect(lines.slice(38)).toEqual([
    '  1 block is uncovered whole',
    '  (5) uncovered by a roll   . masked   * block uncovered whole',
    '',
    'sudoku at 1.00 EUR: won 2.00 EUR',
  ]);
});

test('a lost unit of Sudoku has no block marked and no amount at its end', () => {
  const rolls = [
    [1, 1],
    [1, 2],
    [5, 3],
  ];
  const lines = draw({ status: 'lost', prizeCents: 0, script: { ...sudoku, rolls } });
  expect(lines.filter((line) => /^ +\*/.test(line))).toEqual([]);
  expect(lines.slice(-4)).toEqual([
    '  no block is uncovered whole',
    '  (5) uncovered by a roll   . masked   * block uncovered whole',
    '',
    'sudoku at 1.00 EUR: lost',
  ]);
});

const wall = (...found: string[]) => [...found, ...Array.from({ length: 27 - found.length }, () => null)];
const pharaon = (bricks: (string | null)[], bonusCents: number | null = null) => ({
  mechanic: 'pharaon/1',
  bricks,
  bonusCents,
});

test('a won unit of Pharaon is drawn with its wall, the panel, and the combination marked', () => {
  const script = pharaon(wall('bird', 'cross', 'pink-stone', 'cross', 'snake'));
  expect(draw({ game: 'pharaon', stakeCents: 50, status: 'won', prizeCents: 50, script })).toEqual([
    '  bird   cross  pink   cross  snake  -      -      -      -',
    '  -      -      -      -      -      -      -      -      -',
    '  -      -      -      -      -      -      -      -      -',
    '',
    '  bird     #..',
    '  scarab   ...',
    '  cross    ##.  <- 2 of them',
    '  head     ...',
    '  eye      ...',
    '  snake    #..',
    '  - an empty brick   pink, green, blue: stones that change the paddle',
    '',
    'pharaon at 0.50 EUR: won 0.50 EUR',
  ]);
});

test('the bonus game is drawn with its amount, and two of a symbol that pays with three are marked as nothing', () => {
  const script = pharaon(wall('snake', 'snake', 'snake', 'eye', 'eye'), 500);
  const lines = draw({ game: 'pharaon', stakeCents: 50, status: 'won', prizeCents: 500, script });
  expect(lines).toContain('  snake    ###  <- 3 of them');
  expect(lines).toContain('  eye      ##.');
  expect(lines).toContain('  bonus game  5.00 EUR');
});

test('a lost unit of Pharaon has nothing marked', () => {
  const script = pharaon(wall('bird', 'head', 'head'));
  const lines = draw({ game: 'pharaon', stakeCents: 50, status: 'lost', prizeCents: 0, script });
  expect(lines.join('\n')).not.toMatch(/<-|bonus/);
  expect(lines.at(-1)).toBe('pharaon at 0.50 EUR: lost');
});

test('a unit of match/1 is drawn as a grid with its three equal amounts marked', () => {
  const script = { mechanic: 'match/1', amounts: [100, 500, 100, 2000, 100, 500, 2000, 10000, 300] };
  expect(draw({ game: 'fruits', status: 'won', prizeCents: 100, script })).toEqual([
    '  [  1.00]     5.00   [  1.00]',
    '    20.00   [  1.00]     5.00',
    '    20.00    100.00      3.00',
    '',
    '  amounts in EUR; [three equal ones] win that amount',
    '',
    'fruits at 1.00 EUR: won 1.00 EUR',
  ]);
});

test('what has nothing to show says so, and its outcome all the same', () => {
  expect(draw({ status: 'won', prizeCents: 200, script: null })).toEqual([
    '  Nothing can be shown of this unit; its outcome stands.',
    '',
    'sudoku at 1.00 EUR: won 2.00 EUR',
  ]);
  expect(draw({ status: 'pending', script: null })).toEqual([
    'sudoku at 1.00 EUR: the outcome is on its way, and will stand here',
  ]);
  expect(draw({ status: 'refunded', reason: 'sale-closed', script: null })).toEqual([
    'sudoku at 1.00 EUR: the stake was refunded (sale-closed)',
  ]);
});

test.each([
  { mechanic: 'chess/9' },
  [],
  'sudoku/1',
  { ...sudoku, blocks: [] },
  { ...sudoku, rolls: [['clover', 'clover', 1]] },
  { ...pharaon(wall()), bricks: [1] },
  { mechanic: 'match/1', amounts: [1] },
])('a script that this program cannot draw is left out, and the outcome stands: %j', (script) => {
  expect(draw({ status: 'lost', prizeCents: 0, mechanic: 'chess/9', script })).toEqual([
    '  This program cannot draw "chess/9"; the outcome stands.',
    '',
    'sudoku at 1.00 EUR: lost',
  ]);
});

test('there is colour in a terminal that has it, unless it is not wanted, and never a meaning in it alone', () => {
  const coloured = (stream: { isTTY?: boolean }, environment: Record<string, string>) =>
    inkFor(stream, environment)('won', 'x') !== 'x';
  expect(coloured({ isTTY: true }, { TERM: 'xterm' })).toBe(true);
  expect(coloured({ isTTY: false }, { TERM: 'xterm' })).toBe(false);
  expect(coloured({}, {})).toBe(false);
  expect(coloured({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
  expect(coloured({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(coloured({}, { FORCE_COLOR: '1' })).toBe(true);
  expect(coloured({ isTTY: true }, { FORCE_COLOR: '0' })).toBe(false);
  const ink = inkFor({}, { FORCE_COLOR: '1' });
  const plain = draw({ status: 'won', prizeCents: 200, script: sudoku });
  const colour = draw({ status: 'won', prizeCents: 200, script: sudoku }, ink);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what colour is made of.
  expect(colour.map((line) => line.replaceAll(/\u001b\[\d+m/g, '').trimEnd())).toEqual(plain);
  expect(colour).not.toEqual(plain);
});

test('a drawing fits into 80 columns', () => {
  const scripts = [sudoku, pharaon(wall('scarab', 'scarab', 'green-stone', 'scarab')), pharaon(wall(), 10_000_00)];
  for (const script of scripts) {
    for (const line of draw({ status: 'won', prizeCents: 200, script })) expect(line.length).toBeLessThanOrEqual(80);
  }
});
