import { audit } from './audit.ts';
import { TestPlatform } from './platform.ts';
import { allPlays, untilSettled } from './traffic.ts';

const platform = new TestPlatform();

afterAll(async () => {
  await platform.dispose();
}, 60_000);

test('a platform that ran on one bus goes on with the other on the same data, there and back, nothing lost and nothing twice', async () => {
  const placed: string[] = [];
  let token = '';
  for (const bus of ['postgres', 'kafka', 'postgres', 'kafka'] as const) {
    await platform.start(bus);
    token = await platform.token('demo-1');
    for (let n = 0; n < 6; n += 1) {
      const { status, body } = await platform.play(token, n % 2 === 0 ? 'sudoku' : 'pharaon', 50);
      expect([bus, n, status]).toEqual([bus, n, 201]);
      placed.unshift(body.playId);
    }
    await untilSettled(platform, new Map([['demo-1', token]]));
    expect((await audit(platform.running())).faults).toEqual([]);
    expect((await allPlays(platform, token)).map(({ playId }) => playId)).toEqual(placed);
    expect(await platform.stop()).toBe(0);
  }
}, 600_000);
