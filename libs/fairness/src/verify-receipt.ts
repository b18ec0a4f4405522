import type { BeaconCheck } from './beacon.ts';
import { toHex } from './bytes.ts';
import { type Commitment, entryDigest, verifyCommitment } from './commitment.ts';
import { canonicalDigest } from './digest.ts';
import { unitIndex } from './draw.ts';
import { holderOf } from './holder.ts';
import { checkSignature, type KeySet } from './keys.ts';
import { type Opening, verifyOpening } from './opening.ts';
import { verifyUnit } from './proof.ts';
import { type Receipt, readReceipt } from './receipt.ts';
import { checkReferee, checkRules, checkScript, type GameRules, type RulesOf } from './rules.ts';
import { type Finding, failed, failureOf, findingOf, noted, PASSED, type Step, takeSteps } from './steps.ts';

/** What a receipt is verified with. */
export interface ReceiptVerification {
  readonly keys: KeySet;
  /** False for keys that came with the document or from an unknown hand: then the last step fails. True by default. */
  readonly pinned?: boolean;
  readonly rulesOf: RulesOf;
  /** Null: the beacon's signature is not checked, and the step says so. See `loadBeaconCheck`. */
  readonly isRoundSignature: BeaconCheck | null;
  /** Where the player is known, his id, to check that the receipt is his. */
  readonly playerId?: string;
}

/** In the order in which they are taken. */
export const RECEIPT_STEPS = [
  'form',
  'signature',
  'commitment',
  'list',
  'opening',
  'times',
  'index',
  'inclusion',
  'regulation',
  'amount',
  'script-digest',
  'script',
  'referee',
  'holder',
  'keys',
] as const;

export type ReceiptStep = (typeof RECEIPT_STEPS)[number];

export interface VerifiedReceipt {
  /** Null where its form is wrong. Worth comparing with others only when nothing failed. */
  readonly receipt: Receipt | null;
  /** Up to the first that failed. */
  readonly steps: readonly Step<ReceiptStep>[];
  readonly failure: Step<ReceiptStep> | null;
}

/** Verifies a receipt, as parsed by `parseStrict`, by itself: with nothing from the platform but its public keys. */
export function verifyReceipt(value: unknown, verification: ReceiptVerification): VerifiedReceipt {
  const form = readReceipt(value);
  const checks: (readonly [ReceiptStep, () => Finding])[] = [['form', () => findingOf(form)]];
  if ('accepted' in form) checks.push(...checksOf(form.accepted, verification));
  const steps = takeSteps(checks);
  return { receipt: 'accepted' in form ? form.accepted : null, steps, failure: failureOf(steps) };
}

type Check = readonly [ReceiptStep, () => Finding];

function checksOf(receipt: Receipt, verification: ReceiptVerification): Check[] {
  const { keys, isRoundSignature, rulesOf, playerId, pinned } = verification;
  const { commitment, opening, prizeCents, seed } = receipt;
  const found = rulesOf(commitment.regulation, commitment.stakeCents);
  // Steps after `regulation` are taken only where the rules are known.
  const rules = found as GameRules;
  return [
    ['signature', () => findingOf(checkSignature(receipt, keys, 'blocks', receipt.signedAt))],
    ['commitment', () => findingOf(verifyCommitment(commitment, keys))],
    ['list', () => checkListHead(receipt)],
    ['opening', () => checkOpening(opening, commitment, keys, isRoundSignature)],
    ['times', () => checkTimes(receipt)],
    ['index', () => checkIndex(receipt)],
    ['inclusion', () => checkInclusion(receipt)],
    ['regulation', () => checkRegulation(receipt, found)],
    ['amount', () => checkAmount(receipt, rules)],
    ['script-digest', () => checkScriptDigest(receipt)],
    ['script', () => ifShown(receipt, (script) => checkScript(script, prizeCents, seed, rules))],
    ['referee', () => ifShown(receipt, (script) => checkReferee(script, prizeCents, rules))],
    ['holder', () => checkHolder(receipt, playerId)],
    ['keys', () => checkPinned(pinned)],
  ];
}

function checkListHead({ commitment, listHead }: Receipt): Finding {
  if (listHead.entry < commitment.entry) {
    return failed(`the list ended at entry ${listHead.entry}, before the block's own entry ${commitment.entry}`);
  }
  if (listHead.entry === commitment.entry && listHead.digest !== entryDigest(commitment)) {
    return failed(`entry ${listHead.entry} of the list is another than the block's commitment`);
  }
  return PASSED;
}

/** The opening that belongs to a commitment: none, and start 0, where no contribution was promised. */
export function checkOpening(
  opening: Opening | null,
  commitment: Commitment,
  keys: KeySet,
  isRoundSignature: BeaconCheck | null,
): Finding {
  if (opening === null) {
    return commitment.contribution === null
      ? noted('the block was committed without a public contribution: its sale starts at unit 0')
      : failed('the commitment promises a public contribution, and there is no opening');
  }
  const checked = verifyOpening(opening, commitment, keys, isRoundSignature);
  if ('refused' in checked) return failed(checked.detail);
  return checked.notes.length > 0 ? noted(checked.notes.join('; ')) : PASSED;
}

function checkTimes({ commitment, opening, unitIssuedAt, signedAt }: Receipt): Finding {
  const onSaleAt = opening?.openedAt ?? commitment.committedAt;
  if (unitIssuedAt < onSaleAt) return failed(`issued at ${unitIssuedAt}, before the block was on sale at ${onSaleAt}`);
  if (signedAt < unitIssuedAt) return failed(`signed at ${signedAt}, before the unit was issued at ${unitIssuedAt}`);
  return PASSED;
}

function checkIndex(receipt: Receipt): Finding {
  const { size } = receipt.commitment;
  const start = receipt.opening?.start ?? 0;
  if (receipt.sequence >= size) return failed(`a block of ${size} units has no sale ${receipt.sequence}`);
  const expected = unitIndex(start, receipt.sequence, size);
  if (receipt.unitIndex === expected) return PASSED;
  return failed(`sale ${receipt.sequence} sells unit ${expected}, not ${receipt.unitIndex}`);
}

function checkInclusion({ unitIndex, prizeCents, seed, proof, commitment }: Receipt): Finding {
  const { size, root } = commitment;
  if (verifyUnit({ unitIndex, prizeCents, seed, proof, size, root })) return PASSED;
  return failed(`unit ${unitIndex} with ${prizeCents} cents and seed ${seed} is not in the committed block`);
}

function checkRegulation(receipt: Receipt, rules: GameRules | null): Finding {
  const { commitment, game, stakeCents, mechanic } = receipt;
  if (stakeCents !== commitment.stakeCents) {
    return failed(`a stake of ${stakeCents} cents for a unit of a block at ${commitment.stakeCents}`);
  }
  if (mechanic !== commitment.mechanic) return failed(`shown by ${mechanic}, committed was ${commitment.mechanic}`);
  const finding = checkRules(commitment, rules);
  if (finding.outcome === 'failed' || game === rules?.game) return finding;
  return failed(`${commitment.regulation} is not the regulation of ${game}`);
}

function checkAmount({ prizeCents }: Receipt, { table }: GameRules): Finding {
  if (prizeCents === 0 || table.rows.some((row) => row.prizeCents === prizeCents)) return PASSED;
  return failed(`the prize table has no prize of ${prizeCents} cents`);
}

const WITHHELD = 'the script was withheld';

function checkScriptDigest({ script, scriptDigest }: Receipt): Finding {
  if (script === null) return noted(WITHHELD);
  const digest = toHex(canonicalDigest(script));
  return digest === scriptDigest ? PASSED : failed(`the digest of the script is ${digest}, not ${scriptDigest}`);
}

function ifShown({ script }: Receipt, check: (script: unknown) => Finding): Finding {
  return script === null ? noted(WITHHELD) : check(script);
}

function checkHolder({ playId, holder }: Receipt, playerId: string | undefined): Finding {
  if (playerId === undefined) return noted('whose receipt it is was not checked: no player id was given');
  return holder === holderOf(playId, playerId) ? PASSED : failed(`not a receipt of player ${playerId}`);
}

/** The last word of every verification. */
export function checkPinned(pinned = true): Finding {
  return pinned ? PASSED : failed('these keys came with the document, so they prove nothing');
}
