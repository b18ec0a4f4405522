import { setTimeout as pause } from 'node:timers/promises';
import { audit } from './audit.ts';
import { TestPlatform } from './platform.ts';
import { allPlays, startTraffic, untilSettled } from './traffic.ts';

describe.each(['postgres', 'kafka'] as const)('on the %s bus', (bus) => {
  const platform = new TestPlatform({ bus });
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    await platform.start();
    for (let n = 1; n <= 8; n += 1) tokens.set(`demo-${n}`, await platform.token(`demo-${n}`));
  }, 240_000);

  afterAll(async () => {
    await platform.dispose();
  }, 60_000);

  const victims = ['wallet', 'issuance', 'history', 'gateway', 'postgres', ...(bus === 'kafka' ? ['kafka'] : [])];

  test.each(victims)(
    'REG-4.2: %s killed in the middle of plays delays outcomes and loses none',
    async (victim) => {
      const traffic = startTraffic(platform, tokens);
      await pause(700);
      const pid = platform.running().pids[victim] ?? 0;
      platform.kill(victim);
      await platform.revived(victim, pid);
      await pause(1_500);
      await traffic.stop();
      expect(traffic.odd).toEqual([]);
      expect(traffic.told.length).toBeGreaterThan(0);
      expect(platform.output).toMatch(
        new RegExp(
          victim === 'postgres' ? 'PostgreSQL ended' : victim === 'kafka' ? 'broker ended' : `${victim} ended`,
        ),
      );

      await untilSettled(platform, tokens);
      const found = await audit(platform.running());
      expect(found.faults).toEqual([]);
      for (const [player, token] of tokens) {
        const history = new Set((await allPlays(platform, token)).map(({ playId }) => playId));
        const mine = traffic.told.filter((answer) => answer.player === player);
        expect(mine.filter(({ playId }) => !history.has(playId))).toEqual([]);
      }
    },
    240_000,
  );
});
