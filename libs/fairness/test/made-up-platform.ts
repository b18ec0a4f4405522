import {
  blockKeys,
  type Commitment,
  type CommittedBlock,
  canonicalDigest,
  entryDigest,
  type GameRules,
  holderOf,
  type KeySet,
  type Opening,
  type PreparedBlock,
  type PrizeTable,
  type PromisedContribution,
  prepareBlock,
  prizeOf,
  prizeTable,
  proofOf,
  publicKeyEntry,
  type Receipt,
  type ReceiptToSign,
  type RulesOf,
  regulationDigest,
  seedOf,
  signCommitment,
  signingKey,
  signOpening,
  signReceipt,
  stretchOf,
  toHex,
  unitIndex,
} from '#fairness';
import { cents } from '#money';

/** A platform small enough to build in a test: one game of 2,500 units a block, its key, blocks and receipts. */
export const key = signingKey(new Uint8Array(32).fill(1));
export const keys: KeySet = { keys: [publicKeyEntry(key, 'blocks', '2020-01-01T00:00:00.000Z')] };

export const regulation = {
  id: 'made-up@2020-01-01',
  blockSize: 2_500,
  stakes: [
    {
      stakeCents: cents(50),
      rows: [
        { count: 1, prizeCents: cents(100_000) },
        { count: 20, prizeCents: cents(500) },
        { count: 700, prizeCents: cents(100) },
      ],
    },
  ],
};
export const table: PrizeTable = prizeTable(regulation, 50);

export const rules: GameRules = {
  game: 'made-up',
  regulationDigest: regulationDigest(regulation),
  table,
  mechanic: 'made-up/1',
  render: (prizeCents, seed) => ({ mechanic: 'made-up/1', gainCents: prizeCents, stars: [seed.slice(0, 4)] }),
  judge: (script) => {
    const { mechanic, gainCents, stars, ...others } = script as Record<string, unknown>;
    const isSound = mechanic === 'made-up/1' && Array.isArray(stars) && Object.keys(others).length === 0;
    return isSound ? { prizeCents: Number(gainCents) } : { invalid: 'not a script of made-up/1' };
  },
};
export const rulesOf: RulesOf = (id, stakeCents) => (id === regulation.id && stakeCents === 50 ? rules : null);

export const COMMITTED_AT = '2023-08-23T15:58:00.000Z';
export const OPENED_AT = '2023-08-23T15:59:30.000Z';
export const ISSUED_AT = '2023-08-23T16:00:00.000Z';
export const SIGNED_AT = '2023-08-23T16:00:10.000Z';

export interface SealedBlock {
  readonly secret: Uint8Array;
  readonly prepared: PreparedBlock;
  readonly commitment: Commitment;
  readonly opening: Opening | null;
}

export const LOCAL: PromisedContribution = { source: 'local', round: 0 };

const idOf = (kind: string, n: number) => `0197f3c0-${kind}-7abc-8def-${n.toString(16).padStart(12, '0')}`;
export const playIdOf = (n: number) => idOf('1111', n);
export const playerIdOf = (n: number) => idOf('2222', n);

const preparedBlocks = new Map<number, PreparedBlock>();

/** Block number n of the platform: what was prepared, committed after `previous`, and opened. */
export function sealedBlock(n: number, previous: Commitment | null, change: Partial<CommittedBlock> = {}): SealedBlock {
  const blockId = idOf('3333', n);
  const secret = new Uint8Array(32).fill(n + 1);
  const prepared = preparedBlocks.get(n) ?? prepareBlock(regulation, 50, blockId, secret);
  preparedBlocks.set(n, prepared);
  const commitment = signCommitment(
    {
      blockId,
      regulation: regulation.id,
      regulationDigest: rules.regulationDigest,
      stakeCents: cents(50),
      size: prepared.size,
      tableDigest: prepared.tableDigest,
      mechanic: rules.mechanic,
      root: prepared.root,
      contribution: LOCAL,
      committedAt: COMMITTED_AT,
      ...change,
    },
    previous,
    key,
  );
  return { secret, prepared, commitment, opening: openingOf(commitment, n) };
}

/** As it follows from a local value. */
export function openingOf(commitment: Commitment, n: number): Opening | null {
  if (commitment.contribution?.source !== 'local') return null;
  return signOpening(commitment, (n + 0xa0).toString(16).repeat(32), OPENED_AT, key);
}

/** What an honest issuer says of play n, to which it sold this sale of a block. */
export function told(block: SealedBlock, sequence: number, n: number, listHead = block.commitment): ReceiptToSign {
  const { prepared, secret, commitment, opening } = block;
  const { seedKey } = blockKeys(secret, commitment.blockId);
  const unit = unitIndex(opening?.start ?? 0, sequence, prepared.size);
  const prizeCents = prizeOf(prepared.deck, table, unit);
  const seed = toHex(seedOf(seedKey, unit));
  const script = rules.render(prizeCents, seed) as ReceiptToSign['script'];
  return {
    playId: playIdOf(n),
    holder: holderOf(playIdOf(n), playerIdOf(n)),
    game: rules.game,
    stakeCents: cents(50),
    prizeCents,
    sequence,
    unitIndex: unit,
    seed,
    mechanic: rules.mechanic,
    script,
    scriptDigest: toHex(canonicalDigest(script)),
    commitment,
    opening,
    proof: proofOf({ table, deck: stretchOf(prepared.deck, unit), seedKey, coarseLevel: prepared.coarseLevel }, unit),
    listHead: { entry: listHead.entry, digest: entryDigest(listHead) },
    placedAt: '2023-08-23T15:59:59.000Z',
    unitIssuedAt: ISSUED_AT,
    signedAt: SIGNED_AT,
  };
}

export function receiptOf(
  block: SealedBlock,
  sequence: number,
  n: number,
  change: Partial<ReceiptToSign> = {},
): Receipt {
  return signReceipt({ ...told(block, sequence, n), ...change }, key);
}

/** The first sale of a block that sells a unit with this prize. */
export function saleOf({ prepared, opening }: SealedBlock, prizeCents: number): number {
  const units = Array.from({ length: prepared.size }, (_, sequence) => sequence);
  return units.findIndex(
    (sequence) => prizeOf(prepared.deck, table, unitIndex(opening?.start ?? 0, sequence, prepared.size)) === prizeCents,
  );
}
