// Runs before every npm script that needs the tree ready, on whatever Node the machine has (20.19 or newer):
// installs what the lockfile names and builds what has changed. Each is skipped when its stamp is fresh.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = import.meta.dirname;
const stamps = join(root, 'node_modules', '.enjeu');
const installStamp = join(stamps, 'installed');
const buildStamp = join(root, 'dist', '.built');

function digestOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function npm(args) {
  const cli = process.env.npm_execpath;
  const node = process.env.npm_node_execpath ?? process.execPath;
  const run = cli
    ? spawnSync(node, [cli, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) {
    console.error(`enjeu: \`npm ${args.join(' ')}\` failed; its own message stands above.`);
    process.exit(1);
  }
}

function install() {
  const wanted = digestOf(join(root, 'package-lock.json'));
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === wanted) return;
  console.log('enjeu: installing packages (once per lockfile, about half a minute) …');
  npm(['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']);
  mkdirSync(stamps, { recursive: true });
  writeFileSync(installStamp, wanted);
}

/** Names, sizes and times of every source: a removed file counts as a change too. */
function sourcesDigest() {
  const hash = createHash('sha256');
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else {
        const { size, mtimeMs } = statSync(path);
        hash.update(`${path} ${size} ${mtimeMs}\n`);
      }
    }
  };
  for (const folder of ['apps', 'libs', 'bench']) walk(join(root, folder));
  for (const file of ['package.json', '.swcrc', 'package-lock.json']) hash.update(digestOf(join(root, file)));
  return hash.digest('hex');
}

/** Builds into a fresh folder that is swapped in at the end: a running platform never sees half a build. */
function build() {
  const wanted = sourcesDigest();
  if (existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === wanted) return;
  console.log('enjeu: building …');
  const fresh = join(root, `dist.${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  npm(['run', '--silent', 'build', '--', '-d', fresh]);
  writeFileSync(join(fresh, '.built'), wanted);
  const old = join(root, `dist.old.${process.pid}`);
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(fresh, join(root, 'dist'));
  rmSync(old, { recursive: true, force: true });
}

install();
build();
