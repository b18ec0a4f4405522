import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import {
  DataSource,
  type EntitySchema,
  type MigrationInterface,
  type QueryRunner,
  type Logger as TypeOrmLogger,
} from 'typeorm';
import { oneLine } from './run.ts';

const logger = new Logger('database');

const RETRY_MS = 500;

/** What PostgreSQL answers when trying again cannot help: SQLSTATE → what to do. */
const PERMANENT: Readonly<Record<string, string>> = {
  '3D000': 'create it, or correct ENJEU_DATABASE_URL',
  '28P01': 'correct the user and password in ENJEU_DATABASE_URL',
  '28000': 'correct the user and password in ENJEU_DATABASE_URL',
};

/**
 * A connection of its own, tried again without end while PostgreSQL is away or starting.
 * Rejects when the database or the user does not exist, and with the signal's reason.
 */
export async function connectDatabase(url: string, who: string, stopping: AbortSignal): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    stopping.throwIfAborted();
    const client = new pg.Client({ connectionString: url, application_name: who, keepAlive: true });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      refusePermanent(error);
      if (attempt % 20 === 0) logger.warn(`PostgreSQL does not answer (${oneLine(error)}); trying again`);
    }
    await pause(RETRY_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

function refusePermanent(error: unknown): void {
  const advice = PERMANENT[(error as { code?: string }).code ?? ''];
  if (advice !== undefined) throw new Error(`${oneLine(error)}; ${advice}`, { cause: error });
}

export interface TablesOptions {
  /** Classes that TypeORM maps. */
  readonly entities: readonly (EntityClass | EntitySchema)[];
  /** In whatever order: TypeORM sorts them by the time that their names end in. */
  readonly migrations: readonly MigrationClass[];
  /** Connections at most. Default 4. */
  readonly connections?: number;
}

export type EntityClass = abstract new (...parameters: never[]) => object;
export type MigrationClass = new () => MigrationInterface;

/** What fails is thrown, and told once by whoever catches it. */
const quiet: TypeOrmLogger = {
  logQuery: () => {},
  logQueryError: () => {},
  logQuerySlow: () => {},
  logSchemaBuild: () => {},
  logMigration: () => {},
  log: () => {},
};

/**
 * TypeORM over a service's own database, migrated to the newest version. Whoever calls this holds the service's lock:
 * two processes must not migrate at once.
 */
export async function openTables(url: string, who: string, options: TablesOptions): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    applicationName: who,
    entities: [...options.entities],
    migrations: [...options.migrations],
    migrationsTransactionMode: 'each',
    logger: quiet,
    poolErrorHandler: (error: unknown) => logger.warn(`a connection was lost (${oneLine(error)})`),
    extra: { max: options.connections ?? 4, idleTimeoutMillis: 60_000 },
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations();
  } catch (error) {
    await dataSource.destroy();
    throw new Error(`the tables could not be migrated: ${oneLine(error)}`, { cause: error });
  }
  return dataSource;
}

/** SQL statements as a migration of TypeORM. @param name ends in the time by which migrations are ordered */
export function sqlMigration(name: string, statements: readonly string[]): MigrationClass {
  return class {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement);
    }

    async down(): Promise<void> {
      throw new Error('migrations go forward only');
    }
  };
}
