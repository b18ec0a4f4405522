import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../apps/enjeu/src/embedded/ports.ts';
import type { RunningPlatform } from '../apps/enjeu/src/running-platform.ts';

const ENJEU = fileURLToPath(new URL('../apps/enjeu/src/main.js', import.meta.url));
const WITHOUT_SCRIPTS = new URL('./without-scripts/hooks.js', import.meta.url).href;
const READY_PATIENCE_MS = 180_000;

/** A platform started by its launcher on a data folder of its own, with the demo players that a bench needs. */
export class BenchPlatform {
  readonly data = mkdtempSync(join(tmpdir(), 'enjeu-bench-'));
  #launcher: ChildProcess | null = null;
  /** The same at each start: accounts belong to the issuer, whose address is part of its name. */
  #ports: { readonly gateway: number; readonly identity: number } | null = null;

  /** @param scripts false: services that neither render nor judge, to see what that costs */
  constructor(
    private readonly players: number,
    private readonly scripts = true,
  ) {}

  /** Milliseconds from the start of the launcher until it said that it is ready. */
  async start(bus: 'postgres' | 'kafka'): Promise<number> {
    this.#ports ??= { gateway: await freePort(), identity: await freePort() };
    const { gateway, identity } = this.#ports;
    const startedAt = performance.now();
    const launcher = spawn(process.execPath, [ENJEU, 'start', '--bus', bus], {
      env: {
        ...process.env,
        ...(this.scripts ? {} : { NODE_OPTIONS: `--import ${WITHOUT_SCRIPTS}` }),
        ENJEU_DATA: this.data,
        ENJEU_PORT: String(gateway),
        ENJEU_IDENTITY_PORT: String(identity),
        ENJEU_DEMO_PLAYERS: String(this.players),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#launcher = launcher;
    let output = '';
    for (const stream of [launcher.stdout, launcher.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    while (!/ready on the/.test(output)) {
      if (launcher.exitCode !== null || performance.now() - startedAt > READY_PATIENCE_MS) {
        throw new Error(`the platform did not start:\n${output}`);
      }
      await pause(20);
    }
    return performance.now() - startedAt;
  }

  running(): RunningPlatform {
    return JSON.parse(readFileSync(join(this.data, 'platform.json'), 'utf8'));
  }

  /** Of the server's superuser, for what a bench adds beside the platform. */
  superuserUrl(): string {
    const url = new URL(this.running().logUrls['wallet'] ?? '');
    url.username = 'enjeu';
    url.password = readFileSync(join(this.data, 'postgres', 'password'), 'utf8').trim();
    url.pathname = '/postgres';
    return url.href;
  }

  /** Process ids of everything that belongs to the platform, the launcher included. */
  pids(): Record<string, number> {
    return { launcher: this.#launcher?.pid ?? 0, ...this.running().pids };
  }

  async stop(): Promise<void> {
    const launcher = this.#launcher;
    if (!launcher || launcher.exitCode !== null) return;
    const ended = new Promise((resolve) => launcher.once('exit', resolve));
    launcher.kill('SIGINT');
    await ended;
  }

  async dispose(): Promise<void> {
    await this.stop();
    if (existsSync(this.data)) rmSync(this.data, { recursive: true, force: true });
  }
}
