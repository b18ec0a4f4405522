import { toHex } from '#fairness';
import type { Beacon } from './beacon.ts';

const VALUE_BYTES = 32;

/** Our own random bytes: for the embedded default. They prove nothing about the operator, and verifiers say so. */
export function localBeacon(random: (bytes: number) => Uint8Array): Beacon {
  return {
    promise: () => ({ source: 'local', round: 0 }),
    async draw(promised) {
      if (promised.source !== 'local') throw new Error(`${promised.source} is not the beacon of this process`);
      return toHex(random(VALUE_BYTES));
    },
  };
}

/** Blocks without a contribution: they start at their first unit. */
export const noBeacon: Beacon = {
  promise: () => null,
  draw: async (promised) => {
    throw new Error(`${promised.source} is not the beacon of this process`);
  },
};
