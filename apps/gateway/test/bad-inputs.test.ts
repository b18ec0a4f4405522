import { randomUUID } from 'node:crypto';
import { badInputs, type JsonRoute, problemOf as problemIn } from '../../../test/http/bad-inputs.ts';
import { problemOf, TestGateway } from './test-gateway.ts';

let running: TestGateway;
let token: string;

beforeAll(async () => {
  running = await new TestGateway().start();
  ({ token } = await running.player());
  await running.call('GET', '/api/v1/me', { token });
});

afterAll(() => running.stop());

const key = randomUUID();

/** The only public route that takes a number. */
const plays = (): JsonRoute => ({
  path: '/api/v1/plays',
  body: { game: 'sudoku', stakeCents: 100 },
  text: 'game',
  number: 'stakeCents',
  headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
});

test.each(badInputs.map((input) => [input.name, input] as const))(
  'POST /plays with %s is a problem, and nothing is debited',
  async (_, input) => {
    const answer = await input.send(running.url, plays());
    expect([answer.status, problemIn(answer)]).toEqual([input.status, input.problem]);
    expect(running.wallet.askedFor('/stakes')).toEqual([]);
  },
);

test('after all of it the key is not spent', async () => {
  expect((await running.place(token, { key })).status).toBe(201);
});

test.each([
  ['/api/v1/acceptances', { regulation: 'general@2001-04-05' }],
  ['/api/v1/accounts', {}],
  ['/api/v1/plays/01920000-0000-7000-8000-000000000001/seen', {}],
])('POST %s takes no list, no unknown member, no doubled one and no broken JSON', async (path, body) => {
  const before = running.wallet.asked.length;
  const text = JSON.stringify(body).slice(1, -1);
  const bodies = [
    '[]',
    'null',
    '"x"',
    '7',
    '',
    '{',
    `{${text}${text && ','}"surprise":1}`,
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
    '{"a":"\\u0000"}',
  ];
  for (const bad of bodies) {
    const response = await fetch(`${running.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: bad,
    });
    const answer = {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text: await response.text(),
    };
    // A route without a body takes null as one.
    if (bad === 'null' && text === '') continue;
    expect([bad, answer.status, problemIn(answer)]).toEqual([bad, 400, 'body-invalid']);
  }
  expect(running.wallet.asked.length - before).toBeLessThanOrEqual(1);
});

test.each([
  ['GET', '/api/v1/plays?limit=x', '400 bad-request'],
  ['GET', '/api/v1/plays?cursor=%F0%9F%92%A9', '400 bad-request'],
  ['GET', '/api/v1/wallet/entries?limit=0', '400 bad-request'],
  ['GET', '/api/v1/wallet/entries?format=csv&format=json', '400 bad-request'],
  ['GET', '/api/v1/blocks?cursor=x', '400 bad-request'],
  ['GET', '/api/v1/blocks?limit=99999999999999999999', '400 bad-request'],
  ['GET', '/api/v1/games/a%00b', '400 bad-request'],
  ['GET', '/api/v1/games/%', '400 bad-request'],
  ['GET', `/api/v1/games/${'x'.repeat(5_000)}`, '404 route-unknown'],
  ['GET', '/api/v1/games/constructor', '404 game-unknown'],
  ['GET', '/api/v1/regulations/%7B%7D', '404 regulation-unknown'],
  ['GET', '/api/v1/plays/last/last', '404 route-unknown'],
  ['PUT', '/api/v1/plays', '404 route-unknown'],
  ['GET', '/internal/v1/parked', '401 token-refused'],
  ['GET', '/api/v2/plays', '404 route-unknown'],
])('%s %s is %s', async (method, path, problem) => {
  expect(problemOf(await running.call(method, path, { token }))).toBe(problem);
});
