import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mechanicFaults } from '#mechanics';
import {
  type GameRegulation,
  GENERAL,
  type GeneralRegulation,
  isGame,
  type Regulation,
  RegulationError,
  readRegulations,
} from '#regulation';
import { ConfigError } from './config.ts';

/** The regulations that a service knows, in order of id. */
export interface LoadedRegulations {
  /** Every version of every game's. */
  readonly regulations: readonly GameRegulation[];
  /** The general one in force: the one signed last. */
  readonly general: GeneralRegulation;
  /** All of them, earlier general ones included. */
  readonly all: readonly Regulation[];
}

/** The folder of the regulations that come with the platform. */
export function regulationsFolder(): string {
  return fileURLToPath(new URL('../../regulation/data', import.meta.url));
}

/**
 * Reads every `*.json` of a folder as a regulation.
 * @throws ConfigError when the folder cannot be read, a file is not valid, or there is no general regulation
 */
export function loadRegulations(folder: string = regulationsFolder()): LoadedRegulations {
  const all = readAll(folder);
  const general = all.filter((one): one is GeneralRegulation => !isGame(one));
  const newest = general.reduce<GeneralRegulation | null>(
    (last, one) => (last === null || one.signedOn > last.signedOn ? one : last),
    null,
  );
  if (newest === null) throw new ConfigError(`${folder} has no ${GENERAL} regulation`);
  return { regulations: all.filter(isGame), general: newest, all };
}

function readAll(folder: string): readonly Regulation[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return readRegulations(
      names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })),
      mechanicFaults,
    );
  } catch (error) {
    if (error instanceof RegulationError) throw new ConfigError(`regulations in ${folder}: ${error.faults.join('; ')}`);
    throw new ConfigError(
      `the regulations in ${folder} cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`,
    );
  }
}
