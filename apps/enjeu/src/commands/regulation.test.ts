import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const MAIN = at('../main.ts');
const TYPESCRIPT = new URL('../../../../test/process/typescript.mjs', import.meta.url).href;
const dataFile = (id: string) => at(`../../../../libs/regulation/data/${id}.json`);
const SUDOKU = readFileSync(dataFile('sudoku@2009-01-26'), 'utf8');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npx enjeu regulation …`, as a process of its own that needs no platform. */
function regulation(...words: string[]): Promise<Ended> {
  const args = ['--conditions=enjeu-source', '--import', TYPESCRIPT, MAIN, 'regulation', ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'enjeu-regulation-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function written(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('REG-3.1 a sound regulation is printed with what its rows give at each stake, and how the text is read', async () => {
  expect(await regulation('check', dataFile('sudoku@2009-01-26'))).toEqual({
    code: 0,
    stderr: '',
    stdout: `sudoku@2009-01-26 ("Sudoku") is sound: sudoku/1, blocks of 1280000 units, on sale from 2009-02-05
  stake 0.50 EUR: 20 rows, 331043 prizes, 450000.00 EUR of 640000.00 EUR
    return 70.3125 %, hit rate 25.8627 %, one in 3.87
  stake 1.00 EUR: 20 rows, 331043 prizes, 900000.00 EUR of 1280000.00 EUR
    return 70.3125 %, hit rate 25.8627 %, one in 3.87
  stake 2.00 EUR: 20 rows, 331043 prizes, 1800000.00 EUR of 2560000.00 EUR
    return 70.3125 %, hit rate 25.8627 %, one in 3.87
  article 3.3: "1 800 000 000 €" is read "1 800 000 €"
`,
  });
});

test('the general regulation is sound too, and a file with another name is told which it must have', async () => {
  const draft = join(folder, 'draft.json');
  copyFileSync(dataFile('general@2001-04-05'), draft);
  const { code, stdout, stderr } = await regulation('check', draft);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^general@2001-04-05 .* is sound: rules common to all games\n.*general@2001-04-05\.json\.\n$/);
});

test('everything that is wrong with a regulation is said at once, a line for each with its place', async () => {
  const broken = JSON.parse(SUDOKU);
  broken.stakes[0].printed.totalCents = 1;
  broken.stakes[0].rows[0].prizeCents = -450_000;
  broken.stakes[1].printed.count = 331_044;
  broken.stakes[1].parameters.blocksPerPrize[1].blocks = [3];
  broken.stakes[2].stakeCents = 50;
  broken.colour = 'red\nor green';
  broken.errata.push({ ...broken.errata[0], article: '3.2' });
  const path = written('broken.json', JSON.stringify(broken));
  expect(await regulation('check', path)).toEqual({
    code: 1,
    stdout: '',
    stderr: [
      'stakes[0].rows[0].prizeCents: must be above 0',
      'colour: is not a member of this format',
      'stakes[2].stakeCents: is the stake of another table too',
      'stakes[1].printed.count: 331044 prizes are printed, the rows give 331043 prizes, and no erratum of article 3.2 says so',
      'errata[1]: from "1 800 000 000 €" to "1 800 000 €" explains no number printed in article 3.2',
      'stakes[1].parameters.blocksPerPrize[1].blocks[0]: does not divide 200000 cents into whole cents',
    ]
      .map((line) => `enjeu: ${path}: ${line}\n`)
      .join(''),
  });
});

test('a fraction of a cent is found where it stands in the text and in the table', async () => {
  const path = written('fraction.json', SUDOKU.replace('"prizeCents": 450000', '"prizeCents": 450000.5'));
  const { code, stderr } = await regulation('check', path);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^enjeu: .*: not a plain integer: 450000\.5 at character \d+\nenjeu: .*: stakes\[0\]\.rows\[0\]\.prizeCents: must be a whole number\n/,
  );
});

test.each<[string, () => string, RegExp]>([
  ['that is not there', () => join(folder, 'nowhere.json'), /nowhere\.json: is not there$/],
  ['below a file', () => join(written('file', ''), 'below'), /cannot be read \(ENOTDIR\)$/],
  ['that is a folder', () => folder, /is a folder; name the file of a regulation$/],
  ['that is a device', () => '/dev/zero', /is no regular file$/],
  [
    'of a gigabyte',
    () => {
      const path = written('huge.json', '');
      truncateSync(path, 2 ** 30);
      return path;
    },
    /has 1073741824 bytes; a regulation has 1048576 at most$/,
  ],
  ['of bytes that are no text', () => written('binary.json', Uint8Array.of(0xff, 0xfe, 0)), /is not UTF-8 text$/],
  ['of zeros', () => written('zeros.json', new Uint8Array(999)), /not a value at character 1$/],
  ['that is empty', () => written('empty.json', ''), /the text ends too early at character 1$/],
])('a file %s is one clear line and exit code 1', async (_, path, line) => {
  const { code, stdout, stderr } = await regulation('check', path());
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^enjeu: [^\n]+\n$/);
  expect(stderr.trimEnd()).toMatch(line);
});

test.each<[string[], RegExp]>([
  [[], /takes 2 words, not 0/],
  [['check'], /takes 2 words, not 1/],
  [['check', 'a', 'b'], /takes 2 words, not 3/],
  [['bless', 'a'], /is followed by check.*, not "bless"/],
  [['constructor', 'a'], /is followed by check.*, not "constructor"/],
  [['check', 'a', '--mode', 'play'], /has no option --mode/],
])('`enjeu regulation` with the words %p is a usage error', async (words, line) => {
  const { code, stdout, stderr } = await regulation(...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^enjeu: [^\n]+\n$/);
  expect(stderr).toMatch(line);
});
