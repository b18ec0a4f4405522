import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;
const STOP_PATIENCE_MS = 20_000;
/** A child that ran this long before it died starts again without a longer pause. */
const SETTLED_MS = 10_000;
const MOST_READ_BYTES = 16_384;

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
  /** Length of its log when it was last started. */
  #saidBefore = 0;
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
    this.#restart = null;
    const startedAt = performance.now();
    try {
      this.#saidBefore = existsSync(this.spec.logFile) ? statSync(this.spec.logFile).size : 0;
      this.#child = this.#spawn();
    } catch (error) {
      this.#died(`${(error as Error).message}`, 0);
      return;
    }
    const child = this.#child;
    const ended = (how: string) => {
      if (this.#child !== child) return;
      this.#child = null;
      if (!this.#stopping) this.#died(how, performance.now() - startedAt);
      this.onChange();
    };
    child.once('error', (error) => ended(error.message));
    child.once('exit', (code, signal) => ended(signal ?? `exit ${code}`));
    this.onChange();
  }

  #spawn(): ChildProcess {
    const log = openSync(this.spec.logFile, 'a');
    try {
      return spawn(
        process.execPath,
        ['--enable-source-maps', '--disable-warning=TimeoutNegativeWarning', this.spec.entry],
        { detached: true, env: { ...process.env, ...this.spec.env }, stdio: ['ignore', log, log, 'ipc'] },
      );
    } finally {
      closeSync(log);
    }
  }

  #died(how: string, livedMs: number): void {
    this.deaths += 1;
    if (livedMs > SETTLED_MS) this.#pauseMs = FIRST_PAUSE_MS;
    this.say(`${this.name} ended (${how}): ${this.lastWords()}; it is started again in ${this.#pauseMs / 1000} s`);
    this.#restart = setTimeout(() => this.start(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** The last line that it logged since it was started, without the frame of a structured log line or its own name. */
  lastWords(): string {
    const line = this.#lastLine();
    try {
      return String((JSON.parse(line) as { msg?: unknown }).msg ?? line);
    } catch {
      return line.replace(`enjeu ${this.name}: `, '') || 'it said nothing';
    }
  }

  #lastLine(): string {
    try {
      const { size } = statSync(this.spec.logFile);
      const from = Math.max(this.#saidBefore, size - MOST_READ_BYTES);
      const log = openSync(this.spec.logFile, 'r');
      try {
        const tail = Buffer.alloc(Math.max(0, size - from));
        readSync(log, tail, 0, tail.length, from);
        return tail.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
      } finally {
        closeSync(log);
      }
    } catch {
      return '';
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
