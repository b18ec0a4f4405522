import { TestPlatform } from './platform.ts';

const platform = new TestPlatform({ regulations: 'true-size' });

afterAll(async () => {
  await platform.dispose();
}, 60_000);

test('REG-2.1: both real games are on sale at all three stakes, from blocks of the size that the regulations give', async () => {
  await platform.start();
  const { items } = (await platform.call('GET', '/api/v1/blocks')).body;
  const onSale = new Map(
    items.map((block: { regulation: string; stakeCents: number; size: number }) => [
      `${block.regulation} ${block.stakeCents}`,
      block.size,
    ]),
  );
  expect(Object.fromEntries(onSale)).toEqual({
    'sudoku@2009-01-26 50': 1_280_000,
    'sudoku@2009-01-26 100': 1_280_000,
    'sudoku@2009-01-26 200': 1_280_000,
    'pharaon@2008-12-17 50': 350_000,
    'pharaon@2008-12-17 100': 350_000,
    'pharaon@2008-12-17 200': 350_000,
  });
  for (const game of ['sudoku', 'pharaon']) {
    for (const stake of ['0.50', '1.00', '2.00']) {
      const { code, stdout, stderr } = await platform.enjeu('play', game, stake, '--player', 'demo-1');
      expect({ game, stake, code, stderr }).toEqual({ game, stake, code: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^${game} at ${stake} EUR: (won|lost)`, 'm'));
    }
  }
}, 300_000);
