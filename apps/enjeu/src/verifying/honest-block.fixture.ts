import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  blockKeys,
  canonicalDigest,
  type Disclosure,
  type DisclosureToSign,
  entryDigest,
  holderOf,
  playDigest,
  prepareBlock,
  prizeOf,
  prizeTable,
  proofOf,
  publicKeyEntry,
  type Receipt,
  type ReceiptToSign,
  regulationDigest,
  seedOf,
  signCommitment,
  signDisclosure,
  signingKey,
  signOpening,
  signReceipt,
  stretchOf,
  toHex,
  unitIndex,
} from '#fairness';
import { scriptsOf } from '#mechanics';
import { cents } from '#money';
import type { GameRegulation } from '#regulation';

/** A block of sixty units of a real mechanic, sold out by an issuer who may be honest: it signs what it is told to. */
export const REGULATIONS = fileURLToPath(new URL('../../../../test/fixtures/games', import.meta.url));
const STAKE = cents(50);
const BLOCK_ID = '0197f3c0-3333-7abc-8def-000000000001';
const SECRET = new Uint8Array(32).fill(7);

const regulation = JSON.parse(readFileSync(`${REGULATIONS}/fruits@2020-01-15.json`, 'utf8')) as GameRegulation;
const table = prizeTable(regulation, STAKE);
const { render } = scriptsOf(regulation, STAKE);
const key = signingKey(new Uint8Array(32).fill(1));
const prepared = prepareBlock(regulation, STAKE, BLOCK_ID, SECRET);
const { seedKey } = blockKeys(SECRET, BLOCK_ID);

export const keySet = { keys: [publicKeyEntry(key, 'blocks', '2025-01-01T00:00:00.000Z')] };
export const SIZE = prepared.size;
export const playerId = '0197f3c0-2222-4abc-8def-000000000001';

const idOf = (n: number) => `0197f3c0-1111-7abc-8def-${n.toString(16).padStart(12, '0')}`;

export const commitment = commitmentAt('2026-01-01T00:00:00.000Z');
export const opening = signOpening(commitment, 'ab'.repeat(32), '2026-01-01T00:00:01.000Z', key);

/** The block's entry of the list, as it is or as somebody else is shown it. */
export function commitmentAt(committedAt: string) {
  return signCommitment(
    {
      blockId: BLOCK_ID,
      regulation: regulation.id,
      regulationDigest: regulationDigest(regulation),
      stakeCents: STAKE,
      size: SIZE,
      tableDigest: prepared.tableDigest,
      mechanic: regulation.mechanic,
      root: prepared.root,
      contribution: { source: 'local', round: 0 },
      committedAt,
    },
    null,
    key,
  );
}

/** The receipt of the play that bought sale `sequence`, or what a forger who has the key makes of it. */
export function receiptOf(sequence: number, forged: Partial<ReceiptToSign> = {}): Receipt {
  const unit = unitIndex(opening.start, sequence, SIZE);
  const prizeCents = prizeOf(prepared.deck, table, unit);
  const seed = toHex(seedOf(seedKey, unit));
  const script = render(prizeCents, seed) as unknown as ReceiptToSign['script'];
  const playId = idOf(sequence);
  return signReceipt(
    {
      playId,
      holder: holderOf(playId, playerId),
      game: regulation.game,
      stakeCents: STAKE,
      prizeCents,
      sequence,
      unitIndex: unit,
      seed,
      mechanic: regulation.mechanic,
      script,
      scriptDigest: toHex(canonicalDigest(script)),
      commitment,
      opening,
      proof: proofOf({ table, deck: stretchOf(prepared.deck, unit), seedKey, coarseLevel: prepared.coarseLevel }, unit),
      listHead: { entry: 0, digest: entryDigest(commitment) },
      placedAt: '2026-01-01T00:00:02.000Z',
      unitIssuedAt: '2026-01-01T00:00:02.000Z',
      signedAt: '2026-01-01T00:00:03.000Z',
      ...forged,
    },
    key,
  );
}

/** A sale that won and one that lost. */
export const sales = {
  won: saleWith((prizeCents) => prizeCents > 0),
  lost: saleWith((prizeCents) => prizeCents === 0),
};

function saleWith(isIt: (prizeCents: number) => boolean): number {
  const all = Array.from({ length: SIZE }, (_, sequence) => sequence);
  return all.findIndex((sequence) => isIt(prizeOf(prepared.deck, table, unitIndex(opening.start, sequence, SIZE))));
}

export function disclosedBlock(forged: Partial<DisclosureToSign> = {}) {
  const issued = Array.from({ length: SIZE }, (_, sequence) => playDigest(idOf(sequence))).join('');
  const disclosure: Disclosure = signDisclosure(
    {
      blockId: BLOCK_ID,
      secret: toHex(SECRET),
      issued,
      refusals: [],
      closed: null,
      disclosedAt: '2026-01-01T00:00:04.000Z',
      ...forged,
    },
    key,
  );
  return { commitment, opening, disclosure };
}
