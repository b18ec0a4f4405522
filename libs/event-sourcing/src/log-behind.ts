import type { KeySet, SignedHead } from '#fairness';
import { canonical, verifyHead } from '#fairness';
import { canonicalLine, firstChain } from './chain.ts';
import type { RecordedEvent, SourceRecord } from './event-log.ts';
import type { LogReader } from './verify-log.ts';

/** The log is older than what others have seen of it: serving would use positions again. */
export class LogBehind extends Error {
  readonly word = 'log-behind-bus';

  constructor(detail: string) {
    super(`log-behind-bus: ${detail}`);
    this.name = 'LogBehind';
  }
}

export interface SeenOfLog {
  /** The newest line of the file of signed heads, parsed; null where there is none. */
  readonly signedHead: unknown;
  readonly keys: KeySet;
  /** The newest record that the bus holds of this log; null where there is none, or no copy. */
  readonly busRecord: SourceRecord | null;
}

/**
 * To be asked at start, before anything is served: whether the log still has everything that the file of signed heads and the
 * bus have seen of it. @throws LogBehind when it ends before, or has something else there
 */
export async function assertNotBehind(log: LogReader, seen: SeenOfLog): Promise<void> {
  if (seen.signedHead !== null) await compareWithHead(log, checked(seen.signedHead, seen.keys));
  if (seen.busRecord !== null) await compareWithRecord(log, seen.busRecord);
}

function checked(value: unknown, keys: KeySet): SignedHead {
  const result = verifyHead(value, keys);
  if ('refused' in result) {
    throw new LogBehind(
      `the newest line in the file of signed heads cannot be trusted (${result.refused}: ${result.detail})`,
    );
  }
  return result.accepted;
}

async function compareWithHead(log: LogReader, signed: SignedHead): Promise<void> {
  const head = await log.head();
  if (signed.logId !== head.logId) throw new LogBehind(`the file of signed heads is that of log ${signed.logId}`);
  if (head.position < signed.position) {
    throw new LogBehind(
      `the log ends at ${head.position}, its head was signed at ${signed.position} on ${signed.signedAt}`,
    );
  }
  if ((await chainAt(log, head.logId, signed.position)) !== signed.chain) {
    throw new LogBehind(`the log has another chain at ${signed.position} than was signed on ${signed.signedAt}`);
  }
}

async function chainAt(log: LogReader, logId: string, position: number): Promise<string | null> {
  if (position === 0) return firstChain(logId);
  const [batch] = await log.batches(position - 1, 1);
  return batch?.last === position ? batch.chain : null;
}

async function compareWithRecord(log: LogReader, record: SourceRecord): Promise<void> {
  const head = await log.head();
  if (head.epoch < record.epoch) throw new LogBehind(`the log is at epoch ${head.epoch}, the bus at ${record.epoch}`);
  const [event] = await log.read(record.position - 1, 1);
  if (event?.position !== record.position) {
    throw new LogBehind(`the log ends at ${head.position}, the bus holds position ${record.position}`);
  }
  if (lineOf(record) !== canonicalLine(event)) {
    throw new LogBehind(`the log has another event at ${record.position} than the bus`);
  }
}

function lineOf(record: SourceRecord): string {
  const event: Omit<RecordedEvent, 'position' | 'batch'> = { ...record, data: canonical(record.body) };
  return canonicalLine(event);
}
