import { millisecondsOf } from './times.ts';

/** drand's chain `quicknet` (scheme bls-unchained-g1-rfc9380), as its nodes describe it. */
export const QUICKNET = {
  source: 'drand:quicknet',
  chain: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
  /** A point of G2, compressed. */
  publicKey:
    '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451' +
    '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  firstRoundAtMs: 1_692_803_367_000,
  periodMs: 3_000,
} as const;

/** How long after a block's commitment its round must become public, at least. */
export const ROUND_AFTER_COMMITMENT_MS = 60_000;

/** When a round (from 1) becomes public, in Unix milliseconds. A RangeError for what is no round. */
export function roundPublicAt(round: number): number {
  if (!Number.isSafeInteger(round) || round < 1) throw new RangeError(`no round ${round}`);
  return QUICKNET.firstRoundAtMs + QUICKNET.periodMs * (round - 1);
}

/** The first round that is public at least 60 s after a block was committed at this time. */
export function roundToPromise(committedAt: string): number {
  const earliestMs = millisecondsOf(committedAt) + ROUND_AFTER_COMMITMENT_MS;
  return 1 + Math.max(0, Math.ceil((earliestMs - QUICKNET.firstRoundAtMs) / QUICKNET.periodMs));
}

/** Whether `value` (hex) is the beacon's signature of this round. Never throws. */
export type BeaconCheck = (round: number, value: string) => boolean;

/** Loads what checks rounds of `drand:quicknet`; apart, because only who draws or verifies needs a pairing. */
export async function loadBeaconCheck(): Promise<BeaconCheck> {
  return (await import('./beacon-signature.ts')).isRoundSignature;
}
