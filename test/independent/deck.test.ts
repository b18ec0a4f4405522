import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  blockKeys,
  fromHex,
  prepareBlock,
  prizeOf,
  prizeTable,
  type RegulationTables,
  seedOf,
  sha256,
  toHex,
  u32,
} from '#fairness';
import { mechanicFaults } from '#mechanics';
import { cents } from '#money';
import { isGame, readRegulations } from '#regulation';

interface Order {
  readonly regulation: RegulationTables;
  readonly stakeCents: number;
  readonly blockId: string;
  readonly secret: string;
}

const at = (path: string) => new URL(path, import.meta.url);
const golden = JSON.parse(readFileSync(at('../../libs/fairness/src/vectors.golden.json'), 'utf8'));
const file = 'pharaon@2008-12-17.json';
const [pharaon] = readRegulations(
  [{ name: file, text: readFileSync(at(`../../libs/regulation/data/${file}`), 'utf8') }],
  mechanicFaults,
).filter(isGame);

/** Not a multiple of anything, so that the last subtree and the last words are cut short. */
const MADE_UP: RegulationTables = {
  id: 'made-up@2020-01-01',
  blockSize: 3_001,
  stakes: [
    {
      stakeCents: cents(50),
      rows: [
        { count: 1, prizeCents: cents(4_294_967_295) },
        { count: 40, prizeCents: cents(1_000) },
        { count: 900, prizeCents: cents(50) },
      ],
    },
  ],
};
/** Every unit wins, and there is one of them. */
const SINGLE: RegulationTables = {
  id: 'single@2020-01-01',
  blockSize: 1,
  stakes: [{ stakeCents: cents(50), rows: [{ count: 1, prizeCents: cents(50) }] }],
};

const orders: Order[] = [
  { regulation: pharaon!, stakeCents: 50, blockId: golden.blockId, secret: golden.secret },
  ...['00', '01', '7f', 'ff'].map((byte, i) => ({
    regulation: MADE_UP,
    stakeCents: 50,
    blockId: `0197f3c0-1234-7abc-8def-00000000000${i}`,
    secret: byte.repeat(32),
  })),
  { regulation: SINGLE, stakeCents: 50, blockId: golden.blockId, secret: golden.secret },
];

function ours({ regulation, stakeCents, blockId, secret }: Order): object {
  const table = prizeTable(regulation, stakeCents);
  const block = prepareBlock(regulation, stakeCents, blockId, fromHex(secret));
  const { seedKey } = blockKeys(fromHex(secret), blockId);
  const prizes = Array.from(block.deck, (_, n) => prizeOf(block.deck, table, n));
  const seeds = Array.from(block.deck, (_, n) => seedOf(seedKey, n));
  return {
    deckAsU32Sha256: toHex(sha256(Buffer.concat(prizes.map(u32)))),
    seedsSha256: toHex(sha256(Buffer.concat(seeds))),
    firstPrizes: prizes.slice(0, 64),
    lastSeed: toHex(seeds.at(-1)!),
    root: block.root,
  };
}

/** What deck.py says of each order, in the same order. */
function theirs(): object[] {
  const input = orders.map(({ regulation, stakeCents, blockId, secret }) => {
    const { size, rows } = prizeTable(regulation, stakeCents);
    return JSON.stringify({ blockId, secret, size, rows });
  });
  const run = spawnSync('python3', [join(import.meta.dirname, 'deck.py')], {
    input: input.join('\n'),
    encoding: 'utf8',
  });
  if (run.error) {
    throw new Error('this test compares with a program in Python: install python3 (Debian: apt-get install python3)', {
      cause: run.error,
    });
  }
  if (run.status !== 0) throw new Error(`deck.py failed: ${run.stderr}`);
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('REG-2.1 a program in another language, written from the formats alone, makes the same decks, seeds and roots', () => {
  const answers = theirs();
  expect(answers).toEqual(orders.map(ours));
  expect(answers[0]).toMatchObject({
    root: golden['pharaon-0.50'].root,
    deckAsU32Sha256: golden['pharaon-0.50'].deckAsU32Sha256,
  });
  expect(new Set(answers.map((answer) => (answer as { root: string }).root)).size).toBe(orders.length);
}, 60_000);
