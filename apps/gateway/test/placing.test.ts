import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DELAYED_MS, PEER_TIMEOUT_MS, problemOf, TestGateway, WAIT_MS, won } from './test-gateway.ts';

let running: TestGateway;
let token: string;

beforeEach(async () => {
  running = await new TestGateway().start();
  ({ token } = await running.player());
});

afterEach(() => running.stop());

const debited = () => running.world.debits.length;

describe('a play that is settled in time', () => {
  test('is answered 201 with its outcome and address', async () => {
    const answer = await running.place(token);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/api/v1/plays/${answer.body.playId}`);
    expect(answer.body).toEqual({
      playId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
      game: 'sudoku',
      regulation: 'sudoku@2009-01-26',
      stakeCents: 100,
      mode: null,
      status: 'lost',
      prizeCents: 0,
      blockId: '01920000-0000-7000-8000-00000000b10c',
      unitIndex: 8,
      mechanic: 'sudoku/1',
      script: null,
      reason: null,
      placedAt: '2009-02-05T12:00:00.000Z',
      settledAt: '2009-02-05T12:00:00.000Z',
      seenAt: null,
    });
  });

  test('is answered when its prize has been credited, so that the balance read next includes it', async () => {
    running.world.fate = 'won';
    expect((await running.place(token)).body).toMatchObject({ status: 'won', prizeCents: 200 });
  });

  test('whose prize is not credited in time is answered with the outcome alone', async () => {
    running.world.fate = 'won-unpaid';
    const started = Date.now();
    const answer = await running.place(token);
    expect([answer.status, answer.body.status]).toEqual([201, 'won']);
    expect(Date.now() - started).toBeGreaterThanOrEqual(WAIT_MS - 5);
  });

  test('that was refunded is answered 201 with its reason and no prize', async () => {
    running.world.fate = 'refused';
    expect(await running.place(token)).toMatchObject({
      status: 201,
      body: { status: 'refunded', reason: 'sale-closed', prizeCents: null, blockId: null },
    });
  });

  test('has the game’s default mode where none is given, and the one that is', async () => {
    const placed = [
      await running.place(token, { body: { game: 'pharaon', stakeCents: 50 } }),
      await running.place(token, { body: { game: 'pharaon', stakeCents: 50, mode: 'auto' } }),
    ];
    expect(placed.map(({ body }) => body.mode)).toEqual(['play', 'auto']);
  });
});

describe('a play without an outcome in time', () => {
  test('is answered 202 as pending, with the address where its outcome will stand', async () => {
    running.world.fate = 'pending';
    const answer = await running.place(token);
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'pending', prizeCents: null, blockId: null, settledAt: null },
    });
    expect(answer.headers.get('location')).toBe(`/api/v1/plays/${answer.body.playId}`);
    running.world.settle(answer.body.playId, 'won');
    expect((await running.call('GET', answer.headers.get('location') as string, { token })).body).toMatchObject({
      status: 'won',
    });
  });

  test('of which nothing has passed here is told as the wallet has it, and as it was ordered where the wallet is away', async () => {
    running.world.fate = 'pending';
    running.world.tailed = false;
    expect((await running.place(token)).body).toMatchObject({
      status: 'pending',
      placedAt: '2009-02-05T12:00:00.000Z',
    });
    const placing = running.place(token);
    await pause(WAIT_MS / 2);
    running.wallet.misbehaves = 'fails';
    expect(await placing).toMatchObject({ status: 202, body: { status: 'pending', game: 'sudoku', stakeCents: 100 } });
  });
});

describe('a repeated key', () => {
  test('is the same play, answered from its present state', async () => {
    const key = randomUUID();
    running.world.fate = 'pending';
    const first = await running.place(token, { key });
    running.world.settle(first.body.playId, 'won');
    const second = await running.place(token, { key });
    expect(second).toMatchObject({ status: 201, body: { playId: first.body.playId, status: 'won' } });
    expect(debited()).toBe(1);
  });

  test('twice at once is one play that both get', async () => {
    const key = randomUUID();
    const both = await Promise.all([running.place(token, { key }), running.place(token, { key })]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(both[0]?.body).toEqual(both[1]?.body);
    expect(debited()).toBe(1);
  });

  test('in capitals is the same key', async () => {
    const key = randomUUID();
    const first = await running.place(token, { key });
    expect((await running.place(token, { key: key.toUpperCase() })).body.playId).toBe(first.body.playId);
  });

  test('of a play whose outcome did not pass here is answered from the history', async () => {
    running.world.tailed = false;
    running.world.fate = 'pending';
    const key = randomUUID();
    const first = await running.place(token, { key });
    running.catchUp(() => won);
    const started = Date.now();
    expect(await running.place(token, { key })).toMatchObject({
      status: 201,
      body: { playId: first.body.playId, status: 'won' },
    });
    expect(Date.now() - started).toBeLessThan(WAIT_MS);
  });

  test('that neither memory nor history can answer is pending again, with the same address', async () => {
    running.world.tailed = false;
    running.world.fate = 'pending';
    const key = randomUUID();
    const first = await running.place(token, { key });
    running.history.misbehaves = 'fails';
    expect(await running.place(token, { key })).toMatchObject({
      status: 202,
      body: { playId: first.body.playId, status: 'pending' },
    });
  });

  test('with another body is refused 422 and nothing is debited', async () => {
    const key = randomUUID();
    await running.place(token, { key });
    const other = await running.place(token, { key, body: { game: 'sudoku', stakeCents: 200 } });
    expect(problemOf(other)).toBe('422 idempotency-key-reused');
    expect(debited()).toBe(1);
  });

  test('with the same members in another order is the same request', async () => {
    const key = randomUUID();
    const first = await running.place(token, { key, body: { stakeCents: 50, game: 'pharaon', mode: 'auto' } });
    const second = await running.place(token, { key, body: { mode: 'auto', game: 'pharaon', stakeCents: 50 } });
    expect(second.body.playId).toBe(first.body.playId);
  });

  test('of a refused stake is refused again', async () => {
    running.world.decision = { kind: 'refused', reason: 'balance-too-low', detail: '' };
    const key = randomUUID();
    expect(problemOf(await running.place(token, { key }))).toBe('409 balance-too-low');
    running.world.decision = null;
    expect(problemOf(await running.place(token, { key }))).toBe('409 balance-too-low');
  });
});

describe('a refusal', () => {
  test.each([
    ['sale-not-open', '', {}],
    ['sale-suspended', '{"fr":"arrêt","en":"stop"}', { notice: { fr: 'arrêt', en: 'stop' } }],
    ['sale-closed', '', { notice: null }],
    ['regulation-not-accepted', 'general@2001-04-05', { regulation: 'general@2001-04-05' }],
    ['balance-too-low', '', {}],
    ['account-unknown', '', {}],
  ] as const)('REG-1.1, REG-5.1: %s is a 409 that says what it takes', async (reason, detail, members) => {
    running.world.decision = { kind: 'refused', reason, detail };
    const answer = await running.place(token);
    expect(problemOf(answer)).toBe(`409 ${reason}`);
    expect(answer.body).toMatchObject(members);
  });

  test('a stake that could not be decided is a 503 with Retry-After, and nothing is waited for', async () => {
    running.world.decision = { kind: 'failed', detail: '' };
    const answer = await running.place(token);
    expect(problemOf(answer)).toBe('503 stake-failed');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(running.gateway?.outcomes.waiting).toBe(0);
  });

  test('REG-2.2: a stake, mode or game that does not exist is refused before the wallet is asked', async () => {
    const bodies = [
      [{ game: 'sudoku', stakeCents: 75 }, '400 stake-unknown'],
      [{ game: 'sudoku', stakeCents: 100, mode: 'auto' }, '400 mode-unknown'],
      [{ game: 'pharaon', stakeCents: 100, mode: 'dream' }, '400 mode-unknown'],
      [{ game: 'chess', stakeCents: 100 }, '404 game-unknown'],
    ] as const;
    for (const [body, problem] of bodies) expect(problemOf(await running.place(token, { body }))).toBe(problem);
    expect(running.wallet.askedFor('/stakes')).toEqual([]);
  });

  test('a key that is missing or no UUID is refused before the wallet is asked', async () => {
    for (const headers of [
      {},
      { 'idempotency-key': '' },
      { 'idempotency-key': 'abc' },
      { 'idempotency-key': `${randomUUID()}, ${randomUUID()}` },
    ]) {
      const answer = await running.call('POST', '/api/v1/plays', {
        token,
        headers,
        body: { game: 'sudoku', stakeCents: 100 },
      });
      expect(problemOf(answer)).toBe('400 idempotency-key-invalid');
    }
    expect(running.wallet.askedFor('/stakes')).toEqual([]);
  });
});

describe('no word from the wallet', () => {
  test.each(['hangs', 'fails', 'resets'] as const)(
    'that %s is 503 outcome-unknown, and the same key settles it',
    async (how) => {
      // Who the caller is has to be known already: without it nothing is asked at all.
      await running.place(token);
      running.wallet.misbehaves = how;
      const key = randomUUID();
      const answer = await running.place(token, { key });
      expect(problemOf(answer)).toBe('503 outcome-unknown');
      expect(answer.headers.get('retry-after')).toBe('1');
      running.wallet.misbehaves = null;
      expect(await running.place(token, { key })).toMatchObject({ status: 201, body: { status: 'lost' } });
      expect(debited()).toBe(2);
    },
  );

  test('after it has debited: the outcome that passes is the answer', async () => {
    await running.place(token);
    running.wallet.misbehavesAfter = 'resets';
    expect(await running.place(token)).toMatchObject({ status: 201, body: { status: 'lost' } });
    expect(debited()).toBe(2);
  });

  test('after it has debited, with nothing passing here: 503, and the same key finds the play', async () => {
    await running.place(token);
    running.world.tailed = false;
    running.wallet.misbehavesAfter = 'resets';
    const key = randomUUID();
    expect(problemOf(await running.place(token, { key }))).toBe('503 outcome-unknown');
    running.wallet.misbehavesAfter = null;
    running.catchUp(() => won);
    expect(await running.place(token, { key })).toMatchObject({ status: 201, body: { status: 'won' } });
    expect(debited()).toBe(2);
  });

  test('in time: 503 when the wait is over, and what the wallet decides afterwards is not lost', async () => {
    await running.place(token);
    const released = Promise.withResolvers<void>();
    running.wallet.before = released.promise;
    const started = Date.now();
    const key = randomUUID();
    expect(problemOf(await running.place(token, { key }))).toBe('503 outcome-unknown');
    expect(Date.now() - started).toBeLessThan(PEER_TIMEOUT_MS);
    running.world.fate = 'pending';
    released.resolve();
    running.wallet.before = null;
    expect(await running.place(token, { key })).toMatchObject({ status: 202, body: { status: 'pending' } });
    expect([debited(), running.gateway?.outcomes.waiting]).toEqual([2, 1]);
  });

  test('an answer that is not one decision a stake is no word', async () => {
    await running.place(token);
    running.wallet.answer = () => ({ body: { decisions: [] } });
    expect(problemOf(await running.place(token))).toBe('503 outcome-unknown');
  });
});

describe('outcomes that do not come', () => {
  test('REG-4.2: after a while new stakes are refused before the debit, and his own pending play is named to its player', async () => {
    running.world.fate = 'pending';
    await running.place(token);
    await pause(DELAYED_MS);
    const other = await running.player();
    const refused = await running.place(other.token);
    expect(problemOf(refused)).toBe('503 outcomes-delayed');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(problemOf(await running.place(token))).toBe('503 play-pending');
    expect(debited()).toBe(1);
  });

  test('when they come again everybody may stake again', async () => {
    running.world.fate = 'pending';
    const { body } = await running.place(token);
    await pause(DELAYED_MS);
    running.world.settle(body.playId, 'lost');
    running.world.fate = 'lost';
    expect((await running.place(token)).status).toBe(201);
  });

  test('a player whose play waits stops nobody else while outcomes come', async () => {
    running.world.fate = 'pending';
    await running.place(token);
    running.world.fate = 'lost';
    const other = await running.player();
    expect((await running.place(other.token)).status).toBe(201);
    await pause(DELAYED_MS);
    expect((await running.place(other.token)).status).toBe(201);
    expect(problemOf(await running.place(token))).toBe('503 play-pending');
  });

  test('an outcome that was missed is found in the history when the tail was interrupted', async () => {
    running.world.fate = 'pending';
    const placing = running.place(token);
    await pause(WAIT_MS / 3);
    running.catchUp(() => won);
    running.bus.interrupt();
    expect(await placing).toMatchObject({ status: 201, body: { status: 'won' } });
  });
});

test('stakes of many players at once are passed on in few calls', async () => {
  const players = await Promise.all(Array.from({ length: 40 }, () => running.player()));
  for (const player of players) await running.call('GET', '/api/v1/me', player);
  const answers = await Promise.all(players.map((player) => running.place(player.token)));
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  expect(running.wallet.askedFor('/stakes').length).toBeLessThan(40);
  expect(new Set(running.world.debits.map((debit) => debit.playerId)).size).toBe(40);
});
