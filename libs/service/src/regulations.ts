import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { regulationDigest } from '#fairness';
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

/** The folders that `ENJEU_REGULATIONS_DIR` names, joined by `:`. */
export function foldersOf(folders: string): readonly string[] {
  return folders.split(delimiter).filter((folder) => folder !== '');
}

/**
 * Reads every `*.json` of one or several folders, joined by `:`, as a regulation. One that stands in two of them counts
 * once where its content is the same.
 * @throws ConfigError when a folder cannot be read, a file is not valid, one id has two contents, or there is no general
 * regulation
 */
export function loadRegulations(folders: string = regulationsFolder()): LoadedRegulations {
  const all = new Map<string, Regulation>();
  for (const folder of foldersOf(folders)) {
    for (const one of readAll(folder)) {
      const known = all.get(one.id);
      if (known !== undefined && !isSameRegulation(known, one)) {
        throw new ConfigError(`${join(folder, `${one.id}.json`)} is not the ${one.id} of another folder in ${folders}`);
      }
      all.set(one.id, one);
    }
  }
  return loadedOf([...all.values()], folders);
}

/** Whether both would be published as the same bytes. */
export function isSameRegulation(a: Regulation, b: Regulation): boolean {
  return regulationDigest(a) === regulationDigest(b);
}

/** @param from where they come from, for the ConfigError that says that there is no general one among them */
export function loadedOf(regulations: readonly Regulation[], from: string): LoadedRegulations {
  const all = regulations.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const general = all.filter((one): one is GeneralRegulation => !isGame(one));
  const newest = general.reduce<GeneralRegulation | null>(
    (last, one) => (last === null || one.signedOn > last.signedOn ? one : last),
    null,
  );
  if (newest === null) throw new ConfigError(`${from} has no ${GENERAL} regulation`);
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
