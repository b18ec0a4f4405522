import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotStrictJson, parseStrict } from '#fairness';
import { type Scripts, scriptsOf } from '#mechanics';
import { NO_CENTS } from '#money';
import type { GameRegulation } from '#regulation';
import { HOSTILE, type Random, randomFrom, tamper } from './tampering.ts';

const SCRIPTS = 100_000;
const SEED = Number(process.env['TAMPER_SEED'] ?? Date.now() % 2 ** 32);
const root = join(import.meta.dirname, '..', '..');
const FILES = [
  'libs/regulation/data/sudoku@2009-01-26.json',
  'libs/regulation/data/pharaon@2008-12-17.json',
  'libs/mechanics/src/golden/match-1.regulation.json',
].map((path) => join(root, path));
const REGULATIONS = FILES.map((file) => JSON.parse(readFileSync(file, 'utf8')) as GameRegulation);
const referee = join(import.meta.dirname, 'referee.py');

interface Job {
  readonly regulation: string;
  readonly stakeCents: number;
  readonly script: string;
}
type Verdict = { readonly prizeCents: number } | { readonly invalid: string };

interface Line {
  readonly regulation: GameRegulation;
  readonly stakeCents: number;
  readonly scripts: Scripts;
  readonly prizes: readonly (typeof NO_CENTS)[];
}
const LINES: readonly Line[] = REGULATIONS.flatMap((regulation) =>
  regulation.stakes.map(({ stakeCents, rows }) => ({
    regulation,
    stakeCents,
    scripts: scriptsOf(regulation, stakeCents),
    prizes: [NO_CENTS, NO_CENTS, ...rows.map(({ prizeCents }) => prizeCents)],
  })),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'enjeu-referee-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hex = (random: Random) => Array.from({ length: 32 }, () => random(16).toString(16)).join('');

/** Scripts of every game, stake and prize: as rendered, or tampered with. */
function jobsFrom(seed: number, count: number): Job[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, n) => {
    const { regulation, stakeCents, scripts, prizes } = LINES[n % LINES.length] as Line;
    const script = scripts.render(prizes[random(prizes.length)] ?? NO_CENTS, hex(random));
    const text = random(10) < 2 ? JSON.stringify(script) : tamper(script, random);
    return { regulation: regulation.id, stakeCents, script: text };
  });
}

const hostile = (): Job[] =>
  HOSTILE.flatMap(([, script]) => REGULATIONS.map(({ id }) => ({ regulation: id, stakeCents: 100, script })));

function judgeHere({ regulation, stakeCents, script }: Job): Verdict {
  const line = LINES.find((one) => one.regulation.id === regulation && one.stakeCents === stakeCents);
  if (!line) return { invalid: 'no such stake' };
  try {
    return line.scripts.judge(parseStrict(script));
  } catch (error) {
    if (error instanceof NotStrictJson) return { invalid: error.message };
    throw error;
  }
}

function judgeInPython(jobs: readonly Job[], program = referee): Verdict[] {
  const input = join(folder, 'jobs.jsonl');
  writeFileSync(input, `${jobs.map((job) => JSON.stringify(job)).join('\n')}\n`);
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'exec python3 "$0" --jobs "$@" < jobs.jsonl', program, ...FILES],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const shown = (verdict: Verdict | undefined) => (verdict && 'prizeCents' in verdict ? verdict.prizeCents : 'invalid');

/** The jobs on which the two disagree, with what each said. */
function disagreements(jobs: readonly Job[], program = referee) {
  const there = judgeInPython(jobs, program);
  expect(there).toHaveLength(jobs.length);
  return jobs.flatMap((job, n) => {
    const here = judgeHere(job);
    return shown(here) === shown(there[n]) ? [] : [{ job, here, there: there[n] }];
  });
}

test(`two referees who share nothing agree on ${SCRIPTS} scripts, rendered and tampered with (TAMPER_SEED=${SEED})`, () => {
  console.log(`TAMPER_SEED=${SEED}`);
  const jobs = jobsFrom(SEED, SCRIPTS);
  expect(disagreements(jobs).slice(0, 5)).toEqual([]);
  const classes = { invalid: 0, losing: 0, winning: 0 };
  for (const job of jobs) {
    const verdict = shown(judgeHere(job));
    classes[verdict === 'invalid' ? 'invalid' : verdict === 0 ? 'losing' : 'winning'] += 1;
  }
  for (const count of Object.values(classes)) expect(count).toBeGreaterThan(SCRIPTS / 20);
}, 300_000);

test('they agree on every hostile script, whichever game it is given to', () => {
  expect(disagreements(hostile())).toEqual([]);
}, 120_000);

test.each<[string, string, number | 'invalid']>([
  ['two clovers', 'sudoku@2009-01-26', 'invalid'],
  ['six clovers', 'sudoku@2009-01-26', 200],
  ['a losing wall', 'pharaon@2008-12-17', 0],
  ['three birds', 'pharaon@2008-12-17', 750_000],
  ['two birds', 'pharaon@2008-12-17', 300],
  ['the bonus game', 'pharaon@2008-12-17', 100],
  ['a combination and the bonus game', 'pharaon@2008-12-17', 'invalid'],
])('REG-4.3: %s, in %s at 1 EUR, shows %p to both', (name, regulation, expected) => {
  const script = HOSTILE.find(([one]) => one === name)?.[1] ?? '';
  const job = { regulation, stakeCents: 100, script };
  expect([shown(judgeHere(job)), shown(judgeInPython([job])[0])]).toEqual([expected, expected]);
});

const PLANTS: readonly [string, string, string][] = [
  ['a sum of 10 passes', 'sum(pips) > 9', 'sum(pips) > 10'],
  ['two clovers pass', 'if not pips:', 'if pips is None:'],
  ['a clover grants no roll', 'left += 1', 'left += 0'],
  ['a seventh clover passes', 'clovers > 6', 'clovers > 7'],
  ['a roll may be missing', 'if left > 0:', 'if left > 1:'],
  ['a roll too many passes', 'if left == 0:', 'if left == -1:'],
  ['a block needs no mask', 'if not masked[n]:', 'if masked[n] is None:'],
  ['blocks do not multiply', 'return gain * winning', 'return gain * min(winning, 1)'],
  ['four of a symbol pass', 'if times > 3:', 'if times > 4:'],
  ['four stones pass', 'for stone in STONES) > 3', 'for stone in STONES) > 4'],
  ['two combinations pass', 'if len(found) > 1:', 'if len(found) > 2:'],
  ['three snakes open nothing', 'if times == 3:', 'if times == 4:'],
  ['any amount is won', 'if prize != 0 and', 'if prize < 0 and'],
  ['four equal amounts pass', 'amounts.count(often[0]) > 3', 'amounts.count(often[0]) > 4'],
  ['a doubled member passes', 'if name in members:', 'if name is None:'],
  ['minus zero passes', 'if text == "-0":', 'if text == "-00":'],
];
const sample = [...hostile().filter(({ script }) => script.length < 5_000), ...jobsFrom(1, 3_000)];
test.each(PLANTS)('a referee for whom %s is found out', (_, rule, planted) => {
  const text = readFileSync(referee, 'utf8');
  expect(text.split(rule)).toHaveLength(2);
  const program = join(folder, 'planted.py');
  writeFileSync(program, text.replace(rule, planted));
  expect(disagreements(sample, program)).not.toEqual([]);
});
