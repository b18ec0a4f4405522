import { readFileSync } from 'node:fs';
import { sha256, toHex, utf8 } from '#fairness';
import { mechanicFaults } from '#mechanics';
import { type GameRegulation, readRegulations } from '#regulation';

/** A game's regulation as it comes with the platform. */
export function soldGame(id: string): GameRegulation {
  const name = `${id}.json`;
  const text = readFileSync(new URL(`../../regulation/data/${name}`, import.meta.url), 'utf8');
  return readRegulations([{ name, text }], mechanicFaults)[0] as GameRegulation;
}

/** A seed of its own for each number, the same for ever. */
export function seedOf(n: number): string {
  return toHex(sha256(utf8(`unit ${n}`))).slice(0, 32);
}
