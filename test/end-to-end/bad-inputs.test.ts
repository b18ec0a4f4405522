import { randomUUID } from 'node:crypto';
import { badInputs, type JsonRoute, problemOf } from '../http/bad-inputs.ts';
import { audit } from './audit.ts';
import { TestPlatform } from './platform.ts';

const platform = new TestPlatform();

beforeAll(async () => {
  await platform.start();
}, 240_000);

afterAll(async () => {
  await platform.dispose();
}, 60_000);

test('whatever a client sends wrongly is a problem that says so; nothing is debited and its key is not spent', async () => {
  const token = await platform.token('demo-1');
  const key = randomUUID();
  const route: JsonRoute = {
    path: '/api/v1/plays',
    body: { game: 'sudoku', stakeCents: 100 },
    text: 'game',
    number: 'stakeCents',
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
  };
  const wallet = () => platform.call('GET', '/api/v1/wallet', { token });
  const before = (await wallet()).body;
  for (const input of badInputs) {
    const answer = await input.send(platform.running().gatewayUrl, route);
    expect([input.name, answer.status, problemOf(answer)]).toEqual([input.name, input.status, input.problem]);
  }
  expect((await wallet()).body).toEqual(before);
  expect((await audit(platform.running())).stakes).toBe(0);
  const placed = await platform.play(token, 'sudoku', 100, key);
  expect(placed.status).toBe(201);
  expect((await audit(platform.running())).stakes).toBe(1);
}, 120_000);
