import { toHex } from './bytes.ts';
import { entryDigest, verifyCommitment } from './commitment.ts';
import { canonicalDigest } from './digest.ts';
import { unitIndex } from './draw.ts';
import { holderOf } from './holder.ts';
import { checkSignature } from './keys.ts';
import { verifyUnit } from './proof.ts';
import { type Receipt, readReceipt } from './receipt.ts';
import { checkReferee, checkRules, checkScript, type GameRules } from './rules.ts';
import { type Finding, failed, failureOf, findingOf, noted, PASSED, takeSteps } from './steps.ts';
import { checkOpening, checkPinned, type Verification, type Verified } from './verification.ts';

/** What a receipt is verified with. */
export interface ReceiptVerification extends Verification {
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

export interface VerifiedReceipt extends Verified<ReceiptStep> {
  /** Null where its form is wrong. Worth comparing with others only when nothing failed. */
  readonly receipt: Receipt | null;
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
  const { keys, rulesOf, playerId } = verification;
  const { commitment, opening, prizeCents, seed } = receipt;
  const found = rulesOf(commitment.regulation, commitment.stakeCents);
  // Steps after `regulation` are taken only where the rules are known.
  const rules = found as GameRules;
  return [
    ['signature', () => findingOf(checkSignature(receipt, keys, 'blocks', receipt.signedAt))],
    ['commitment', () => findingOf(verifyCommitment(commitment, keys))],
    ['list', () => checkListHead(receipt)],
    ['opening', () => checkOpening(opening, commitment, verification)],
    ['times', () => checkTimes(receipt)],
    ['index', () => checkIndex(receipt)],
    ['inclusion', () => checkInclusion(receipt)],
    ['regulation', () => checkRegulation(receipt, found)],
    ['amount', () => checkAmount(receipt, rules)],
    ['script-digest', () => checkScriptDigest(receipt)],
    ['script', () => ifShown(receipt, (script) => checkScript(script, prizeCents, seed, rules))],
    ['referee', () => ifShown(receipt, (script) => checkReferee(script, prizeCents, rules))],
    ['holder', () => checkHolder(receipt, playerId)],
    ['keys', () => checkPinned(verification)],
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
