import { basename } from 'node:path';
import { formatEuros, times } from '#money';
import { type GameRegulation, hitRate, isGame, type Regulation, returnRate, type Stake, totals } from '#regulation';
import type { Command } from '../main.ts';
import { readRegulationFile } from './regulation-file.ts';

/** Prints what each table of a sound regulation gives; a Failure has a line for every fault, each with its place. */
export const regulationCheck: Command = async ([file = '']) => {
  const { regulation } = readRegulationFile(file);
  for (const line of reportOf(regulation)) console.log(line);
  const name = `${regulation.id}.json`;
  if (basename(file) !== name) console.log(`In a folder of regulations it must be called ${name}.`);
};

function reportOf(regulation: Regulation): string[] {
  const title = `${regulation.id} (${JSON.stringify(regulation.names.en)})`;
  if (!isGame(regulation)) return [`${title} is sound: rules common to all games`];
  const { blockSize, mechanic, opensOn, stakes, errata } = regulation;
  return [
    `${title} is sound: ${mechanic}, blocks of ${blockSize} units, on sale from ${opensOn}`,
    ...stakes.flatMap((stake) => linesOf(regulation, stake)),
    ...errata.map(
      ({ article, printed, read }) =>
        `  article ${article}: ${JSON.stringify(printed)} is read ${JSON.stringify(read)}`,
    ),
  ];
}

function linesOf(regulation: GameRegulation, stake: Stake): string[] {
  const { count, totalCents } = totals(stake);
  const price = times(stake.stakeCents, regulation.blockSize);
  const hits = hitRate(regulation, stake);
  return [
    `  stake ${formatEuros(stake.stakeCents)} EUR: ${stake.rows.length} rows, ${count} prizes, ${formatEuros(totalCents)} EUR of ${formatEuros(price)} EUR`,
    `    return ${percent(returnRate(regulation, stake))}, hit rate ${percent(hits)}, one in ${(1 / hits).toFixed(2)}`,
  ];
}

function percent(rate: number): string {
  return `${(100 * rate).toFixed(4)} %`;
}
