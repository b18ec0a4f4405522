import { MemoryLog } from '#event-sourcing';
import { cents } from '#money';
import type { GameRegulation } from '#regulation';
import { TINY_PRIZES, tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import { MemorySeals, openIssuance, Stakes } from '../issuance.fixture.ts';
import { RegulationsOnFile } from './on-file.ts';

const tiny = tinyRegulation();
const other = tinyRegulation({ id: 'other@2020-01-01', game: 'other' });
const [first, second] = tiny.stakes as [GameRegulation['stakes'][0], GameRegulation['stakes'][0]];
const newer = tinyRegulation({
  id: 'tiny@2021-01-01',
  signedOn: '2021-01-01',
  stakes: [second, { ...first, stakeCents: cents(300) }],
});

test('a regulation that is taken is on file as those from the beginning are', () => {
  const onFile = new RegulationsOnFile([tiny]);
  expect([onFile.find(other.id), onFile.games()]).toEqual([null, ['tiny']]);
  onFile.take(other);
  onFile.take(newer);
  expect(onFile.get(other.id)).toBe(other);
  expect(onFile.games()).toEqual(['tiny', 'other']);
  expect(onFile.newestOf('tiny')).toBe(newer);
  expect(onFile.lines().map(({ game, stakeCents }) => `${game} ${stakeCents}`)).toEqual([
    'tiny 100',
    'tiny 200',
    'other 100',
    'other 200',
    'tiny 300',
  ]);
  expect(onFile.sells({ game: 'tiny', stakeCents: cents(300) })).toBe(true);
  expect(onFile.sells({ game: 'other', stakeCents: cents(300) })).toBe(false);
});

test('what is on file stays as it is', () => {
  const onFile = new RegulationsOnFile([tiny]);
  const digest = onFile.digestOf(tiny.id);
  onFile.take(tinyRegulation({ blockSize: 40, stakes: newer.stakes }));
  expect(onFile.get(tiny.id)).toBe(tiny);
  expect(onFile.digestOf(tiny.id)).toBe(digest);
  expect(onFile.lines()).toHaveLength(2);
});

test('REG-3.1: a game that comes while issuance runs is approved, sealed and sold, its block exactly as its table says', async () => {
  const log = new MemoryLog({ logId: '0197f3c0-1234-7abc-8def-0123456789ab' });
  const issuance = await openIssuance({ log, sealed: new MemorySeals(), regulations: [tiny] });
  const order = { regulation: other.id, blocks: 1 };
  expect(await issuance.approve(order)).toMatchObject({ refused: 'regulation-unknown' });
  issuance.take(other);
  expect(await issuance.approve(order)).toEqual({ kind: 'approved' });
  await issuance.deliver(new Stakes(other).records(20));
  const units = await issuance.events('UnitIssued');
  const prizes = units.map(({ body }) => body['prizeCents'] as number).filter((prize) => prize > 0);
  expect(units).toHaveLength(20);
  expect(prizes.sort((a, b) => b - a)).toEqual(TINY_PRIZES);
  expect(await issuance.events('SaleClosed')).toHaveLength(1);
  await issuance.stop();
});
