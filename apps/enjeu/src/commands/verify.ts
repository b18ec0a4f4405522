import { compareReceipts, type Receipt, type ReceiptVerification, verifyReceipt } from '#fairness';
import { formatEuros } from '#money';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { A_RECEIPT, readDocument, readList, verificationWith } from '../verifying/public-documents.ts';
import { printSteps, verdictOf } from '../verifying/report.ts';

interface Examined {
  readonly file: string;
  readonly receipt: Receipt | null;
  /** Null when nothing failed. */
  readonly verdict: string | null;
}

/**
 * Verifies receipts by themselves, against each other, and with `--list` against the list of commitments, without any
 * network. Prints each step; a Failure names the first that failed of each receipt, and every contradiction.
 */
export async function verify(files: readonly string[], options: Options): Promise<void> {
  const base = await verificationWith(options);
  const verification = { ...base, ...(options.player === undefined ? {} : { playerId: options.player }) };
  const list = options.list === undefined ? null : readList(options.list, verification);
  const examined = files.map((file) => examine(file, verification));
  const sound = examined.filter((one) => one.verdict === null);
  const faults = examined.flatMap(({ verdict }) => verdict ?? []);
  faults.push(...contradictionsOf(sound, list));
  if (faults.length > 0) throw new Failure(faults);
}

function examine(file: string, verification: ReceiptVerification): Examined {
  const { receipt, steps, failure } = verifyReceipt(readDocument(file, A_RECEIPT), verification);
  console.log(receipt === null ? file : `${file}: ${titleOf(receipt)}`);
  printSteps(steps);
  return { file, receipt, verdict: verdictOf(file, failure, verification.pinned) };
}

function titleOf({ game, stakeCents, prizeCents, playId }: Receipt): string {
  return `play ${playId}, ${game} at ${formatEuros(stakeCents)} EUR, prize ${formatEuros(prizeCents)} EUR`;
}

/** Says what was compared, and answers what the receipts contradict. */
function contradictionsOf(sound: readonly Examined[], list: ReturnType<typeof readList> | null): string[] {
  if (sound.length < 2 && list === null) return [];
  const receipts = sound.flatMap(({ receipt }) => receipt ?? []);
  const found = compareReceipts(receipts, list).map(({ kind, receipts: places, detail }) => {
    const names = places.map((place) => sound[place]?.file).join(' and ');
    return `${names === '' ? 'the list' : names}: ${kind}: ${detail}`;
  });
  const compared = `${receipts.length} ${receipts.length === 1 ? 'receipt' : 'receipts'}`;
  const against = list === null ? 'with each other' : `with each other and with ${list.length} entries of the list`;
  console.log(`${compared} compared ${against}: ${found.length === 0 ? 'nothing contradicts' : 'CONTRADICTIONS'}`);
  return found;
}
