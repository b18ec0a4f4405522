import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Failure } from './failure.ts';
import { runningLauncher } from './start/launcher-lock.ts';

/** Where a running platform can be reached: written by the launcher into its data folder. */
export interface RunningPlatform {
  readonly bus: 'postgres' | 'kafka';
  readonly gatewayUrl: string;
  readonly identityUrl: string;
  readonly serviceUrls: Readonly<Record<string, string>>;
  /** Read-only connections to the logs. */
  readonly logUrls: Readonly<Record<string, string>>;
  readonly serviceToken: string;
  readonly cliSecret: string;
  readonly keysFile: string;
  /** Where regulations are added while it runs. */
  readonly regulationsFolder: string;
  readonly headsFiles: Readonly<Record<string, string>>;
  /** Process ids of the services, PostgreSQL and the broker. */
  readonly pids: Readonly<Record<string, number>>;
}

export function platformFile(dataFolder: string): string {
  return join(dataFolder, 'platform.json');
}

/** The member that a record has for this service; a name that is no service's finds nothing, whatever it is. */
export function ofService(record: Readonly<Record<string, string>>, service: string): string | undefined {
  return Object.hasOwn(record, service) ? record[service] : undefined;
}

/** `--data`, else `ENJEU_DATA`, else `.enjeu` where the command is called. */
export function dataFolderOf(options: { readonly data?: string | undefined }): string {
  if (options.data === '') throw new Failure('--data names no folder; write it like --data .enjeu', 2);
  return resolve(options.data || process.env['ENJEU_DATA'] || '.enjeu');
}

/** Refuses with a Failure where no platform runs on the data folder. */
export function findPlatform(options: { readonly data?: string | undefined }): RunningPlatform {
  const folder = dataFolderOf(options);
  if (runningLauncher(folder) === null) {
    throw new Failure(
      `no platform is running on ${folder}; start one with \`npm start\`, or say where its data is with --data DIR or ENJEU_DATA`,
    );
  }
  try {
    return JSON.parse(readFileSync(platformFile(folder), 'utf8')) as RunningPlatform;
  } catch {
    throw new Failure(`the platform on ${folder} is still starting; wait for its line \`ready\``);
  }
}
