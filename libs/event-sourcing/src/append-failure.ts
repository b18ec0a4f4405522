import { AppendError, type AppendFailure } from './event-log.ts';

/** What PostgreSQL says of an error, as far as it says anything. */
interface DatabaseError extends Error {
  readonly code?: unknown;
  readonly constraint?: unknown;
}

/** Unique indexes whose violation says that another append came first. */
const DECIDED_ON_OLD = new Set(['events_stream_version', 'states_pkey', 'keys_pkey', 'positions_pkey', 'parked_pkey']);

/** A row stands where only the head's next append may write: nobody's work is to blame, and nothing can go on. */
const LOG_DAMAGED = new Set(['events_pkey', 'batches_pkey', 'batches_last_key']);

/** An index of the second wall: one outcome a play. */
const OUTCOME_INDEX = /^events_outcome/;

/**
 * Turns whatever a query has thrown into an AppendError. What is nobody's value and nobody's race counts as
 * `unavailable`, which is tried again: parking a record for a missing right or a full disk would be wrong.
 * An error of the program itself (a TypeError) is given back as it is.
 */
export function appendFailure(error: unknown): Error {
  if (error instanceof AppendError) return error;
  const thrown = error as DatabaseError;
  if (isOfProgram(thrown)) return thrown;
  const message = thrown?.message ?? String(error);
  return new AppendError(failureOf(thrown), message, { cause: error });
}

function isOfProgram(error: DatabaseError): boolean {
  return ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'].includes(error?.name);
}

function failureOf(error: DatabaseError): AppendFailure {
  const code = typeof error?.code === 'string' ? error.code : '';
  if (code === '23505') return failureOfUnique(String(error.constraint));
  // 22012 is how the append says that a check failed; 40001 and 40P01 are PostgreSQL's own races.
  if (code === '22012' || code === '40001' || code === '40P01') return 'stale';
  // 54001: JSON nested deeper than the server's stack.
  if (/^(22|23)...$/.test(code) || code === '54001') return 'rejected';
  return 'unavailable';
}

function failureOfUnique(constraint: string): AppendFailure {
  if (DECIDED_ON_OLD.has(constraint)) return 'stale';
  if (OUTCOME_INDEX.test(constraint)) return 'outcome-taken';
  if (LOG_DAMAGED.has(constraint)) return 'unavailable';
  return 'rejected';
}
