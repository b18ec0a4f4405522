import type { Clock, SourcePosition } from '#event-sourcing';
import { Logs, playIdOf } from '../../test/records.ts';
import type { Folded } from './fold-records.ts';
import type { Play } from './play.ts';
import type { Move, PlayStore } from './play-store.ts';
import { ProjectPlays } from './project-plays.ts';

/** The tables in memory, with a database that can be away before or after it has stored. */
class MemoryStore {
  readonly at = new Map<string, SourcePosition>(
    ['wallet', 'issuance'].map((source) => [source, { source, epoch: 0, position: 0, offset: null }]),
  );
  readonly stored = new Map<string, Play>();
  readonly writes: Folded[] = [];
  fails: ('before' | 'after')[] = [];
  held: Promise<void> = Promise.resolve();

  positions = async () => new Map(this.at);
  parkedKeys = async () => [];
  parked = async () => [];
  hasParked = async () => false;
  plays = async (ids: readonly string[]) =>
    new Map(ids.flatMap((id) => (this.stored.has(id) ? [[id, this.stored.get(id)!]] : [])));

  async store(moves: readonly Move[], folded: Folded): Promise<void> {
    await this.held;
    const fails = this.fails.shift();
    if (fails === 'before') throw connectionLost();
    for (const { from, ...to } of moves) {
      if (this.at.get(to.source)?.position !== from) throw Object.assign(new Error('stale'), { code: '22012' });
      this.at.set(to.source, to);
    }
    for (const play of folded.plays) this.stored.set(play.playId, play);
    this.writes.push(folded);
    if (fails === 'after') throw connectionLost();
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
}

const clock: Clock = {
  now: () => 0,
  after: (_, action) => {
    const timer = setImmediate(action);
    return () => clearImmediate(timer);
  },
};

async function projection(store: MemoryStore) {
  const retried: Error[] = [];
  const broken: Error[] = [];
  const plays = new ProjectPlays(store as unknown as PlayStore, {
    clock,
    onIncident: () => {},
    publishAgain: async () => {},
    onRetry: (error) => retried.push(error),
    onBroken: (error) => broken.push(error),
  });
  await plays.open();
  return { plays, retried, broken, wallet: plays.follower('wallet'), issuance: plays.follower('issuance') };
}

test('all that waits, of both logs, is one write', async () => {
  const store = new MemoryStore();
  const { wallet, issuance } = await projection(store);
  const logs = new Logs();
  for (let play = 1; play <= 3; play++) logs.issue(play, 200, play);
  for (let play = 1; play <= 3; play++) logs.debit(play, play);
  const first = Promise.withResolvers<void>();
  store.held = first.promise;
  const handled = [wallet.handle(logs.wallet.slice(0, 1), false)];
  await new Promise((resolve) => setImmediate(resolve));
  handled.push(issuance.handle(logs.issuance, true));
  first.resolve();
  await Promise.all(handled);
  await wallet.handle(logs.wallet.slice(1), true);
  expect(store.writes.map(({ plays }) => plays.length)).toEqual([1, 3, 2]);
});

test('a write whose answer was lost is not done again: what it stored is found stored', async () => {
  const store = new MemoryStore();
  const { wallet, plays, retried, broken } = await projection(store);
  const logs = new Logs();
  logs.debit(1);
  logs.debit(2);
  store.fails = ['after'];
  await wallet.handle(logs.wallet, true);
  expect([retried.length, broken.length, store.writes.length]).toEqual([1, 0, 2]);
  expect(store.writes[1]?.plays).toEqual([]);
  expect(plays.applied('wallet')?.position).toBe(2);
});

test('while the database is away a write is tried again without end, and nothing is handled meanwhile', async () => {
  const store = new MemoryStore();
  const { wallet, retried, broken } = await projection(store);
  const logs = new Logs();
  store.fails = Array(20).fill('before');
  await wallet.handle([logs.debit(1)], true);
  expect([retried.length, broken.length]).toEqual([20, 0]);
  expect(store.stored.get(playIdOf(1))).toMatchObject({ walletPosition: 1 });
});

test('a stop stores what was taken, and takes no more', async () => {
  const store = new MemoryStore();
  const { wallet, plays } = await projection(store);
  const logs = new Logs();
  const handled = wallet.handle([logs.debit(1)], true);
  await plays.stop();
  await handled;
  expect(store.stored.size).toBe(1);
  await expect(wallet.handle([logs.debit(2)], true)).rejects.toThrow('stopping');
});
