import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;
const STOP_PATIENCE_MS = 20_000;
/** A child that ran this long before it died starts again without a longer pause. */
const SETTLED_MS = 10_000;

export interface ChildSpec {
  readonly name: string;
  readonly entry: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/**
 * A service as a process of its own. It is started again whenever it dies, after a pause that grows while it keeps dying;
 * it ends by itself when the launcher is gone, since the channel between them closes.
 */
export class KeptProcess {
  #child: ChildProcess | null = null;
  #stopping = false;
  #pauseMs = FIRST_PAUSE_MS;
  #restart: NodeJS.Timeout | null = null;
  /** Times that it ended by itself. */
  deaths = 0;

  /**
   * @param say told in a line whatever a person should know
   * @param onChange told whenever its process id changes
   */
  constructor(
    readonly spec: ChildSpec,
    private readonly say: (line: string) => void,
    private readonly onChange: () => void,
  ) {}

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    const log = openSync(this.spec.logFile, 'a');
    const startedAt = performance.now();
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', '--disable-warning=TimeoutNegativeWarning', this.spec.entry],
      { detached: true, env: { ...process.env, ...this.spec.env }, stdio: ['ignore', log, log, 'ipc'] },
    );
    closeSync(log);
    this.#child = child;
    child.once('exit', (code, signal) => {
      this.#child = null;
      if (!this.#stopping) this.#died(signal ?? `exit ${code}`, performance.now() - startedAt);
      this.onChange();
    });
    this.onChange();
  }

  #died(how: string, livedMs: number): void {
    this.deaths += 1;
    if (livedMs > SETTLED_MS) this.#pauseMs = FIRST_PAUSE_MS;
    this.say(`${this.name} ended (${how}): ${this.lastWords()}; it is started again`);
    this.#restart = setTimeout(() => this.start(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** The last line that it logged, without the frame of a structured log line. */
  lastWords(): string {
    const line = readFileSync(this.spec.logFile, 'utf8').trimEnd().split('\n').at(-1) ?? '';
    try {
      return String((JSON.parse(line) as { msg?: unknown }).msg ?? line);
    } catch {
      return line || 'it said nothing';
    }
  }

  /** Whether it answers that it is ready. */
  async isReady(): Promise<boolean> {
    if (this.pid === null) return false;
    try {
      return (await fetch(`${this.spec.url}/health/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
    } catch {
      return false;
    }
  }

  /** Asks it to stop and waits; one that does not within 20 s is killed, and that is said. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#restart) clearTimeout(this.#restart);
    const child = this.#child;
    if (!child) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    const impatience = setTimeout(() => {
      this.say(`${this.name} did not stop within ${STOP_PATIENCE_MS / 1000} s and is killed`);
      child.kill('SIGKILL');
    }, STOP_PATIENCE_MS);
    await ended;
    clearTimeout(impatience);
  }
}
