import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockKeys, deckOf, fromHex, prizeOf, prizeTable } from '#fairness';
import { type Script, scriptsOf } from '#mechanics';
import type { GameRegulation } from '#regulation';

const DATA = join(import.meta.dirname, '../../libs/regulation/data');
const BLOCK_ID = '0197f3c0-1234-7abc-8def-0123456789ab';

export interface Unit {
  readonly prizeCents: number;
  readonly script: Script;
}

export function regulationOf(name: string): GameRegulation {
  return JSON.parse(readFileSync(join(DATA, name), 'utf8'));
}

/** The secret of the blocks that are looked at, hex: another one each time, or `LEAK_SECRET` to see a failure again. */
export const SECRET = process.env['LEAK_SECRET'] ?? randomBytes(32).toString('hex');

/** The first units of a whole block, shuffled as one that is sold, with seeds of their own. */
export function* unitsOf(regulation: GameRegulation, stakeCents: number, count: number): Generator<Unit> {
  const table = prizeTable(regulation, stakeCents);
  const deck = deckOf(table, blockKeys(fromHex(SECRET, 32), BLOCK_ID));
  const { render } = scriptsOf(regulation, stakeCents);
  for (let n = 0; n < count; n++) {
    const prizeCents = prizeOf(deck, table, n);
    yield { prizeCents, script: render(prizeCents, hash('sha256', `${SECRET} ${n}`).slice(0, 32)) };
  }
}
