import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensureDatabase } from '../../apps/enjeu/src/embedded/databases.ts';
import { freePort } from '../../apps/enjeu/src/embedded/ports.ts';
import type { RunningPlatform } from '../../apps/enjeu/src/running-platform.ts';

const ENTRY = fileURLToPath(new URL('./main.js', import.meta.url));
const READY_PATIENCE_MS = 30_000;

export interface Baseline {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts the baseline as a process of its own, on the platform's PostgreSQL and with the platform's tokens. */
export async function startBaseline(platform: RunningPlatform, superuserUrl: string): Promise<Baseline> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--enable-source-maps', ENTRY], {
    env: {
      ...process.env,
      PORT: String(port),
      ENJEU_DATABASE_URL: await ensureDatabase(superuserUrl, 'baseline'),
      ENJEU_OIDC_ISSUER: platform.identityUrl,
      ENJEU_OIDC_AUDIENCE: 'enjeu',
      ENJEU_SERVICE_TOKEN: platform.serviceToken,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill()) await ended;
  };
  for (const deadline = performance.now() + READY_PATIENCE_MS; performance.now() < deadline; await pause(50)) {
    const ready = await fetch(`${url}/health/ready`).catch(() => null);
    if (ready?.ok) return { url, pid: child.pid ?? 0, stop };
    if (child.exitCode !== null) break;
  }
  await stop();
  throw new Error('the baseline did not start');
}
