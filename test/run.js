// Runs every check there is, each as its own process, and closes with one line that counts them together.
// `node test/run.js unit` runs the fast part only.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const only = process.argv[2];
const report = mkdtempSync(join(tmpdir(), 'enjeu-tests-'));
const tally = { passed: 0, failed: 0 };
/** A step that hangs is a step that failed, and must not keep the others from running. */
const STEP_PATIENCE_MS = 20 * 60_000;

function step(name, command, args) {
  console.log(`\n── ${name}`);
  const started = Date.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', timeout: STEP_PATIENCE_MS });
  console.log(`── ${name}: ${status === 0 ? 'done' : 'FAILED'} in ${Math.round((Date.now() - started) / 100) / 10} s`);
  return status === 0;
}

/** A check without tests of its own counts as one. */
function check(name, command, args) {
  tally[step(name, command, args) ? 'passed' : 'failed'] += 1;
}

function jest(project) {
  const file = join(report, `${project}.json`);
  const ok = step(`${project} tests`, process.execPath, [
    '--conditions=enjeu-source',
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    project,
    // A test that failed may leave a server or a timer behind; its failure is told, and the run goes on.
    '--forceExit',
    '--json',
    `--outputFile=${file}`,
    ...(project === 'unit' ? ['--maxWorkers=2'] : ['--runInBand']),
  ]);
  let result;
  try {
    result = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    tally.failed += 1;
    return;
  }
  tally.passed += result.numPassedTests;
  const skipped = result.numPendingTests + result.numTodoTests;
  if (skipped > 0) console.log(`── ${project} tests: ${skipped} were skipped, which counts as failed`);
  // A suite that could not be loaded has no failed test of its own, and a run can fail in its teardown.
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites + skipped;
  tally.failed += ok ? failed : Math.max(1, failed);
}

const bin = (name) => join(root, 'node_modules', '.bin', name);
if (only === undefined || only === 'unit') {
  check('lint', bin('biome'), ['check', '--error-on-warnings', '.']);
  check('types', bin('tsc'), ['--noEmit']);
}
for (const project of ['unit', 'postgres', 'kafka', 'end-to-end']) {
  if (only === undefined || only === project) jest(project);
}
rmSync(report, { recursive: true, force: true });
console.log(`\n${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed === 0 && tally.passed > 0 ? 0 : 1);
