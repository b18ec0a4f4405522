import { randomBytes, randomUUID } from 'node:crypto';
import { prepareBlock } from '#fairness';
import { loadRegulations } from '#service';
import { figure, table } from './figures.ts';

/** Seconds to derive a whole block, on one core: deck, seeds, leaves and root. */
export async function benchBlocks(): Promise<void> {
  const rows: string[][] = [];
  for (const regulation of loadRegulations().regulations) {
    for (const { stakeCents } of regulation.stakes) {
      const startedAt = performance.now();
      prepareBlock(regulation, stakeCents, randomUUID(), randomBytes(32));
      rows.push([
        regulation.id,
        String(stakeCents),
        String(regulation.blockSize),
        figure((performance.now() - startedAt) / 1000),
      ]);
    }
  }
  console.log(table(['regulation', 'stake, cents', 'units', 'seconds (goal 3 at 1,280,000)'], rows));
}
