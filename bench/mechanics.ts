import { randomBytes, randomUUID } from 'node:crypto';
import { blockKeys, deckOf, prizesOf, prizeTable, seedOf, toHex } from '#fairness';
import { renderedDigest, scriptsOf } from '#mechanics';
import type { GameRegulation } from '#regulation';
import { loadRegulations } from '#service';
import { figure, table } from './figures.ts';

const SAMPLE = 100_000;

/**
 * Whole blocks, rendered and refereed unit by unit on one core: of every game at its first stake, with `--all` at every
 * stake, which is what a mechanic's version goes through before its release. It ends with an error when the referee gives
 * another prize for a single unit.
 */
export async function benchMechanics(args: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  for (const regulation of loadRegulations().regulations) {
    const stakes = args.includes('--all') ? regulation.stakes : regulation.stakes.slice(0, 1);
    for (const { stakeCents } of stakes) rows.push(wholeBlock(regulation, stakeCents));
  }
  const headings = ['regulation', 'stake, cents', 'units', 'seconds', 'scripts/s (goal 50,000)', 'render, µs'];
  console.log(table([...headings, 'referee, µs', 'digest, µs'], rows));
}

function wholeBlock(regulation: GameRegulation, stakeCents: number): string[] {
  const prizeTableOf = prizeTable(regulation, stakeCents);
  const keys = blockKeys(randomBytes(32), randomUUID());
  const deck = deckOf(prizeTableOf, keys);
  const prizes = prizesOf(prizeTableOf);
  const { render, judge } = scriptsOf(regulation, stakeCents);
  const seeds = Array.from(deck, (_, n) => toHex(seedOf(keys.seedKey, n)));
  const startedAt = performance.now();
  for (let n = 0; n < deck.length; n++) {
    const prizeCents = prizes[deck[n] ?? 0]!;
    const verdict = judge(render(prizeCents, seeds[n]!));
    if ('invalid' in verdict || verdict.prizeCents !== prizeCents) {
      throw new Error(`unit ${n} of ${prizeCents} cents, seed ${seeds[n]}: ${JSON.stringify(verdict)}`);
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const sample = Math.min(SAMPLE, deck.length);
  const scripts = Array.from({ length: sample }, (_, n) => render(prizes[deck[n] ?? 0]!, seeds[n]!));
  const each = (work: (n: number) => unknown) => {
    const began = performance.now();
    for (let n = 0; n < sample; n++) work(n);
    return figure(((performance.now() - began) * 1000) / sample);
  };
  return [
    regulation.id,
    String(stakeCents),
    String(deck.length),
    figure(seconds),
    figure(deck.length / seconds),
    each((n) => render(prizes[deck[n] ?? 0]!, seeds[n]!)),
    each((n) => judge(scripts[n])),
    each((n) => renderedDigest(scripts[n]!)),
  ];
}
