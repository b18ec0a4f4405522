import * as z from 'zod';
import type { Cents } from '#money';
import { type BlockKeys, blockKeys, seedOf } from './block-keys.ts';
import { fromHex, toHex } from './bytes.ts';
import { canonical } from './canonical.ts';
import { type Checked, checkShape, type Refused, refuse } from './checked.ts';
import { type Commitment, commitmentShape, verifyCommitment } from './commitment.ts';
import { prizeOf } from './deck.ts';
import { type Disclosure, disclosureShape, playDigest } from './disclosure.ts';
import { unitIndex } from './draw.ts';
import { doubledPlay, issuedCount, issuedPlay } from './issued-plays.ts';
import { checkSignature } from './keys.ts';
import { type Opening, openingShape } from './opening.ts';
import { type PreparedBlock, type Progress, prepareBlock } from './prepare-block.ts';
import type { Receipt } from './receipt.ts';
import { checkRules, type GameRules } from './rules.ts';
import { type Finding, failed, failureOf, findingOf, noted, PASSED, takeSteps } from './steps.ts';
import type { PrizeTable } from './table.ts';
import { checkOpening, checkPinned, type Verification, type Verified } from './verification.ts';

/** What `GET /blocks/:id/disclosure` serves. */
export interface DisclosedBlock {
  readonly commitment: Commitment;
  /** Null for a block without a public contribution, and for one that was closed before it was drawn. */
  readonly opening: Opening | null;
  readonly disclosure: Disclosure;
}

/** Exact members of what is served of a disclosed block. */
export const disclosedBlockShape: z.ZodType<DisclosedBlock> = z.strictObject({
  commitment: commitmentShape,
  opening: openingShape.nullable(),
  disclosure: disclosureShape,
});

/** What a disclosed block is verified with. */
export interface DisclosureVerification extends Verification {
  /** Told how much of the block has been built again. */
  readonly progress?: Progress;
}

/** In the order in which they are taken. */
export const DISCLOSURE_STEPS = [
  'form',
  'signature',
  'commitment',
  'opening',
  'regulation',
  'times',
  'issued',
  'refusals',
  'units',
  'keys',
] as const;

export type DisclosureStep = (typeof DISCLOSURE_STEPS)[number];

export interface VerifiedDisclosure extends Verified<DisclosureStep> {
  /** Null where anything failed. */
  readonly block: RebuiltBlock | null;
}

/**
 * Verifies a disclosed block, as parsed by `parseStrict`: builds every unit again from the secret and compares the root
 * with the one that was committed before the sale. Takes some seconds for 1,280,000 units: call it in a worker where
 * somebody waits.
 */
export function verifyDisclosure(value: unknown, verification: DisclosureVerification): VerifiedDisclosure {
  const form = checkShape(disclosedBlockShape, value);
  const work = 'accepted' in form ? new Rebuilding(form.accepted, verification) : null;
  const steps = takeSteps([['form', () => findingOf(form)], ...(work?.checks() ?? [])]);
  const failure = failureOf(steps);
  return { block: failure ? null : (work?.rebuilt ?? null), steps, failure };
}

/** A verified block, every unit of which is known. */
export class RebuiltBlock {
  constructor(
    private readonly disclosed: DisclosedBlock,
    private readonly table: PrizeTable,
    private readonly prepared: PreparedBlock,
    private readonly blockKeys: BlockKeys,
  ) {}

  /** Units that were sold, and all there were. */
  get issued(): number {
    return issuedCount(this.disclosed.disclosure);
  }

  get size(): number {
    return this.prepared.size;
  }

  /** How many units of the rebuilt block have each prize: the rows of the table in its order, then the losing units. */
  counts(): { readonly prizeCents: Cents; readonly count: number }[] {
    const counted = new Uint32Array(this.table.rows.length + 1);
    for (const row of this.prepared.deck) counted[row]!++;
    const rows = this.table.rows.map(({ prizeCents }, i) => ({ prizeCents, count: counted[i + 1]! }));
    return [...rows, { prizeCents: 0 as Cents, count: counted[0]! }];
  }

  /**
   * Whether a receipt, itself verified, tells of this block what its disclosure tells: the same commitment and opening,
   * its play at its place among the sales, and the unit, prize and seed that stood there.
   */
  slotOf(receipt: Receipt): Checked<Receipt> {
    const { commitment, opening, disclosure } = this.disclosed;
    if (canonical(receipt.commitment) !== canonical(commitment)) {
      return refuse('another-block', 'the receipt holds another commitment than the disclosed block');
    }
    if (canonical(receipt.opening) !== canonical(opening)) {
      return refuse('another-block', 'the receipt holds another opening than the disclosed block');
    }
    if (receipt.sequence >= this.issued) {
      return refuse('slot-wrong', `the block sold ${this.issued} units, so it had no sale ${receipt.sequence}`);
    }
    if (issuedPlay(disclosure, receipt.sequence) !== playDigest(receipt.playId)) {
      return refuse('slot-wrong', `sale ${receipt.sequence} is disclosed as that of another play`);
    }
    return this.#unitRefusal(receipt) ?? { accepted: receipt };
  }

  #unitRefusal({ sequence, unitIndex: told, prizeCents, seed }: Receipt): Refused | null {
    const { deck, size } = this.prepared;
    const unit = unitIndex(this.disclosed.opening?.start ?? 0, sequence, size);
    if (told !== unit) return refuse('slot-wrong', `sale ${sequence} sold unit ${unit}, not ${told}`);
    const sealed = prizeOf(deck, this.table, unit);
    if (prizeCents !== sealed)
      return refuse('slot-wrong', `unit ${unit} has a prize of ${sealed} cents, not ${prizeCents}`);
    if (seed !== toHex(seedOf(this.blockKeys.seedKey, unit)))
      return refuse('slot-wrong', `unit ${unit} has another seed`);
    return null;
  }
}

type Check = readonly [DisclosureStep, () => Finding];

class Rebuilding {
  rebuilt: RebuiltBlock | null = null;
  readonly #rules: GameRules | null;

  constructor(
    private readonly disclosed: DisclosedBlock,
    private readonly verification: DisclosureVerification,
  ) {
    const { regulation, stakeCents } = disclosed.commitment;
    this.#rules = verification.rulesOf(regulation, stakeCents);
  }

  checks(): Check[] {
    const { commitment, disclosure } = this.disclosed;
    const { keys } = this.verification;
    return [
      ['signature', () => findingOf(checkSignature(disclosure, keys, 'blocks', disclosure.disclosedAt))],
      ['commitment', () => this.#commitment()],
      ['opening', () => this.#opening()],
      ['regulation', () => checkRules(commitment, this.#rules)],
      ['times', () => checkTimes(this.disclosed)],
      ['issued', () => checkIssued(this.disclosed)],
      ['refusals', () => checkRefusals(disclosure)],
      ['units', () => this.#units()],
      ['keys', () => checkPinned(this.verification)],
    ];
  }

  #commitment(): Finding {
    const { commitment, disclosure } = this.disclosed;
    if (disclosure.blockId !== commitment.blockId) {
      return failed(`discloses block ${disclosure.blockId}, not ${commitment.blockId}`);
    }
    return findingOf(verifyCommitment(commitment, this.verification.keys));
  }

  #opening(): Finding {
    const { commitment, opening, disclosure } = this.disclosed;
    if (opening === null && commitment.contribution !== null && issuedCount(disclosure) === 0) {
      return noted('the block was never opened, and sold nothing');
    }
    return checkOpening(opening, commitment, this.verification);
  }

  /** Order, prizes and seeds follow from the secret; that they are those of the sale, from the root. */
  #units(): Finding {
    const { commitment, disclosure } = this.disclosed;
    const { table } = this.#rules as GameRules;
    const { regulation: id, size: blockSize, stakeCents, rows } = table;
    const secret = fromHex(disclosure.secret, 32);
    const regulation = { id, blockSize, stakes: [{ stakeCents, rows }] };
    const prepared = prepareBlock(regulation, stakeCents, commitment.blockId, secret, this.verification.progress);
    if (prepared.root !== commitment.root) {
      return failed(`the secret gives units with the root ${prepared.root}, committed was ${commitment.root}`);
    }
    this.rebuilt = new RebuiltBlock(this.disclosed, table, prepared, blockKeys(secret, commitment.blockId));
    return PASSED;
  }
}

function checkTimes({ commitment, opening, disclosure }: DisclosedBlock): Finding {
  const { closed, refusals, disclosedAt } = disclosure;
  const onSaleAt = opening?.openedAt ?? commitment.committedAt;
  const times = [
    ...refusals.map(({ refusedAt }, i) => [`refusal ${i}`, refusedAt] as const),
    ...(closed ? [['the closing', closed.closedAt] as const] : []),
    ['the disclosure', disclosedAt] as const,
  ];
  const wrong = times.find(([, time]) => time < onSaleAt || time > disclosedAt);
  if (!wrong) return PASSED;
  return failed(`${wrong[0]} is timed ${wrong[1]}, outside of ${onSaleAt} to ${disclosedAt}`);
}

function checkIssued({ commitment, disclosure }: DisclosedBlock): Finding {
  const sold = issuedCount(disclosure);
  const { size } = commitment;
  if (sold > size) return failed(`${sold} units sold of a block of ${size}`);
  if (!disclosure.closed && sold < size) return failed(`${sold} of ${size} units sold, and the block was not closed`);
  if (disclosure.closed && sold === size) return failed('all units sold, and yet the block was closed');
  const doubled = doubledPlay(disclosure);
  return doubled === null ? PASSED : failed(`the play ${doubled} stands twice among the sales and refusals`);
}

function checkRefusals(disclosure: Disclosure): Finding {
  const { refusals } = disclosure;
  const sold = issuedCount(disclosure);
  for (const [i, { sequence }] of refusals.entries()) {
    if (sequence > sold) return failed(`refusal ${i} would have been sale ${sequence}, and there were ${sold}`);
    if (i > 0 && sequence < refusals[i - 1]!.sequence) return failed(`refusal ${i} stands after one of a later sale`);
  }
  const back = refusals.findIndex(({ refusedAt }, i) => i > 0 && refusedAt < refusals[i - 1]!.refusedAt);
  return back === -1 ? PASSED : noted(`refusal ${back} is timed before the one that it follows`);
}
