import { generateKeyPair } from 'jose';
import { problemOf, TestGateway } from './test-gateway.ts';

let running: TestGateway;

beforeEach(async () => {
  running = await new TestGateway().start();
});

afterEach(() => running.stop());

const me = (token?: string) => running.call('GET', '/api/v1/me', token === undefined ? {} : { token });
const seconds = () => Math.floor(Date.now() / 1_000);

test('a player’s token lets in who has an account; the wallet is asked once who that is', async () => {
  const { token, playerId } = await running.player();
  for (const _ of [1, 2, 3]) expect((await me(token)).body).toMatchObject({ playerId });
  expect(running.wallet.askedFor('/holders/find')).toHaveLength(1);
});

test('a token is checked once and remembered until it expires', async () => {
  await running.player('briefly');
  const brief = await running.issuer.token('briefly', { exp: seconds() + 2 });
  expect((await me(brief)).status).toBe(200);
  const asked = running.issuer.asked;
  expect((await me(brief)).status).toBe(200);
  expect(running.issuer.asked).toBe(asked);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect(problemOf(await me(brief))).toBe('401 token-refused');
});

test('no token, or something else instead of one, is 401 token-missing with its challenge', async () => {
  const answers = [await me(), await running.call('GET', '/api/v1/me', { headers: { authorization: 'Basic eDp5' } })];
  for (const answer of answers) {
    expect(problemOf(answer)).toBe('401 token-missing');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('a token that is expired, forged, from or for somebody else, or incomplete is 401 token-refused', async () => {
  await running.player('demo-1');
  const { privateKey } = await generateKeyPair('ES256');
  const good = await running.issuer.token('demo-1');
  const [head, payload] = good.split('.') as [string, string];
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const refused = [
    await running.issuer.token('demo-1', { exp: seconds() - 60 }),
    await running.issuer.token('demo-1', { exp: undefined }),
    await running.issuer.token('demo-1', { nbf: seconds() + 60 }),
    await running.issuer.token('demo-1', { iss: 'http://elsewhere' }),
    await running.issuer.token('demo-1', { aud: 'somebody else' }),
    await running.issuer.token('demo-1', { sub: undefined }),
    await running.issuer.token(''),
    await running.issuer.token('a\u0000b'),
    await running.issuer.token('x'.repeat(256)),
    await running.issuer.token('demo-1', {}, privateKey),
    `${head}.${Buffer.from('{"sub":"demo-1"}').toString('base64url')}.${good.split('.')[2]}`,
    `${none}.${payload}.`,
    'nonsense',
    'a.b.c',
  ];
  for (const token of refused) expect([token, problemOf(await me(token))]).toEqual([token, '401 token-refused']);
  expect(running.wallet.asked).toEqual([]);
});

test('an operator’s token is 403 wrong-token-kind', async () => {
  for (const kind of ['operator', undefined, ['player'], 'Player']) {
    expect(problemOf(await me(await running.issuer.token('demo-1', { kind })))).toBe('403 wrong-token-kind');
  }
});

test('a player without an account is 404 no-account until he opens one', async () => {
  const token = await running.issuer.token('somebody new');
  expect(problemOf(await me(token))).toBe('404 no-account');
  const opened = await running.call('POST', '/api/v1/accounts', { token });
  expect([opened.status, opened.body.opened]).toEqual([201, true]);
  const again = await running.call('POST', '/api/v1/accounts', { token });
  expect([again.status, again.body]).toEqual([200, { playerId: opened.body.playerId, opened: false }]);
  expect((await me(token)).body).toMatchObject({ playerId: opened.body.playerId, state: 'open' });
});

test('while the issuer is away a known token is still good, an unknown one is 503 issuer-away, and later it is good', async () => {
  const known = await running.player();
  expect((await me(known.token)).status).toBe(200);
  await running.stop();

  running = new TestGateway();
  running.issuer.away = true;
  await running.start();
  const { token } = await running.player();
  expect(problemOf(await me(token))).toBe('503 issuer-away');
  running.issuer.away = false;
  expect((await me(token)).status).toBe(200);
  running.issuer.away = true;
  expect((await me(token)).status).toBe(200);
});

test('while the wallet is away, who is not known yet gets 503 wallet-away', async () => {
  const { token } = await running.player();
  running.wallet.misbehaves = 'fails';
  expect(problemOf(await me(token))).toBe('503 wallet-away');
});

test('many calls with one new token check it once', async () => {
  const { token } = await running.player();
  const answers = await Promise.all(Array.from({ length: 20 }, () => me(token)));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(running.issuer.asked).toBeLessThanOrEqual(2);
});
