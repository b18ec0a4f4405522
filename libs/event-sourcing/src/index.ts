export { appendFailure } from './append-failure.ts';
export { LOG_CHANNEL, NOTIFICATION_LIMIT_BYTES } from './append-statement.ts';
export {
  batchDigest,
  canonicalLine,
  canonicalLines,
  eventOfLine,
  firstChain,
  type LineOf,
  nextChain,
} from './chain.ts';
export { Backoff, type Clock, isTimeText, pause, systemClock, timeText } from './clock.ts';
export * from './decider.ts';
export * from './event-log.ts';
export { GAP_AFTER_MS, type Gap, GapDetector } from './gap-detector.ts';
export { type LaneFault, type LaneOptions, openLane, type RecordLane } from './group-commit.ts';
export { HeadFile, newestInHeadFile, readHeadFile } from './head-file.ts';
export { HeadSigner, type HeadSignerOptions, type LogHeadSigned } from './head-signer.ts';
export { emitIncident, type Incident, type IncidentRaised, raiseIncident } from './incident.ts';
export { idempotencyKey, judgeKey, type KeyVerdict, requestHash } from './keys.ts';
export * from './lane.ts';
export { assertNotBehind, LogBehind, type SeenOfLog } from './log-behind.ts';
export { LOG_MIGRATIONS, type LogMigration } from './log-migrations.ts';
export { MemoryLog, type MemoryLogOptions } from './memory-log.ts';
export {
  type HandledAgain,
  ParkedKeys,
  type ParkedSink,
  parkedRow,
  parkingKey,
  type SentAgain,
  sendAgain,
} from './parking.ts';
export { openPostgresLog, PostgresLog, type PostgresLogOptions, postgresLogReader } from './postgres-log.ts';
export {
  asError,
  EpochAhead,
  type Projector,
  type ProjectorFault,
  type ProjectorOptions,
  positionOf,
  project,
  projectInto,
  type Step,
  type StepKind,
  workOf,
} from './projector.ts';
export type { PreparedStatement, Queryable } from './queryable.ts';
export { moveRelayCursor, readRelayCursor } from './relay-cursor.ts';
export { recordKey, recordOf } from './source-record.ts';
export { type Given, scenarios, type Then } from './testing.ts';
export {
  type Batch,
  type LogFault,
  type LogReader,
  type VerifiedLog,
  type VerifyOptions,
  verifyLog,
} from './verify-log.ts';
export { takeWriterLock, type WriterLockOptions } from './writer-lock.ts';
