import { readdirSync, readFileSync } from 'node:fs';
import { mechanicFaults } from '#mechanics';
import {
  type GameRegulation,
  hitRate,
  isGame,
  parseRegulation,
  RegulationError,
  readRegulations,
  returnRate,
  stakeOf,
  totals,
  validateRegulation,
} from '#regulation';

const folder = new URL('../data/', import.meta.url);
const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
const regulations = readRegulations(files, mechanicFaults);
const game = (id: string) => regulations.filter(isGame).find((regulation) => regulation.id === id) as GameRegulation;
/** Every fault, as `[place, message]`. */
function check(value: unknown): (readonly [string, string])[] {
  const result = validateRegulation(value, mechanicFaults);
  return 'faults' in result ? result.faults.map(({ place, message }) => [place, message] as const) : [];
}
const placesIn = (value: unknown) => check(value).map(([place]) => place);
const sudoku = game('sudoku@2009-01-26');
const pharaon = game('pharaon@2008-12-17');

test('REG-5.1 both games and the general regulation are on record', () => {
  expect(regulations.map(({ id }) => id)).toEqual(['general@2001-04-05', 'pharaon@2008-12-17', 'sudoku@2009-01-26']);
});

test('REG-1.1 each game has the day from which it is on sale', () => {
  expect([sudoku.opensOn, pharaon.opensOn]).toEqual(['2009-02-05', '2009-01-06']);
});

test('REG-2.1 a block has 1,280,000 units of Sudoku, 350,000 of Pharaon', () => {
  expect([sudoku.blockSize, pharaon.blockSize]).toEqual([1_280_000, 350_000]);
});

test('REG-2.2 a unit costs 0.50, 1 or 2 EUR and nothing else', () => {
  for (const regulation of [sudoku, pharaon]) {
    expect(regulation.stakes.map((stake) => stake.stakeCents)).toEqual([50, 100, 200]);
    expect(stakeOf(regulation, 75)).toBeUndefined();
  }
});

test.each([
  [sudoku, 331_043, [450_000_00, 900_000_00, 1_800_000_00], 0.703125],
  [pharaon, 101_338, [122_250_00, 244_500_00, 489_000_00], 0.6985714],
])('REG-3.1 the rows give the totals and the return of each block (%#)', (regulation, count, amounts, rate) => {
  expect(regulation.stakes.map(totals)).toEqual(amounts.map((totalCents) => ({ count, totalCents })));
  for (const stake of regulation.stakes) expect(returnRate(regulation, stake)).toBeCloseTo(rate, 7);
});

test('REG-3.1 one of so many units wins as the rows say', () => {
  expect(sudoku.stakes.map((stake) => hitRate(sudoku, stake))).toEqual(Array(3).fill(331_043 / 1_280_000));
});

test('REG-3.1 both printed totals that the rows contradict are explained by errata, and no other is wrong', () => {
  expect(check(sudoku)).toEqual([]);
  expect(check(pharaon)).toEqual([]);
  expect(stakeOf(sudoku, 200)?.printed.totalCents).toBe(1_800_000_000_00);
  expect(stakeOf(pharaon, 50)?.printed.totalCents).toBe(122_550_00);
});

test('REG-3.1 without its erratum a wrong printed total is an error', () => {
  expect(check({ ...sudoku, errata: [] })).toEqual([
    [
      'stakes[2].printed.totalCents',
      '1800000000.00 EUR are printed, the rows give 1800000.00 EUR, and no erratum of article 3.3 says so',
    ],
  ]);
  const button = pharaon.errata.filter((erratum) => erratum.article === '4.1');
  expect(placesIn({ ...pharaon, errata: button })).toEqual(['stakes[0].printed.totalCents']);
});

test('REG-3.1 an erratum of a table that explains no difference is an error too', () => {
  const [first, ...rest] = pharaon.stakes;
  const repaired = { ...first!, printed: totals(first!) };
  expect(check({ ...pharaon, stakes: [repaired, ...rest] })).toEqual([
    ['errata[0]', 'from "122 550 €" to "122 250 €" explains no number printed in article 3.1'],
  ]);
});

test.each([
  ['another article', { article: '3.2' }],
  ['another printed amount', { printed: '122 500 €' }],
  ['another reading', { read: '122 251 €' }],
  ['a count instead of an amount', { printed: '122 550', read: '122 250' }],
])('REG-3.1 an erratum with %s explains nothing', (_, change) => {
  const errata = pharaon.errata.map((erratum) => (erratum.article === '3.1' ? { ...erratum, ...change } : erratum));
  expect(placesIn({ ...pharaon, errata })).toEqual(['stakes[0].printed.totalCents', 'errata[0]']);
});

test('REG-3.1 a printed number of prizes that differs is an error, and its erratum explains it', () => {
  const [first, ...rest] = sudoku.stakes;
  const misprinted = { ...sudoku, stakes: [{ ...first!, printed: { ...first!.printed, count: 331_044 } }, ...rest] };
  expect(check(misprinted)).toEqual([
    [
      'stakes[0].printed.count',
      '331044 prizes are printed, the rows give 331043 prizes, and no erratum of article 3.1 says so',
    ],
  ]);
  const why = { fr: 'Faute.', en: 'Misprint.' };
  const erratum = { article: '3.1', printed: '331 044', read: '331 043', why };
  expect(check({ ...misprinted, errata: [...sudoku.errata, erratum] })).toEqual([]);
});

test('the button of Pharaon that article 4.1 misnames is on record', () => {
  expect(pharaon.errata.filter(({ article }) => article === '4.1')).toMatchObject([
    { printed: 'Joueur', read: 'Jouer' },
  ]);
});

test('the wall of Pharaon has 27, 31 or 33 bricks', () => {
  expect(pharaon.stakes.map((stake) => stake.parameters['bricks'])).toEqual([27, 31, 33]);
});

test('REG-6.1 every regulation names its legal basis and the Journal officiel', () => {
  for (const { references } of regulations) {
    const all = references.join('\n');
    for (const named of ['78-1067', '9 novembre 1978', '31 mai 1933', 'article 136', 'Journal officiel']) {
      expect(all).toContain(named);
    }
  }
});

test('REG-X.1 the rules say that the result is fixed at issue and that nothing shown afterwards changes it', () => {
  for (const { rules } of regulations) {
    expect(rules.fr.join('\n')).toMatch(/résultat .*est fixé/);
    expect(rules.en.join('\n')).toMatch(/result is fixed when/);
  }
  expect(sudoku.rules.en.join('\n')).toMatch(/not fair dice/);
  expect(sudoku.rules.fr.join('\n')).toMatch(/pas des dés équilibrés/);
  expect(pharaon.rules.en.join('\n')).toMatch(/Neither skill with the paddle nor the choice between Play and Auto/);
  expect(pharaon.rules.fr.join('\n')).toMatch(/Ni l'adresse à la raquette ni le choix entre Jouer et Auto/);
});

test('a file under another name, a second copy and a wrong total are all reported at once', () => {
  const [sudokuFile] = files.filter(({ name }) => name.startsWith('sudoku'));
  const without = JSON.stringify({ ...JSON.parse(sudokuFile!.text), errata: [] });
  const read = () =>
    readRegulations(
      [sudokuFile!, { name: 'copy.json', text: sudokuFile!.text }, { name: 'other.json', text: without }],
      mechanicFaults,
    );
  expect(read).toThrow(RegulationError);
  expect(read).toThrow(
    /^copy\.json: must be called sudoku@2009-01-26\.json\ncopy\.json: sudoku@2009-01-26 stands in another file too\nother\.json: stakes\[2\]\.printed\.totalCents: .*no erratum of article 3\.3 says so$/,
  );
});

test('a regulation that is read holds exactly what its file holds', () => {
  for (const { text } of files) expect(parseRegulation(text, mechanicFaults)).toEqual({ value: JSON.parse(text) });
});
