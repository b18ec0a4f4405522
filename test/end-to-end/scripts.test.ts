import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { scriptDigest, scriptsOf } from '#mechanics';
import type { GameRegulation } from '#regulation';
import { audit } from './audit.ts';
import { SMALL_REGULATIONS, TestPlatform } from './platform.ts';

const PLAYS_OF_EACH = 5;
const regulations = ['sudoku@2009-01-26', 'pharaon@2008-12-17'].map(
  (id): GameRegulation => JSON.parse(readFileSync(join(SMALL_REGULATIONS, `${id}.json`), 'utf8')),
);
const lines = regulations.flatMap((regulation) =>
  regulation.stakes.map(({ stakeCents }) => ({ regulation, stakeCents })),
);

const platform = new TestPlatform();
let token = '';

beforeAll(async () => {
  await platform.start();
  token = await platform.token('demo-1');
}, 240_000);

afterAll(async () => {
  await platform.dispose();
}, 60_000);

/** What issuance wrote of every unit that it issued, by play. */
async function unitsIssued(): Promise<Map<string, { scriptDigest: string | null; seed: string; prizeCents: number }>> {
  const client = new pg.Client({ connectionString: platform.running().logUrls['issuance'] });
  await client.connect();
  try {
    const { rows } = await client.query("select data from events where type = 'UnitIssued'");
    return new Map(rows.map(({ data }) => [data.playId, data]));
  } finally {
    await client.end();
  }
}

async function incidents(): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: platform.running().logUrls['issuance'] });
  await client.connect();
  try {
    return (await client.query("select data from events where type = 'IncidentRaised'")).rows;
  } finally {
    await client.end();
  }
}

async function played(game: string, stakeCents: number) {
  const { status, body } = await platform.play(token, game, stakeCents);
  expect(status).toBe(201);
  return body;
}

const get = async (path: string) => (await platform.call('GET', `/api/v1/plays${path}`, { token })).body;
const bytes = (play: { script: unknown }) => JSON.stringify(play.script);

test('REG-4.3: every play carries the script whose digest was issued with it, and the referee judges it to the prize', async () => {
  const plays = [];
  for (const { regulation, stakeCents } of lines) {
    for (let n = 0; n < PLAYS_OF_EACH; n += 1) plays.push(await played(regulation.game, stakeCents));
  }
  const units = await unitsIssued();
  for (const [n, play] of plays.entries()) {
    const { regulation, stakeCents } = lines[Math.floor(n / PLAYS_OF_EACH)]!;
    expect(play.script.mechanic).toBe(regulation.mechanic);
    expect(scriptDigest(play.script)).toBe(units.get(play.playId)?.scriptDigest);
    expect(scriptsOf(regulation, stakeCents).judge(play.script)).toEqual({ prizeCents: play.prizeCents });
    expect(JSON.stringify(play)).not.toContain(units.get(play.playId)?.seed);
  }
  expect(new Set(plays.map(bytes)).size).toBe(plays.length);
  expect(await incidents()).toEqual([]);
}, 120_000);

test('REG-4.2: a play is watched again exactly as it was drawn, byte for byte, also after the gateway was killed', async () => {
  const seen = new Map<string, string>();
  for (const { regulation, stakeCents } of lines) {
    const play = await played(regulation.game, stakeCents);
    expect(play.script).not.toBeNull();
    seen.set(play.playId, bytes(play));
    expect(bytes(await get('/last'))).toBe(bytes(play));
  }
  const newest = [...seen.keys()].at(-1)!;
  const old = platform.running().pids['gateway']!;
  platform.kill('gateway');
  await platform.revived('gateway', old);

  expect(await get('/last')).toMatchObject({ playId: newest });
  expect(bytes(await get('/last'))).toBe(seen.get(newest));
  const page = new Map((await get('?limit=100')).items.map((play: { playId: string }) => [play.playId, play]));
  for (const [playId, script] of seen) {
    expect(bytes(await get(`/${playId}`))).toBe(script);
    expect(bytes(page.get(playId) as { script: unknown })).toBe(script);
  }
  expect((await audit(platform.running())).faults).toEqual([]);
  expect(await incidents()).toEqual([]);
}, 240_000);
