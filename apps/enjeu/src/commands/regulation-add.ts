import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RegulationsResponse } from '#contracts';
import { regulationDigest } from '#fairness';
import { formatEuros } from '#money';
import { type GameRegulation, isGame, type Regulation } from '#regulation';
import { Failure } from '../failure.ts';
import type { Command } from '../main.ts';
import { request } from '../request.ts';
import { findPlatform, ofService, type RunningPlatform } from '../running-platform.ts';
import { readRegulationFile } from './regulation-file.ts';

/** Services look into their folders every two seconds. */
const PATIENCE_MS = 20_000;
const POLL_MS = 200;
const KNOWING = ['gateway', 'wallet', 'issuance'] as const;

/**
 * Adds a game, or a new version of one, to the running platform, and resolves when its services know it. Refuses with a
 * Failure a file in which `enjeu regulation check` finds a fault, and an id that the platform has with another content.
 */
export const regulationAdd: Command = async ([file = ''], options) => {
  const { regulation, text } = readRegulationFile(file);
  const platform = findPlatform(options);
  const known = await digestAt(platform, 'gateway', regulation.id);
  if (known !== null && known !== regulationDigest(regulation)) throw otherContent(regulation.id);
  if (known === null) place(platform.regulationsFolder, regulation, text);
  await untilKnown(platform, regulation);
  console.log(`${regulation.id} ${known === null ? 'was added' : 'was there already, with the same content'}`);
  for (const line of whatNext(regulation)) console.log(line);
};

function otherContent(id: string): Failure {
  return new Failure(
    `the platform has ${id} with another content, and that never changes; give the new version a signedOn of its own, and with it an id`,
  );
}

/** The file is there whole or not at all, and one that is there already is never written over. */
function place(folder: string, regulation: Regulation, text: string): void {
  const target = join(folder, `${regulation.id}.json`);
  const fresh = `${target}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { flush: true });
    linkSync(fresh, target);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new Failure(`${target} cannot be written (${code ?? message})`);
    if (readFileSync(target, 'utf8') !== text) {
      throw new Failure(`${target} is there already and holds something else; look at it, and move it away first`);
    }
  } finally {
    rmSync(fresh, { force: true });
  }
}

async function untilKnown(platform: RunningPlatform, regulation: Regulation): Promise<void> {
  const { id } = regulation;
  const digest = regulationDigest(regulation);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const digests = await Promise.all(KNOWING.map((service) => digestAt(platform, service, id).catch(() => null)));
    if (digests.some((one) => one !== null && one !== digest)) throw otherContent(id);
    const missing = KNOWING.filter((_, n) => digests[n] === null);
    if (missing.length === 0) return;
    if (Date.now() > deadline) {
      throw new Failure(
        `${id} is in ${platform.regulationsFolder}, but after ${PATIENCE_MS / 1_000} s ${missing.join(' and ')} did not know it; look at the logs`,
      );
    }
    await pause(POLL_MS);
  }
}

/** SHA-256 of the regulation's canonical bytes as this service has it, hex; null where it has none of this id. */
async function digestAt(platform: RunningPlatform, service: (typeof KNOWING)[number], id: string) {
  if (service === 'gateway') {
    const { status, body } = await request(`${platform.gatewayUrl}/api/v1/regulations/${id}`);
    if (status === 200) return regulationDigest(body);
    if (status === 404) return null;
    throw new Failure(`the gateway cannot say what it has (HTTP ${status})`);
  }
  const url = `${ofService(platform.serviceUrls, service)}/internal/v1/regulations`;
  const { body } = await request(url, { token: platform.serviceToken });
  const { regulations = [] } = body as Partial<RegulationsResponse>;
  return regulations.find((one) => one.id === id)?.digest ?? null;
}

function whatNext(regulation: Regulation): string[] {
  if (!isGame(regulation)) {
    return [`  in force  for every player before the next stake: npx enjeu accept ${regulation.id} --player PLAYER`];
  }
  return [
    ...regulation.stakes.map(({ stakeCents }) => approval(regulation, formatEuros(stakeCents))),
    ...playing(regulation),
  ];
}

function approval({ id }: GameRegulation, stake: string): string {
  return `  to sell   npx enjeu emission approve ${id} ${stake} --blocks N --by NAME --by NAME`;
}

function playing({ id, game, opensOn, stakes }: GameRegulation): string[] {
  const stake = formatEuros(stakes[0]!.stakeCents);
  return [
    `  to play   npx enjeu accept ${id} --player PLAYER`,
    `            npx enjeu play ${game} ${stake} --player PLAYER`,
    `  from      ${opensOn} on`,
  ];
}
