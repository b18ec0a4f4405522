import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../apps/enjeu/src/embedded/ports.ts';
import type { RunningPlatform } from '../../apps/enjeu/src/running-platform.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ENJEU = join(ROOT, 'dist', 'apps', 'enjeu', 'src', 'main.js');
/** Blocks of a few units, so that a platform is ready in seconds and a block can be used up. */
export const SMALL_REGULATIONS = join(ROOT, 'test', 'fixtures', 'regulations');
const READY_PATIENCE_MS = 180_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestPlatformOptions {
  readonly bus?: 'postgres' | 'kafka';
  /** `true-size` for the two real regulations, else small ones. */
  readonly regulations?: 'true-size' | 'small';
  readonly env?: Readonly<Record<string, string>>;
}

/** A platform started as its users start it, by the launcher, on a data folder and on ports of its own. */
export class TestPlatform {
  readonly data = mkdtempSync(join(tmpdir(), 'enjeu-e2e-'));
  #launcher: ChildProcess | null = null;
  #output = '';
  #ports: { gateway: number; identity: number } | null = null;

  constructor(readonly options: TestPlatformOptions = {}) {}

  async env(): Promise<NodeJS.ProcessEnv> {
    this.#ports ??= { gateway: await freePort(), identity: await freePort() };
    return {
      ...process.env,
      NODE_OPTIONS: '',
      ENJEU_DATA: this.data,
      ENJEU_PORT: String(this.#ports.gateway),
      ENJEU_IDENTITY_PORT: String(this.#ports.identity),
      ...(this.options.regulations === 'true-size' ? {} : { ENJEU_REGULATIONS_DIR: SMALL_REGULATIONS }),
      ...this.options.env,
    };
  }

  get gatewayPort(): number {
    if (!this.#ports) throw new Error('the platform was not started yet');
    return this.#ports.gateway;
  }

  /** Resolves when the launcher says that it is ready; rejects with its output when it ends before. */
  async start(bus = this.options.bus ?? 'postgres', args: readonly string[] = []): Promise<void> {
    this.#output = '';
    const launcher = spawn(process.execPath, [ENJEU, 'start', '--bus', bus, ...args], {
      env: await this.env(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#launcher = launcher;
    const collect = (chunk: Buffer) => {
      this.#output += chunk;
    };
    launcher.stdout?.on('data', collect);
    launcher.stderr?.on('data', collect);
    await this.says(/ready on the \w+ bus/, READY_PATIENCE_MS);
  }

  get output(): string {
    return this.#output;
  }

  /** Waits until the launcher has printed this. */
  async says(words: RegExp, patienceMs = 30_000): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!words.test(this.#output)) {
      if (this.#launcher?.exitCode !== null || Date.now() > deadline) {
        throw new Error(`the launcher did not say ${words}; it said:\n${this.#output}`);
      }
      await pause(50);
    }
  }

  running(): RunningPlatform {
    return JSON.parse(readFileSync(join(this.data, 'platform.json'), 'utf8'));
  }

  /** Kills one process of the platform as a crash would. */
  kill(name: string): void {
    const pid = this.running().pids[name];
    if (!pid) throw new Error(`${name} does not run`);
    process.kill(pid, 'SIGKILL');
  }

  /** Resolves when the process runs again under another number and answers that it is ready. */
  async revived(name: string, oldPid: number): Promise<void> {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(100)) {
      const { pids, serviceUrls, gatewayUrl, identityUrl } = this.running();
      if (!pids[name] || pids[name] === oldPid) continue;
      const url = { ...serviceUrls, gateway: gatewayUrl, identity: identityUrl }[name];
      if (!url) return;
      const ready = await fetch(`${url}/health/ready`).catch(() => null);
      if (ready?.ok) return;
    }
    throw new Error(`${name} did not come back; the launcher said:\n${this.#output}`);
  }

  /** Stops it as Ctrl-C does, and gives the exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGINT');
  }

  /** Kills the launcher as a crash would: nothing of it is stopped in order. */
  async killLauncher(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const launcher = this.#launcher;
    if (!launcher || launcher.exitCode !== null || launcher.signalCode !== null) return launcher?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => launcher.once('exit', (code) => resolve(code)));
    launcher.kill(signal);
    return ended;
  }

  /** Ends whatever still runs and removes the data. */
  async dispose(): Promise<void> {
    await this.stop();
    const postmaster = join(this.data, 'postgres', 'cluster', 'postmaster.pid');
    if (existsSync(postmaster)) process.kill(Number(readFileSync(postmaster, 'utf8').split('\n')[0]), 'SIGQUIT');
    rmSync(this.data, { recursive: true, force: true });
  }

  /** Runs `npx enjeu …` against this platform. */
  async enjeu(...args: string[]): Promise<Finished> {
    const child = spawn(process.execPath, [ENJEU, ...args], {
      env: await this.env(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, stdout, stderr };
  }

  async token(player: string): Promise<string> {
    const { code, stdout, stderr } = await this.enjeu('token', player);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  /** One call of the public API. */
  async call(
    method: string,
    path: string,
    { token, body, key }: { token?: string; body?: unknown; key?: string } = {},
  ) {
    const response = await fetch(`${this.running().gatewayUrl}${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the route that it called.
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as any };
  }

  play(token: string, game: string, stakeCents: number, key: string = randomUUID()) {
    return this.call('POST', '/api/v1/plays', { token, key, body: { game, stakeCents } });
  }
}
