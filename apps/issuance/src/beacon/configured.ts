import { z } from 'zod';
import type { Clock } from '#event-sourcing';
import type { Beacon } from './beacon.ts';
import { drandBeacon } from './drand.ts';
import { localBeacon, noBeacon } from './local.ts';

const URLS = 'https://api.drand.sh,https://api2.drand.sh,https://api3.drand.sh';

/** `ENJEU_BEACON` says where new blocks' contributions come from, `ENJEU_DRAND_URLS` whom to ask for drand's rounds. */
export const beaconChoice = {
  ENJEU_BEACON: z.enum(['drand:quicknet', 'local', 'none']).default('local'),
  ENJEU_DRAND_URLS: z
    .string()
    .default(URLS)
    .transform((urls) => urls.split(',').map((url) => url.trim().replace(/\/+$/, '')))
    .refine((urls) => urls.every((url) => /^https?:\/\/\S+$/.test(url)), 'must be addresses, joined by commas'),
};

export interface BeaconChoice {
  readonly ENJEU_BEACON: 'drand:quicknet' | 'local' | 'none';
  readonly ENJEU_DRAND_URLS: readonly string[];
}

/** Promises by the beacon chosen today; what was promised by another one before is still drawn from that. */
export function configuredBeacon(
  choice: BeaconChoice,
  { clock, random }: { readonly clock: Clock; readonly random: (bytes: number) => Uint8Array },
): Beacon {
  const beacons = {
    'drand:quicknet': drandBeacon({ urls: choice.ENJEU_DRAND_URLS, clock }),
    local: localBeacon(random),
    none: noBeacon,
  };
  return {
    promise: (committedAt) => beacons[choice.ENJEU_BEACON].promise(committedAt),
    draw: (promised, stopping) => beacons[promised.source].draw(promised, stopping),
  };
}
