import { randomUUID } from 'node:crypto';
import { problemOf, TestGateway, won } from './test-gateway.ts';

let running: TestGateway;
let token: string;

beforeEach(async () => {
  running = await new TestGateway().start();
  ({ token } = await running.player());
  await running.call('GET', '/api/v1/me', { token });
});

afterEach(() => running.stop());

const last = () => running.call('GET', '/api/v1/plays/last', { token });
const page = (query = '') => running.call('GET', `/api/v1/plays${query}`, { token });
const one = (playId: string, as = token) => running.call('GET', `/api/v1/plays/${playId}`, { token: as });

/** A play as it was debited, its outcome still to come and nothing of it in the history. */
async function pendingPlay(): Promise<string> {
  running.world.fate = 'pending';
  const { body } = await running.place(token);
  return body.playId;
}

/** Time has passed: nothing is remembered here any more. */
async function forgetful(work: () => Promise<unknown>): Promise<void> {
  running.world.tailed = false;
  await work();
  running.bus.interrupt();
}

describe('REG-4.2: the last play', () => {
  test('is the history’s newest where the wallet has debited nothing since', async () => {
    const playId = await pendingPlay();
    running.catchUp(() => ({ ...won, seenAt: '2009-02-05T12:01:00.000Z' }));
    expect(await last()).toMatchObject({
      status: 200,
      body: { playId, status: 'won', seenAt: '2009-02-05T12:01:00.000Z' },
    });
  });

  test('is the wallet’s newest debit where the history has not applied it, pending', async () => {
    await pendingPlay();
    running.catchUp(() => won);
    await forgetful(async () => {
      const newest = await pendingPlay();
      expect((await last()).body).toMatchObject({ playId: newest, status: 'pending' });
    });
  });

  test('has the outcome that has just passed here, however far the history is behind', async () => {
    const playId = await pendingPlay();
    running.world.settle(playId, 'won');
    expect((await last()).body).toMatchObject({ playId, status: 'won', prizeCents: 200 });
    running.catchUp();
    expect((await last()).body).toMatchObject({ playId, status: 'won', prizeCents: 200 });
  });

  test('has the outcome that the history knows before it has applied the debit', async () => {
    await forgetful(async () => {
      const playId = await pendingPlay();
      running.catchUp((play) => ({ ...won, walletPosition: null, playId: play.playId }));
      running.history.applied = 0;
      expect((await last()).body).toMatchObject({ playId, status: 'won' });
    });
  });

  test('of a player who has never played is 404 no-play-yet, also while the history is away', async () => {
    expect(problemOf(await last())).toBe('404 no-play-yet');
    running.history.misbehaves = 'fails';
    expect(problemOf(await last())).toBe('404 no-play-yet');
  });

  test.each(['fails', 'hangs', 'resets'] as const)(
    'while the history %s is still told where all of it passed here',
    async (how) => {
      const settled = await pendingPlay();
      running.world.settle(settled, 'lost');
      running.history.misbehaves = how;
      expect((await last()).body).toMatchObject({ playId: settled, status: 'lost' });
      const pending = await pendingPlay();
      expect((await last()).body).toMatchObject({ playId: pending, status: 'pending' });
    },
  );

  test('while the history is away is 503 history-away where its outcome may have been missed', async () => {
    await pendingPlay();
    running.bus.interrupt();
    running.history.misbehaves = 'fails';
    const answer = await last();
    expect(problemOf(answer)).toBe('503 history-away');
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('while the wallet is away is 503 wallet-away, never an older play', async () => {
    await pendingPlay();
    running.catchUp(() => won);
    running.wallet.misbehaves = 'fails';
    expect(problemOf(await last())).toBe('503 wallet-away');
  });

  test('while issuance is away is told like ever', async () => {
    const playId = await pendingPlay();
    running.issuance.misbehaves = 'hangs';
    expect((await last()).body).toMatchObject({ playId, status: 'pending' });
  });

  test('is not another player’s', async () => {
    await pendingPlay();
    const other = await running.player();
    expect(problemOf(await running.call('GET', '/api/v1/plays/last', other))).toBe('404 no-play-yet');
  });
});

describe('the history', () => {
  async function plays(count: number): Promise<string[]> {
    running.world.fate = 'lost';
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.unshift((await running.place(token)).body.playId);
    return ids;
  }

  async function allPages(limit: number): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 100; pages++) {
      const { status, body } = await page(`?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      ids.push(...body.items.map((play: { playId: string }) => play.playId));
      cursor = body.next;
    }
    return ids;
  }

  test.each([0, 1, 3, 5, 7])(
    'is whole and in order, page by page, when it has applied %p of seven plays',
    async (applied) => {
      const ids = await plays(7);
      running.catchUp(() => won);
      const positions = running.world.debits.map(({ position }) => position);
      running.history.applied = applied === 0 ? 0 : (positions.at(-applied) as number);
      for (const [playId, play] of running.history.plays) {
        if ((play.walletPosition as number) > running.history.applied) running.history.plays.delete(playId);
      }
      for (const limit of [1, 2, 3, 100]) expect(await allPages(limit)).toEqual(ids);
      const first = await page();
      expect(first.body.items.map(({ status }: { status: string }) => status)).toEqual([
        ...Array(7 - applied).fill('lost'),
        ...Array(applied).fill('won'),
      ]);
    },
  );

  test('that is far behind gives what the wallet knows, then 503 history-behind', async () => {
    const { playerId } = await running.player('far behind');
    const far = await running.issuer.token('far behind');
    running.world.fate = 'pending';
    for (let n = 0; n < 205; n++)
      running.world.debit({ playId: randomUUID(), playerId, game: 'sudoku', stakeCents: 50, mode: null });
    let cursor = '';
    for (const _ of [1, 2]) {
      const { body } = await running.call('GET', `/api/v1/plays?limit=100${cursor}`, { token: far });
      expect(body.items).toHaveLength(100);
      cursor = `&cursor=${body.next}`;
    }
    const answer = await running.call('GET', `/api/v1/plays?limit=100${cursor}`, { token: far });
    expect(problemOf(answer)).toBe('503 history-behind');
  });

  test('is 503 while the history or the wallet is away', async () => {
    await plays(1);
    running.history.misbehaves = 'fails';
    expect(problemOf(await page())).toBe('503 history-away');
    running.history.misbehaves = null;
    running.wallet.misbehaves = 'fails';
    expect(problemOf(await page())).toBe('503 wallet-away');
  });

  test('takes no cursor and no limit but its own', async () => {
    const entries = Buffer.from('entries 3').toString('base64url');
    const leadingZero = Buffer.from('plays 03').toString('base64url');
    for (const query of [
      'cursor=',
      'cursor=abc',
      `cursor=${entries}`,
      `cursor=${leadingZero}`,
      'cursor=a&cursor=b',
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=',
      'limit=-1',
      'limit=1e1',
      'limit=1&limit=2',
    ]) {
      expect([query, problemOf(await page(`?${query}`))]).toEqual([query, '400 bad-request']);
    }
  });
});

describe('one play', () => {
  test('is told from the history, from memory, or from the wallet’s debit', async () => {
    const playId = await pendingPlay();
    expect((await one(playId)).body).toMatchObject({ playId, status: 'pending' });
    running.world.settle(playId, 'won');
    expect((await one(playId)).body).toMatchObject({ status: 'won' });
    running.catchUp(() => ({ ...won, seenAt: '2009-02-05T12:01:00.000Z' }));
    expect((await one(playId)).body).toMatchObject({ status: 'won', seenAt: '2009-02-05T12:01:00.000Z' });
    await forgetful(async () => {
      const unseen = await pendingPlay();
      expect((await one(unseen)).body).toMatchObject({ playId: unseen, status: 'pending' });
    });
  });

  test('of another player, or one that does not exist, is 404 play-unknown', async () => {
    const playId = await pendingPlay();
    const other = await running.player();
    for (const state of [() => {}, () => running.catchUp(), () => running.bus.interrupt()]) {
      state();
      expect(problemOf(await one(playId, other.token))).toBe('404 play-unknown');
    }
    for (const unknown of [randomUUID(), 'nonsense', playId.toUpperCase(), '%2e%2e%2f']) {
      expect(problemOf(await one(unknown))).toBe('404 play-unknown');
    }
  });

  test('while the history is away is told only where nothing of it can have been missed', async () => {
    const known = await pendingPlay();
    let missed = '';
    await forgetful(async () => {
      missed = await pendingPlay();
    });
    running.history.misbehaves = 'fails';
    running.world.settle(known, 'lost');
    expect(problemOf(await one(missed))).toBe('503 history-away');
    expect(problemOf(await one(randomUUID()))).toBe('404 play-unknown');
    running.wallet.misbehaves = 'fails';
    expect(problemOf(await one(randomUUID()))).toBe('503 wallet-away');
  });
});

describe('marking a play as seen', () => {
  const mark = (playId: string, as = token) => running.call('POST', `/api/v1/plays/${playId}/seen`, { token: as });

  test('counts the first time, and is told with the play from then on', async () => {
    const playId = await pendingPlay();
    running.catchUp(() => won);
    expect(await mark(playId)).toMatchObject({ status: 200, body: { seenAt: '2009-02-05T12:00:00.000Z' } });
    expect((await mark(playId)).body).toEqual({ seenAt: '2009-02-05T12:00:00.000Z' });
    expect((await last()).body.seenAt).toBe('2009-02-05T12:00:00.000Z');
  });

  test('waits for the history where the outcome has only just passed', async () => {
    const playId = await pendingPlay();
    running.world.settle(playId, 'won');
    const marking = mark(playId);
    setTimeout(() => running.catchUp(() => won), 100);
    expect((await marking).status).toBe(200);
    running.history.plays.clear();
    expect(problemOf(await mark(playId))).toBe('503 history-behind');
  });

  test('is refused for a pending, an unknown and another’s play, and takes no body', async () => {
    const playId = await pendingPlay();
    expect(problemOf(await mark(playId))).toBe('409 play-not-settled');
    expect(problemOf(await mark(randomUUID()))).toBe('404 play-unknown');
    running.catchUp(() => won);
    expect(problemOf(await mark(playId, (await running.player()).token))).toBe('404 play-unknown');
    const withBody = await running.call('POST', `/api/v1/plays/${playId}/seen`, { token, body: { seenAt: 'now' } });
    expect(problemOf(withBody)).toBe('400 body-invalid');
  });
});

describe('the receipt of a play', () => {
  const receipt = (playId: string, as = token) => running.call('GET', `/api/v1/plays/${playId}/receipt`, { token: as });

  test('is what issuance has signed for the unit of the play, byte for byte', async () => {
    running.world.fate = 'won';
    const { body } = await running.place(token);
    const asked: [string, number][] = [];
    running.issuance.receiptOf = (blockId, sequence) => {
      asked.push([blockId, sequence]);
      return { z: 1, playId: body.playId, a: ['…'] };
    };
    const answer = await receipt(body.playId);
    expect(answer).toMatchObject({ status: 200, body: { playId: body.playId } });
    expect(answer.text).toBe(`{"a":["…"],"playId":"${body.playId}","z":1}`);
    expect(asked).toEqual([['01920000-0000-7000-8000-00000000b10c', 7]]);
  });

  test('is not there for a pending or a refunded play, and not for another’s', async () => {
    const pending = await pendingPlay();
    expect(problemOf(await receipt(pending))).toBe('409 play-not-settled');
    running.world.fate = 'refused';
    const refused = await running.place(token);
    expect(problemOf(await receipt(refused.body.playId))).toBe('409 play-refunded');
    const other = await running.player();
    await running.call('GET', '/api/v1/me', { token: other.token });
    expect(problemOf(await receipt(pending, other.token))).toBe('404 play-unknown');
    expect(problemOf(await receipt('none'))).toBe('404 play-unknown');
  });

  test('is 503 while issuance is away', async () => {
    const { body } = await running.place(token);
    running.issuance.misbehaves = 'resets';
    expect(problemOf(await receipt(body.playId))).toBe('503 issuance-away');
  });

  test('of another play is never answered: a 500, which is logged', async () => {
    const { body } = await running.place(token);
    running.issuance.receiptOf = () => ({ playId: randomUUID() });
    expect(problemOf(await receipt(body.playId))).toBe('500 internal-error');
  });
});
