import { faultIf, partly, rule } from '#regulation';
import type { Mechanic } from '../mechanic.ts';
import { readableRows } from './each-row.ts';

/** Nine cells with at most two of each amount. */
const FEWEST_AMOUNTS = 5;

/** Below five amounts a losing grid would need three equal ones, and those win. */
export const match1Faults: Mechanic['faults'] = {
  regulation: () => [],
  stake: rule(partly({ rows: readableRows }), ({ rows }) => {
    const readable = rows.map(({ prizeCents }) => prizeCents).filter((prizeCents) => !Number.isNaN(prizeCents));
    const amounts = new Set(readable).size + rows.length - readable.length;
    const message = `${amounts} amounts cannot fill the nine cells of a losing grid without three equal ones, which win; it takes at least ${FEWEST_AMOUNTS}`;
    return faultIf(readable.length > 0 && amounts < FEWEST_AMOUNTS, 'rows', message);
  }),
};
