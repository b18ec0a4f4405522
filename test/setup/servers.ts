/** For tests that stop, kill or restart a server of their own: a library's test may not reach into an app for it. */
export { ensureDatabase } from '../../apps/enjeu/src/embedded/databases.ts';
export { type RunningKafka, startKafka } from '../../apps/enjeu/src/embedded/kafka.ts';
export { type RunningPostgres, startPostgres } from '../../apps/enjeu/src/embedded/postgres.ts';
