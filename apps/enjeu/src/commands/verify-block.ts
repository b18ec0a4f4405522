import { type DisclosedBlock, type RebuiltBlock, type Verification, verifyDisclosure, verifyReceipt } from '#fairness';
import { formatEuros } from '#money';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { A_BLOCK, A_RECEIPT, readDocument, verificationWith } from '../verifying/public-documents.ts';
import { printSteps, verdictOf } from '../verifying/report.ts';

const PROGRESS_EVERY_MS = 200;

/**
 * Builds every unit of a disclosed block again and compares it with what was committed before the sale; then looks for
 * the place of each `--receipt`. Prints each step, the counts of every row and the sales; a Failure names what is wrong.
 */
export async function verifyBlock([file = '']: readonly string[], options: Options): Promise<void> {
  const verification = await verificationWith(options);
  const document = readDocument(file, A_BLOCK);
  const { block, steps, failure } = verifyDisclosure(document, { ...verification, progress: progress() });
  console.log(file);
  printSteps(steps);
  const verdict = verdictOf(file, failure, verification.pinned);
  if (block === null) throw new Failure(verdict ?? `${file}: could not be verified`);
  // What passed the step `form` is a disclosed block.
  printBlock(document as unknown as DisclosedBlock, block);
  const faults = (options.receipt ?? []).flatMap((receipt) => faultOf(receipt, block, verification) ?? []);
  if (faults.length > 0) throw new Failure(faults);
}

function printBlock({ commitment, opening, disclosure }: DisclosedBlock, block: RebuiltBlock): void {
  const { blockId, regulation, stakeCents, root } = commitment;
  console.log(`block ${blockId} of ${regulation} at ${formatEuros(stakeCents)} EUR`);
  console.log(`  root      ${root}, rebuilt from the secret`);
  console.log(`  start     unit ${opening?.start ?? 0} of ${block.size}`);
  console.log(`  sold      ${block.issued} units, ${disclosure.refusals.length} stakes refused meanwhile`);
  if (disclosure.closed !== null) {
    const { closedAt, notice } = disclosure.closed;
    console.log(`  closed    ${closedAt}: ${notice.en.replaceAll(/\s+/g, ' ')}`);
  }
  for (const { prizeCents, count } of block.counts()) {
    console.log(`  ${String(count).padStart(9)} × ${formatEuros(prizeCents)} EUR`);
  }
}

/** What is wrong with a receipt of this block, or null. */
function faultOf(file: string, block: RebuiltBlock, verification: Verification): string | null {
  const { receipt, steps, failure } = verifyReceipt(readDocument(file, A_RECEIPT), verification);
  console.log(file);
  printSteps(steps);
  if (receipt === null || failure !== null) return verdictOf(file, failure, verification.pinned);
  const slot = block.slotOf(receipt);
  const word = 'refused' in slot ? `FAILED: ${slot.detail}` : `ok: sale ${receipt.sequence} is this play's`;
  printSlot(word);
  return 'refused' in slot ? `${file}: slot failed: ${slot.detail}` : null;
}

function printSlot(word: string): void {
  console.log(`  ${'slot'.padEnd(14)} ${word}`);
}

/** Tells a terminal how much of the block is built. */
function progress(): (share: number) => void {
  if (!process.stderr.isTTY) return () => {};
  let toldAt = 0;
  return (share) => {
    if (share < 1 && Date.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = Date.now();
    process.stderr.write(share < 1 ? `\r${Math.floor(100 * share)} % of the units rebuilt` : '\r\u001b[K');
  };
}
