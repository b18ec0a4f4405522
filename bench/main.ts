import { cpus, totalmem } from 'node:os';
import { benchBlocks } from './blocks.ts';
import { benchFairness } from './fairness.ts';
import { benchMechanics } from './mechanics.ts';
import { benchPlays } from './plays.ts';
import { benchScripts } from './scripts.ts';
import { benchStart } from './start.ts';

const BENCHES: Record<string, (args: readonly string[]) => Promise<void>> = {
  plays: benchPlays,
  start: benchStart,
  blocks: benchBlocks,
  fairness: benchFairness,
  mechanics: benchMechanics,
  scripts: benchScripts,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench) {
  const startedAt = performance.now();
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
  );
  await bench(args);
  console.log(`\ntook ${Math.round((performance.now() - startedAt) / 1000)} s`);
} else {
  console.error(
    `bench: say which: npm run bench -- ${Object.keys(BENCHES).join(' | ')} [--quick] [--bus postgres|kafka]`,
  );
  process.exitCode = 2;
}
