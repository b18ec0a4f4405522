import { setTimeout as pause } from 'node:timers/promises';
import { audit } from './audit.ts';
import { TestPlatform } from './platform.ts';

const platform = new TestPlatform();

afterAll(async () => {
  await platform.dispose();
}, 60_000);

async function state(token: string) {
  const [wallet, plays, blocks] = await Promise.all(
    ['/api/v1/wallet', '/api/v1/plays', '/api/v1/blocks'].map((path) => platform.call('GET', path, { token })),
  );
  return { wallet: wallet?.body, plays: plays?.body, blocks: blocks?.body };
}

/** Each of the six offers has a block on sale and the next one in store: from here on nothing is prepared by itself. */
async function untilStocked() {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(100)) {
    if ((await platform.call('GET', '/api/v1/blocks')).body.items.length === 12) return;
  }
  throw new Error('the next blocks were not prepared');
}

test('REG-4.2: a second start, in order or after the launcher was killed, finds everything as it was left', async () => {
  await platform.start();
  let token = await platform.token('demo-1');
  for (let n = 0; n < 5; n += 1) expect((await platform.play(token, 'sudoku', 50)).status).toBe(201);
  await untilStocked();
  const left = await state(token);
  expect(left.plays.items).toHaveLength(5);
  expect(await platform.stop()).toBe(0);

  await platform.start();
  token = await platform.token('demo-1');
  expect(await state(token)).toEqual(left);
  expect((await platform.play(token, 'pharaon', 100)).status).toBe(201);
  const afterwards = await state(token);

  // PostgreSQL outlives the launcher; the services end with it.
  await platform.killLauncher();
  await platform.start();
  expect(platform.output).toMatch(/taking over the PostgreSQL/);
  expect(await state(await platform.token('demo-1'))).toEqual(afterwards);
  expect((await audit(platform.running())).faults).toEqual([]);
  expect(await platform.stop()).toBe(0);

  await platform.start('postgres', ['--fresh']);
  expect((await state(await platform.token('demo-1'))).plays.items).toEqual([]);
}, 400_000);
