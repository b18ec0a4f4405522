import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  AcceptResponse,
  AccountView,
  AdjustResponse,
  DebitsResponse,
  EntriesResponse,
  FindDebitsResponse,
  OpenAccountResponse,
  StakeDecision,
  StakesResponse,
} from '#contracts';
import { GENERAL, SUDOKU } from '../test/issuance-records.ts';
import { stakeOf } from '../test/memory-wallet.ts';
import { acceptanceOf, runningWallet } from '../test/running-wallet.ts';

let wallet: Awaited<ReturnType<typeof runningWallet>>;

beforeAll(async () => {
  wallet = await runningWallet();
  const { records } = wallet.issuance;
  await wallet.issuance.append(records.sale('SaleOpened', 100), records.sale('SaleOpened', 200));
  await eventually(async () => {
    const probe = await player(100);
    expect(await debit(stakeOf(probe))).toMatchObject([{ kind: 'debited' }]);
  });
}, 60_000);
afterAll(() => wallet.close());

/** A player whose account is opened, with the regulations accepted and this much on it. */
async function player(availableCents: number): Promise<string> {
  const subject = randomUUID();
  const { body } = await wallet.post<OpenAccountResponse>('/accounts', { issuer: 'https://identity.example', subject });
  for (const regulation of [GENERAL, SUDOKU]) await accept(acceptanceOf(body.playerId, regulation));
  await wallet.post('/adjustments', {
    adjustmentId: randomUUID(),
    playerId: body.playerId,
    amountCents: availableCents,
    reason: 'demo',
  });
  return body.playerId;
}

const accept = (request: unknown) => wallet.post<AcceptResponse>('/acceptances', request);

async function debit(...stakes: unknown[]): Promise<readonly StakeDecision[]> {
  return (await wallet.post<StakesResponse>('/stakes', { stakes })).body.decisions;
}

const view = async (playerId: string) => (await wallet.get<AccountView>(`/accounts/${playerId}`)).body;

async function eventually(check: () => Promise<void>): Promise<void> {
  for (let left = 100; ; left--) {
    try {
      return await check();
    } catch (error) {
      if (left === 0) throw error;
      await pause(50);
    }
  }
}

test('an account is opened once, found by its holder, and shows what was accepted (REG-5.1)', async () => {
  const holder = { issuer: 'https://identity.example', subject: 'demo-1' };
  expect(await wallet.post('/holders/find', holder)).toMatchObject({
    status: 404,
    body: { type: 'urn:enjeu:problem:no-account' },
  });
  const opened = await wallet.post<OpenAccountResponse>('/accounts', holder);
  expect(opened).toEqual({ status: 200, body: { playerId: expect.any(String), opened: true } });
  const { playerId } = opened.body;
  expect((await wallet.post('/accounts', holder)).body).toEqual({ playerId, opened: false });
  expect((await wallet.post('/holders/find', holder)).body).toEqual({ playerId });
  expect(await accept(acceptanceOf(playerId, SUDOKU))).toEqual({ status: 200, body: { kind: 'accepted' } });
  expect(await view(playerId)).toEqual({
    playerId,
    openedAt: expect.any(String),
    availableCents: 0,
    reservedCents: 0,
    accepted: [{ regulation: SUDOKU, acceptedAt: expect.any(String) }],
    position: expect.any(Number),
  });
});

test('an acceptance is recorded once, with a key or without, and only of a regulation on record (REG-5.1)', async () => {
  const playerId = await player(0);
  const key = randomUUID();
  expect((await accept(acceptanceOf(playerId, 'pharaon@2008-12-17', key))).body).toEqual({ kind: 'accepted' });
  expect((await accept(acceptanceOf(playerId, 'pharaon@2008-12-17', key))).body).toEqual({ kind: 'accepted' });
  expect((await accept(acceptanceOf(playerId, 'pharaon@2008-12-17'))).body).toEqual({ kind: 'accepted' });
  expect((await accept(acceptanceOf(playerId, GENERAL, key))).body).toEqual({ kind: 'key-reused' });
  expect((await accept(acceptanceOf(playerId, 'sudoku@1999-01-01'))).body).toEqual({
    kind: 'refused',
    reason: 'regulation-unknown',
  });
  expect((await accept(acceptanceOf(randomUUID(), GENERAL))).body).toEqual({
    kind: 'refused',
    reason: 'account-unknown',
  });
  expect((await view(playerId)).accepted.map(({ regulation }) => regulation)).toEqual([
    GENERAL,
    SUDOKU,
    'pharaon@2008-12-17',
  ]);
});

test('a play runs from the debit to the credit, and the account tells it (REG-4.1)', async () => {
  const playerId = await player(5000);
  const [won, refused, lost] = [stakeOf(playerId), stakeOf(playerId, { stakeCents: 200 }), stakeOf(playerId)];
  expect(await debit(won, refused, lost)).toEqual([
    { kind: 'debited', playId: won.playId, repeated: false },
    { kind: 'debited', playId: refused.playId, repeated: false },
    { kind: 'debited', playId: lost.playId, repeated: false },
  ]);
  const { availableCents, position } = await view(playerId);
  expect(availableCents).toBe(4600);
  const debits = await wallet.get<DebitsResponse>(`/accounts/${playerId}/debits?above=${position - 2}&limit=10`);
  expect(debits.body).toMatchObject({ items: [{ playId: lost.playId }, { playId: refused.playId }], more: false });
  const { records, append } = wallet.issuance;
  await append(records.issued(won, 200), records.refused(refused, 'sale-closed'), records.issued(lost, 0));
  await eventually(async () => expect((await view(playerId)).availableCents).toBe(5000));
  const entries = await wallet.get<EntriesResponse>(`/accounts/${playerId}/entries?limit=2`);
  expect(entries.body.items).toMatchObject([
    { type: 'StakeRefunded', playId: refused.playId, amountCents: 200, availableCents: 5000, reason: 'sale-closed' },
    { type: 'PrizeCredited', playId: won.playId, amountCents: 200, availableCents: 4800, reason: null },
  ]);
  const next = await wallet.get<EntriesResponse>(`/accounts/${playerId}/entries?before=${entries.body.next}`);
  expect(next.body.items.map(({ type }) => type)).toEqual([...Array(3).fill('StakeDebited'), 'AccountAdjusted']);
  const found = await wallet.post<FindDebitsResponse>('/debits/find', { playIds: [won.playId, randomUUID()] });
  expect(found.body.items).toMatchObject([{ playId: won.playId, playerId, stakeCents: 100 }]);
});

test('the same key over two connections makes one play', async () => {
  const playerId = await player(5000);
  const stake = stakeOf(playerId);
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => (await debit({ ...stake, playId: randomUUID() }))[0]),
  );
  expect(new Set(answers.map((answer) => answer?.kind === 'debited' && answer.playId)).size).toBe(1);
  expect(answers.filter((answer) => answer?.kind === 'debited' && !answer.repeated)).toHaveLength(1);
  expect((await view(playerId)).availableCents).toBe(4900);
});

test('keys, balances and sales are what they were after a restart', async () => {
  const playerId = await player(5000);
  const stake = stakeOf(playerId);
  await debit(stake);
  await wallet.restart();
  expect(await debit({ ...stake, playId: randomUUID() }, stakeOf(playerId))).toMatchObject([
    { kind: 'debited', playId: stake.playId, repeated: true },
    { kind: 'debited', repeated: false },
  ]);
  expect((await view(playerId)).availableCents).toBe(4800);
}, 30_000);

test('an adjustment counts once, and its id stands for nothing else', async () => {
  const playerId = await player(0);
  const adjustment = { adjustmentId: randomUUID(), playerId, amountCents: 700, reason: 'correction' };
  const adjust = (body: unknown) => wallet.post<AdjustResponse>('/adjustments', body);
  expect((await adjust(adjustment)).body).toEqual({ kind: 'adjusted' });
  expect((await adjust(adjustment)).body).toEqual({ kind: 'repeated' });
  expect(await adjust({ ...adjustment, playerId: await player(0) })).toMatchObject({
    status: 422,
    body: { type: 'urn:enjeu:problem:key-reused' },
  });
  expect((await adjust({ ...adjustment, adjustmentId: randomUUID(), amountCents: -701 })).body).toEqual({
    kind: 'refused',
    reason: 'balance-too-low',
  });
  expect((await adjust({ ...adjustment, adjustmentId: randomUUID(), playerId: randomUUID() })).body).toEqual({
    kind: 'refused',
    reason: 'account-unknown',
  });
  expect((await view(playerId)).availableCents).toBe(700);
});

test('a stake that has not the form of one fails alone, and its key is not spent', async () => {
  const playerId = await player(5000);
  const good = stakeOf(playerId);
  const bad = [
    { ...good, stakeCents: '100' },
    { ...good, stakeCents: 0.5 },
    { ...good, stakeCents: -100 },
    { ...good, stakeCents: 2 ** 60 },
    { ...good, game: '__proto__' },
    { ...good, game: 'sudoku\u0000' },
    { ...good, mode: 'fast' },
    { ...good, playerId: playerId.toUpperCase() },
    { ...good, requestHash: 'short' },
    { ...good, idempotencyKey: undefined },
    [],
    null,
    'stake',
  ];
  const decisions = await debit(...bad, good);
  expect(decisions.map(({ kind }) => kind)).toEqual([...bad.map(() => 'failed'), 'debited']);
  expect((await view(playerId)).availableCents).toBe(4900);
});

describe('a request that is not of its form', () => {
  test.each([
    ['/stakes', {}],
    ['/stakes', { stakes: {} }],
    ['/stakes', { stakes: Array(1_001).fill(null) }],
    ['/accounts', { issuer: 'https://identity.example' }],
    ['/accounts', { issuer: 'https://identity.example', subject: 'a\u0000b' }],
    ['/accounts', { issuer: 'https://identity.example', subject: 'x'.repeat(256) }],
    ['/accounts', { issuer: 'https://identity.example', subject: 'demo-1', name: 'Ada' }],
    ['/holders/find', { issuer: ['https://identity.example'], subject: 'demo-1' }],
    ['/acceptances', { playerId: randomUUID(), regulation: SUDOKU }],
    ['/acceptances', { playerId: randomUUID(), regulation: SUDOKU, idempotencyKey: randomUUID(), requestHash: null }],
    ['/adjustments', { adjustmentId: randomUUID(), playerId: randomUUID(), amountCents: 0.5, reason: 'x' }],
    ['/adjustments', { adjustmentId: randomUUID(), playerId: randomUUID(), amountCents: 1e13, reason: 'x' }],
    ['/adjustments', { adjustmentId: randomUUID(), playerId: randomUUID(), amountCents: 100, reason: '' }],
    ['/debits/find', { playIds: ['x'] }],
    ['/debits/find', { playIds: Array.from({ length: 201 }, () => randomUUID()) }],
  ])('POST %s %# is a problem of the body', async (path, body) => {
    expect(await wallet.post(path, body)).toMatchObject({
      status: 400,
      body: { type: 'urn:enjeu:problem:body-invalid' },
    });
  });

  test.each([
    `/accounts/${randomUUID()}/entries?limit=201`,
    `/accounts/${randomUUID()}/entries?limit=0`,
    `/accounts/${randomUUID()}/entries?before=x`,
    `/accounts/${randomUUID()}/entries?before=1`,
    `/accounts/${randomUUID()}/debits?above=-1`,
    `/accounts/${randomUUID()}/debits?limit=1e2`,
  ])('GET %# is a problem of the address', async (path) => {
    expect(await wallet.get(path)).toMatchObject({ status: 400, body: { type: 'urn:enjeu:problem:bad-request' } });
  });

  test('an account that does not exist, and a body that is no JSON, are told as such', async () => {
    expect(await wallet.get(`/accounts/${randomUUID()}`)).toMatchObject({
      status: 404,
      body: { type: 'urn:enjeu:problem:no-account' },
    });
    expect(await wallet.get('/accounts/not-an-id')).toMatchObject({ status: 404 });
    expect(await wallet.postText('/stakes', '{"stakes": [')).toMatchObject({ status: 400 });
  });

  test('nobody reads an account without the service token', async () => {
    expect((await wallet.getWithoutToken(`/accounts/${randomUUID()}`)).status).toBe(401);
  });
});
