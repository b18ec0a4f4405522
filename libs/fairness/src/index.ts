export { toBase64Url } from './base64url.ts';
export {
  type BeaconCheck,
  loadBeaconCheck,
  QUICKNET,
  ROUND_AFTER_COMMITMENT_MS,
  roundPublicAt,
  roundToPromise,
} from './beacon.ts';
export { type BlockKeys, blockKeys, SECRET_BYTES, seedOf } from './block-keys.ts';
export { concat, fromHex, idBytes, toHex, u32, utf8 } from './bytes.ts';
export { canonical, type JsonValue, NotCanonical } from './canonical.ts';
export type { Checked, Refused, VerificationRefusal } from './checked.ts';
export {
  type Commitment,
  type CommittedBlock,
  commitmentListShape,
  commitmentShape,
  entryDigest,
  type PromisedContribution,
  signCommitment,
  verifyCommitment,
  verifyCommitments,
} from './commitment.ts';
export { type Contradiction, compareReceipts, type Disagreement } from './compare-receipts.ts';
export { prizeOf } from './deck.ts';
export { canonicalDigest, sha256 } from './digest.ts';
export {
  type DisclosedRefusal,
  type Disclosure,
  type DisclosureToSign,
  disclosureShape,
  playDigest,
  signDisclosure,
} from './disclosure.ts';
export { startOf, unitIndex } from './draw.ts';
export { type HeadToSign, type SignedHead, signHead, verifyHead } from './head.ts';
export { holderOf } from './holder.ts';
export {
  checkSignature,
  type KeyPurpose,
  type KeySet,
  keyFor,
  type PrivateKeyFile,
  type PublicKeyEntry,
  privateKeyFile,
  publicKeyEntry,
  readKeySet,
  readSigningKey,
} from './keys.ts';
export { LANES, type LaneHash, laneHash } from './lanes.ts';
export {
  type CheckedOpening,
  type DrawnContribution,
  type Opening,
  openingShape,
  signOpening,
  verifyOpening,
} from './opening.ts';
export { COARSE_HEIGHT, deckOf, type PreparedBlock, type Progress, prepareBlock } from './prepare-block.ts';

export { type ProvableStretch, type ProvenUnit, proofOf, STRETCH, stretchOf, verifyUnit } from './proof.ts';
export { type Receipt, type ReceiptToSign, readReceipt, receiptShape, signReceipt } from './receipt.ts';
export type { GameRules, RulesOf } from './rules.ts';

export { keyIdOf, type Signed, type SigningKey, sign, signingKey, verifySignature } from './signing.ts';
export type { Step } from './steps.ts';
export { NotStrictJson, parseStrict } from './strict-json.ts';
export {
  MAX_ROWS,
  type PrizeRow,
  type PrizeTable,
  prizesOf,
  prizeTable,
  type RegulationTables,
  regulationDigest,
  tableDigest,
} from './table.ts';
export { isDate, isTime, millisecondsOf } from './times.ts';
export { leafHash, nodeHash } from './tree.ts';
export type { Verification, Verified } from './verification.ts';
export {
  DISCLOSURE_STEPS,
  type DisclosedBlock,
  type DisclosureStep,
  type DisclosureVerification,
  disclosedBlockShape,
  type RebuiltBlock,
  type VerifiedDisclosure,
  verifyDisclosure,
} from './verify-disclosure.ts';
export {
  RECEIPT_STEPS,
  type ReceiptStep,
  type ReceiptVerification,
  type VerifiedReceipt,
  verifyReceipt,
} from './verify-receipt.ts';
