import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { type Clock, systemClock } from '#event-sourcing';
import { regulationDigest } from '#fairness';
import { mechanicFaults } from '#mechanics';
import {
  type GameRegulation,
  type GeneralRegulation,
  type Regulation,
  RegulationError,
  readRegulations,
} from '#regulation';
import { counter, gauge } from './metrics.ts';
import {
  foldersOf,
  isSameRegulation,
  type LoadedRegulations,
  loadedOf,
  loadRegulations,
  regulationsFolder,
} from './regulations.ts';
import { oneLine } from './run.ts';

const EVERY_MS = 2_000;

export interface RegistryOptions {
  readonly clock?: Clock;
  /** Time between two looks into the folders. Default 2,000. */
  readonly every_ms?: number;
  /** Told in one line what was taken, and what was refused. Default: the service's log. */
  readonly logger?: Pick<Logger, 'log' | 'error'>;
}

/**
 * The regulations that a service knows while it runs. It begins with what stands in its folders, and takes files that are
 * put there later; what it has taken never changes and never goes, whatever happens to the file.
 */
export class RegulationRegistry implements LoadedRegulations {
  readonly #folders: readonly string[];
  readonly #byId = new Map<string, Regulation>();
  readonly #followers: ((regulation: Regulation) => void)[] = [];
  /** By path: the file's state when it was last judged. */
  readonly #judged = new Map<string, string>();
  /** By path: what was last said of it. */
  readonly #told = new Map<string, string>();
  readonly #options: Required<RegistryOptions>;
  #loaded: LoadedRegulations;
  #stopped = false;
  #cancel: () => void = () => {};
  #looking: Promise<void> = Promise.resolve();

  /**
   * @param folders one or several, joined by `:`; default: the regulations that come with the platform
   * @throws ConfigError as `loadRegulations` does
   */
  constructor(folders: string = regulationsFolder(), options: RegistryOptions = {}) {
    this.#options = { clock: systemClock, every_ms: EVERY_MS, logger: new Logger('regulations'), ...options };
    this.#folders = foldersOf(folders);
    this.#loaded = loadRegulations(folders);
    for (const regulation of this.#loaded.all) this.#byId.set(regulation.id, regulation);
    this.#count();
  }

  get regulations(): readonly GameRegulation[] {
    return this.#loaded.regulations;
  }

  get general(): GeneralRegulation {
    return this.#loaded.general;
  }

  get all(): readonly Regulation[] {
    return this.#loaded.all;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** SHA-256 of the regulation as it is published, hex; null for one that is not known. */
  digestOf(id: string): string | null {
    const regulation = this.#byId.get(id);
    return regulation === undefined ? null : regulationDigest(regulation);
  }

  /** Calls `take` with each regulation that is taken from now on. */
  follow(take: (regulation: Regulation) => void): void {
    this.#followers.push(take);
  }

  /** Looks into the folders every so often, until `stop`. */
  watch(): void {
    if (this.#stopped) return;
    const { clock, every_ms } = this.#options;
    this.#cancel = clock.after(every_ms, () => {
      this.#looking = this.look().finally(() => this.watch());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#looking;
  }

  /**
   * Takes the files that are new. One that cannot be read, is not valid, or is another than was taken under its id is left
   * alone as a whole: said in one line, once, and counted.
   */
  async look(): Promise<void> {
    for (const folder of this.#folders) {
      await this.#attempt(folder, async () => {
        const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
        this.#told.delete(folder);
        for (const name of names.sort()) await this.#attempt(join(folder, name), () => this.#judge(folder, name));
      });
    }
  }

  /** What is refused is said again only when something else is the matter with it, or something was in between. */
  async #attempt(path: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      const line = `${path} is refused, and nothing changes: ${reasonOf(error)}`;
      if (this.#told.get(path) === line) return;
      this.#told.set(path, line);
      counter('enjeu_regulations_refused_total', 'Regulation files that were refused while the service ran.').inc();
      this.#options.logger.error(line);
    }
  }

  async #judge(folder: string, name: string): Promise<void> {
    const path = join(folder, name);
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    const state = `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
    if (this.#judged.get(path) === state) return;
    const text = await readFile(path, 'utf8');
    if (this.#stopped) return;
    this.#judged.set(path, state);
    for (const regulation of readRegulations([{ name, text }], mechanicFaults)) this.#take(regulation);
    this.#told.delete(path);
  }

  #take(regulation: Regulation): void {
    const known = this.#byId.get(regulation.id);
    if (known !== undefined && isSameRegulation(known, regulation)) return;
    if (known !== undefined) {
      throw new RegulationError([
        `${regulation.id} is known with another content, which stays as it is; a change is a new version under a new id`,
      ]);
    }
    for (const take of this.#followers) take(regulation);
    this.#byId.set(regulation.id, regulation);
    this.#loaded = loadedOf([...this.#byId.values()], this.#folders.join(':'));
    this.#count();
    this.#options.logger.log(`the regulation ${regulation.id} is new and was taken`);
  }

  #count(): void {
    gauge('enjeu_regulations', 'Regulations that the service knows.').set(this.#byId.size);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof RegulationError ? error.faults.join('; ') : oneLine(error);
}
