import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { SourceRecord } from '#event-sourcing';
import { problemOf, TestGateway } from './test-gateway.ts';

let running: TestGateway;
let token: string;

beforeEach(async () => {
  running = await new TestGateway().start();
  ({ token } = await running.player());
});

afterEach(() => running.stop());

const get = (path: string, options = {}) => running.call('GET', path, options);
const sale = (status: 'open' | 'suspended' | 'closed', notice: { fr: string; en: string } | null = null) => ({
  game: 'sudoku',
  stakeCents: 100,
  regulation: 'sudoku@2009-01-26',
  status,
  notice,
});

describe('games', () => {
  test('REG-3.1, REG-6.1: a game is shown with its table, totals, return, opening date and references, without a token', async () => {
    running.issuance.sales = [sale('open')];
    const { status, body } = await get('/api/v1/games/sudoku');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      game: 'sudoku',
      regulation: 'sudoku@2009-01-26',
      opensOn: '2009-02-05',
      notice: null,
      modes: [],
      blockSize: 1_280_000,
    });
    expect(body.references.length).toBeGreaterThan(0);
    expect(body.stakes.map(({ stakeCents, status }: never) => [stakeCents, status])).toEqual([
      [50, 'not-open'],
      [100, 'open'],
      [200, 'not-open'],
    ]);
    expect(body.stakes[1]).toMatchObject({ prizes: 331_043, totalCents: 90_000_000, returnRate: 0.703125 });
    expect(body.stakes[1].rows[0]).toEqual({ count: 1, prizeCents: 900_000 });
    expect(body.stakes[1].winRate).toBeCloseTo(331_043 / 1_280_000, 12);
    expect((await get('/api/v1/games')).body.items.map(({ game }: { game: string }) => game)).toEqual([
      'pharaon',
      'sudoku',
    ]);
    expect(problemOf(await get('/api/v1/games/chess'))).toBe('404 game-unknown');
    expect(problemOf(await get('/api/v1/games/__proto__'))).toBe('404 game-unknown');
  });

  test('REG-1.1: a suspended sale shows its notice at once, and an open one none', async () => {
    running.issuance.sales = [sale('open')];
    expect((await get('/api/v1/games/sudoku')).body.notice).toBeNull();
    const notice = { fr: 'Vente suspendue', en: 'Sale suspended' };
    const record = (type: string, body: object) =>
      ({ source: 'issuance', type, schemaVersion: 1, body }) as SourceRecord;
    const { status: _, ...event } = sale('suspended', notice);
    running.bus.bring(record('SaleSuspended', event));
    const suspended = (await get('/api/v1/games/sudoku')).body;
    expect(suspended.notice).toEqual(notice);
    expect(suspended.stakes[1]).toMatchObject({ status: 'suspended', notice });
    running.bus.bring(record('SaleResumed', { ...event, notice: null }));
    expect((await get('/api/v1/games/sudoku')).body).toMatchObject({ notice: null });
  });

  test('while issuance is away the sale is as it was last known, and unknown where nothing is', async () => {
    running.issuance.misbehaves = 'fails';
    expect((await get('/api/v1/games/sudoku')).body.stakes[1].status).toBe('unknown');
    running.issuance.misbehaves = null;
    running.issuance.sales = [sale('open')];
    expect((await get('/api/v1/games/sudoku')).body.stakes[1].status).toBe('open');
    running.issuance.misbehaves = 'fails';
    running.bus.interrupt();
    expect((await get('/api/v1/games/sudoku')).body.stakes[1].status).toBe('open');
  });

  test('a regulation is served as the canonical bytes that its digest is of', async () => {
    const { status, text, headers } = await get('/api/v1/regulations/sudoku@2009-01-26');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(text.startsWith('{"blockSize":1280000,"errata":[')).toBe(true);
    expect(createHash('sha256').update(text).digest('hex')).toMatch(/^[0-9a-f]{64}$/);
    expect((await get('/api/v1/regulations/general%402001-04-05')).body).toMatchObject({ id: 'general@2001-04-05' });
    expect(problemOf(await get('/api/v1/regulations/sudoku@2030-01-01'))).toBe('404 regulation-unknown');
  });
});

describe('the account', () => {
  test('REG-5.1: says which regulations have still to be accepted, and accepts them', async () => {
    const me = () => get('/api/v1/me', { token });
    const all = ['general@2001-04-05', 'pharaon@2008-12-17', 'sudoku@2009-01-26'];
    expect((await me()).body.missing).toEqual(all);
    for (const regulation of all) {
      const accepted = await running.call('POST', '/api/v1/acceptances', { token, body: { regulation } });
      expect([accepted.status, accepted.body]).toEqual([200, { regulation }]);
    }
    const { body } = await me();
    expect(body.missing).toEqual([]);
    expect(body.accepted.map(({ regulation }: { regulation: string }) => regulation)).toEqual(all);
  });

  test('one key on two routes is refused 422', async () => {
    const key = randomUUID();
    await running.place(token, { key });
    const answer = await running.call('POST', '/api/v1/acceptances', {
      token,
      headers: { 'idempotency-key': key },
      body: { regulation: 'general@2001-04-05' },
    });
    expect(problemOf(answer)).toBe('422 idempotency-key-reused');
  });

  test('an acceptance of nothing that exists, or under a bad key, is refused before the wallet is asked', async () => {
    const accept = (regulation: string, headers = {}) =>
      running.call('POST', '/api/v1/acceptances', { token, body: { regulation }, headers });
    expect(problemOf(await accept('sudoku@2030-01-01'))).toBe('404 regulation-unknown');
    expect(problemOf(await accept('nonsense'))).toBe('400 body-invalid');
    expect(problemOf(await accept('general@2001-04-05', { 'idempotency-key': 'x' }))).toBe(
      '400 idempotency-key-invalid',
    );
    expect(running.wallet.askedFor('/acceptances')).toEqual([]);
  });

  test('opening takes no body', async () => {
    const empty = await running.call('POST', '/api/v1/accounts', { token, body: {} });
    expect(empty.status).toBe(200);
    for (const body of [{ subject: 'somebody else' }, [], 'x']) {
      expect(problemOf(await running.call('POST', '/api/v1/accounts', { token, body }))).toBe('400 body-invalid');
    }
  });
});

describe('the wallet', () => {
  const entry = (position: number) => ({
    position,
    type: position % 2 === 0 ? ('PrizeCredited' as const) : ('StakeDebited' as const),
    playId: randomUUID(),
    amountCents: position % 2 === 0 ? 200 : -100,
    availableCents: 5_000 + position,
    reason: null,
    at: '2009-02-05T12:00:00.000Z',
  });

  test('shows the balances', async () => {
    expect((await get('/api/v1/wallet', { token })).body).toEqual({
      availableCents: 4_850,
      reservedCents: 0,
      currency: 'EUR',
    });
  });

  test('shows the statement page by page, with opaque cursors', async () => {
    running.wallet.entries = Array.from({ length: 5 }, (_, n) => entry(9 - n));
    const first = (await get('/api/v1/wallet/entries?limit=3', { token })).body;
    expect(first.items).toHaveLength(3);
    expect(first.items[0]).toEqual({
      type: 'stake',
      playId: running.wallet.entries[0]?.playId,
      amountCents: -100,
      availableCents: 5_009,
      reason: null,
      at: '2009-02-05T12:00:00.000Z',
    });
    const second = (await get(`/api/v1/wallet/entries?limit=3&cursor=${first.next}`, { token })).body;
    expect(second.items.map(({ availableCents }: { availableCents: number }) => availableCents)).toEqual([
      5_006, 5_005,
    ]);
    expect(second.next).toBeNull();
    const foreign = Buffer.from('entries 77').toString('base64url');
    expect(problemOf(await get(`/api/v1/wallet/entries?cursor=${foreign}`, { token }))).toBe('400 bad-request');
  });

  test('gives the whole statement as CSV, by the parameter or by Accept, whatever its length', async () => {
    const reason = 'a "special",\nreason';
    running.wallet.entries = [
      ...Array.from({ length: 501 }, (_, n) => entry(600 - n)),
      { ...entry(7), type: 'AccountAdjusted', playId: null, reason },
    ];
    const byParameter = await get('/api/v1/wallet/entries?format=csv', { token });
    const byHeader = await get('/api/v1/wallet/entries', { token, headers: { accept: 'text/csv' } });
    expect(byHeader.text).toBe(byParameter.text);
    expect(byParameter.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const lines = byParameter.text.split('\r\n');
    expect(lines).toHaveLength(504);
    expect(lines[0]).toBe('at,type,playId,amountCents,availableCents,reason');
    expect(lines[1]).toBe(`2009-02-05T12:00:00.000Z,prize,${running.wallet.entries[0]?.playId},200,5600,`);
    expect(
      byParameter.text.endsWith('2009-02-05T12:00:00.000Z,adjustment,,-100,5007,"a ""special"",\nreason"\r\n'),
    ).toBe(true);
    expect(running.wallet.asked.every(({ query }) => Number(query.get('limit') ?? 0) <= 200)).toBe(true);
  });

  test('a statement that cannot be read is a problem, and one that breaks off is cut, not ended', async () => {
    running.wallet.entries = Array.from({ length: 401 }, (_, n) => entry(600 - n));
    await get('/api/v1/me', { token });
    running.wallet.misbehaves = 'fails';
    expect(problemOf(await get('/api/v1/wallet/entries?format=csv', { token }))).toBe('503 wallet-away');
    running.wallet.misbehaves = null;
    const whole = running.wallet.answer.bind(running.wallet);
    running.wallet.answer = (asked) => {
      if (asked.query.has('before')) running.wallet.misbehavesAfter = 'fails';
      return whole(asked);
    };
    await expect(get('/api/v1/wallet/entries?format=csv', { token })).rejects.toThrow();
    expect(problemOf(await get('/api/v1/wallet/entries?format=xml', { token }))).toBe('400 bad-request');
  });
});

describe('blocks and keys', () => {
  const commitment = (entry: number) => ({ format: 'enjeu-commitment/1', entry, blockId: randomUUID() });

  test('the list of commitments is public, in order from entry 0, page by page', async () => {
    running.issuance.blocks = [0, 1, 2, 3, 4].map(commitment);
    const first = (await get('/api/v1/blocks?limit=3')).body;
    const second = (await get(`/api/v1/blocks?limit=3&cursor=${first.next}`)).body;
    expect([...first.items, ...second.items]).toEqual(running.issuance.blocks);
    expect(second.next).toBeNull();
  });

  test('one block is shown as it was signed; an unknown one is 404, and issuance away 503', async () => {
    const block = commitment(0);
    running.issuance.blocks = [block];
    expect((await get(`/api/v1/blocks/${block.blockId}`)).body).toEqual({
      commitment: block,
      opening: null,
      status: 'open',
      sold: 3,
    });
    expect(problemOf(await get(`/api/v1/blocks/${randomUUID()}`))).toBe('404 block-unknown');
    expect(problemOf(await get('/api/v1/blocks/nonsense'))).toBe('404 block-unknown');
    running.issuance.misbehaves = 'hangs';
    expect(problemOf(await get('/api/v1/blocks'))).toBe('503 issuance-away');
  });

  test('the keys are served at the root, and what the file held before while it is broken', async () => {
    expect((await get('/.well-known/enjeu-keys.json')).body).toEqual({ keys: [] });
    writeFileSync(running.keysFile, 'broken');
    expect((await get('/.well-known/enjeu-keys.json')).body).toEqual({ keys: [] });
  });
});

describe('the description of the API', () => {
  test('names every route, with its problems', async () => {
    const { body } = await get('/api/docs-json');
    expect(body.openapi).toBe('3.1.0');
    expect(Object.keys(body.paths).sort()).toEqual([
      '/.well-known/enjeu-keys.json',
      '/api/v1/acceptances',
      '/api/v1/accounts',
      '/api/v1/blocks',
      '/api/v1/blocks/{id}',
      '/api/v1/games',
      '/api/v1/games/{game}',
      '/api/v1/me',
      '/api/v1/plays',
      '/api/v1/plays/last',
      '/api/v1/plays/{id}',
      '/api/v1/plays/{id}/receipt',
      '/api/v1/plays/{id}/seen',
      '/api/v1/regulations/{id}',
      '/api/v1/wallet',
      '/api/v1/wallet/entries',
    ]);
    const { post } = body.paths['/api/v1/plays'];
    expect(Object.keys(post.responses)).toEqual(
      expect.arrayContaining(['201', '202', '400', '401', '403', '404', '409', '422', '503']),
    );
    expect(post.responses['409'].description).toContain('balance-too-low');
    expect(post.requestBody.content['application/json'].schema.$ref).toBe('#/components/schemas/PlaceablePlay');
  });

  test('is shown at /api/docs', async () => {
    const { status, text } = await get('/api/docs');
    expect(status).toBe(200);
    expect(text).toContain('swagger-ui');
  });
});
