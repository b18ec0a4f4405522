import { once } from 'node:events';
import { delimiter } from 'node:path';
import { cents, formatEuros } from '#money';
import { ConfigError, type LoadedRegulations, loadRegulations, regulationsFolder } from '#service/files';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { dataFolderOf } from '../running-platform.ts';
import { forgetData, openDataFolder, prepareFolder } from './data-folder.ts';
import { type DemoOptions, openDemoPlayers, openDemoSales } from './demo.ts';
import { takeLauncherLock } from './launcher-lock.ts';
import { namedBrokers } from './named-brokers.ts';
import { Platform } from './platform.ts';

const DEFAULT_PORTS = { gateway: 3000, identity: 3002 };

/** Runs the platform until Ctrl-C: what is missing is set up first, what an earlier run left is found as it was. */
export async function start(_words: readonly string[], options: Options): Promise<void> {
  const startedAt = performance.now();
  tellWarnings();
  const bus = busOf(options.bus ?? process.env['ENJEU_BUS'] ?? 'postgres');
  const demoPlayers = wholeNumber('ENJEU_DEMO_PLAYERS', 20, 0, 10_000);
  const gatewayPort = wholeNumber('ENJEU_PORT', DEFAULT_PORTS.gateway, 1, 65_535);
  const identityPort = wholeNumber('ENJEU_IDENTITY_PORT', DEFAULT_PORTS.identity, 1, 65_535);
  if (gatewayPort === identityPort) {
    throw new Failure(`ENJEU_PORT and ENJEU_IDENTITY_PORT are both ${gatewayPort}; choose two ports`, 2);
  }
  const base = process.env['ENJEU_REGULATIONS_DIR'] || regulationsFolder();
  const offered = readRegulations(base, 'correct what ENJEU_REGULATIONS_DIR names');
  const brokers = bus === 'kafka' ? await namedBrokers() : null;
  const path = dataFolderOf(options);
  if (path.includes(delimiter)) {
    throw new Failure(
      `the data folder ${path} must have no ${delimiter} in its name; choose another one with --data DIR`,
      2,
    );
  }
  prepareFolder(path);
  const lock = takeLauncherLock(path);
  const stop = stopSignal();
  try {
    if (options.fresh) await forgetData(path);
    const folder = openDataFolder(path);
    const regulations = [base, folder.regulations].join(delimiter);
    readRegulations(regulations, `correct it, or move it out of ${folder.regulations}`);
    const ports = { gateway: gatewayPort, identity: identityPort };
    const platform = await Platform.start({ folder, bus, brokers, ports, demoPlayers, regulations, say, stop });
    try {
      await openDemo(platform, offered, demoPlayers, folder.serviceToken, stop);
      sayReady(platform, bus, path, performance.now() - startedAt);
      await once(stop, 'abort');
    } finally {
      say('stopping …');
      await platform.stop();
    }
  } catch (error) {
    if (!stop.aborted)
      throw isDiskFull(error) ? new Failure(`the disk that holds ${path} is full; free some space`) : error;
  } finally {
    lock.release();
  }
  say('stopped; the data stays');
}

/** What the services will read too: a fault in it is told before anything is started. */
function readRegulations(folders: string, advice: string): LoadedRegulations {
  try {
    return loadRegulations(folders);
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(`${error.message}; ${advice}`);
    throw error;
  }
}

/** What comes with the platform is on sale from the first start on; what was added only by order. */
async function openDemo(
  platform: Platform,
  { regulations, general }: LoadedRegulations,
  players: number,
  serviceToken: string,
  stop: AbortSignal,
): Promise<void> {
  const demo: DemoOptions = {
    walletUrl: platform.serviceUrl('wallet'),
    issuanceUrl: platform.serviceUrl('issuance'),
    issuer: platform.identityUrl,
    serviceToken,
    players,
    offers: regulations.flatMap(({ id, game, stakes }) =>
      stakes.map(({ stakeCents }) => ({ regulation: id, game, stakeCents })),
    ),
    regulations: [general.id, ...regulations.map(({ id }) => id)],
    onProgress: say,
    stop,
  };
  await openDemoSales(demo);
  await openDemoPlayers(demo);
}

/** As the system tells it, and as PostgreSQL does (SQLSTATE 53100). */
function isDiskFull(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === '53100' || /No space left on device/.test(message);
}

/** Node's warnings in one line each, without those that kafkajs causes by timers of the past. */
function tellWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'TimeoutNegativeWarning') console.error(`enjeu: ${name}: ${message.replaceAll(/\s*\n\s*/g, ' ')}`);
  });
}

/** Ctrl-C arrives twice, from the terminal and from npm: once or twice, it means the same orderly stop. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

function sayReady(platform: Platform, bus: string, path: string, tookMs: number): void {
  console.log(`
  gateway    ${platform.gatewayUrl}/api/v1   documented at ${platform.gatewayUrl}/api/docs
  identity   ${platform.identityUrl}
  data       ${path}
  try        npx enjeu play sudoku ${formatEuros(cents(100))} --player demo-1
`);
  say(`ready on the ${bus} bus after ${(tookMs / 1000).toFixed(1)} s; Ctrl-C stops it`);
}

function say(line: string): void {
  console.log(`enjeu: ${line}`);
}

function busOf(name: string): 'postgres' | 'kafka' {
  if (name === 'postgres' || name === 'kafka') return name;
  throw new Failure(`there is no bus ${JSON.stringify(name)}; choose postgres or kafka`, 2);
}

function wholeNumber(variable: string, preset: number, least: number, most: number): number {
  const text = process.env[variable];
  if (text === undefined || text === '') return preset;
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Failure(`${variable} is ${JSON.stringify(text)}; it must be a whole number from ${least} to ${most}`, 2);
}
