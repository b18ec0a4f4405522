import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { audit } from './audit.ts';
import { TestPlatform } from './platform.ts';

const platform = new TestPlatform();
let token = '';

beforeAll(async () => {
  await platform.start();
  token = await platform.token('demo-1');
}, 240_000);

afterAll(async () => {
  await platform.dispose();
}, 60_000);

afterEach(async () => {
  expect((await audit(platform.running())).faults).toEqual([]);
});

const balanceOf = async (bearer: string) =>
  (await platform.call('GET', '/api/v1/wallet', { token: bearer })).body.availableCents as number;

test('REG-4.1: a play debits its stake, credits its prize, and the wallet and the history asked right after agree with it', async () => {
  const before = await balanceOf(token);
  const { status, body: play } = await platform.play(token, 'sudoku', 100);
  expect(status).toBe(201);
  expect(['won', 'lost']).toContain(play.status);
  expect(await balanceOf(token)).toBe(before - 100 + play.prizeCents);
  const last = await platform.call('GET', '/api/v1/plays/last', { token });
  expect(last.status).toBe(200);
  expect(last.body).toMatchObject({
    playId: play.playId,
    status: play.status,
    prizeCents: play.prizeCents,
    stakeCents: 100,
  });
});

test('the command line plays, says the outcome, the unit and the balance', async () => {
  const { code, stdout, stderr } = await platform.enjeu(
    'play',
    'pharaon',
    '0.50',
    '--player',
    'demo-2',
    '--mode',
    'auto',
  );
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pharaon at 0\.50 EUR: (lost|won \d+\.\d\d EUR)$/m);
  expect(stdout).toMatch(/^ {2}unit {5}\d+ of block [0-9a-f-]{36}$/m);
  const [, euros, cents] = /balance {2}(\d+)\.(\d\d) EUR/.exec(stdout) ?? [];
  expect(await balanceOf(await platform.token('demo-2'))).toBe(Number(euros) * 100 + Number(cents));
});

test('REG-4.2: the command line draws a play without an escape code where there is no terminal, and watches it again exactly', async () => {
  for (const [game, seen] of [
    ['sudoku', /gain box {2}\d+\.\d\d EUR a block[\s\S]* roll 3 /],
    ['pharaon', /^ {2}(\S+ +){8}\S+$[\s\S]* scarab /m],
  ] as const) {
    const played = await platform.enjeu('play', game, '0.50', '--player', 'demo-3');
    const watched = await platform.enjeu('watch', 'last', '--player', 'demo-3');
    expect([played.code, watched.code, played.stderr, watched.stderr]).toEqual([0, 0, '', '']);
    expect(played.stdout).toMatch(seen);
    expect(played.stdout).not.toContain('\u001b');
    const drawing = watched.stdout.slice(0, watched.stdout.indexOf('\n  play '));
    expect(drawing.length).toBeGreaterThan(200);
    expect(played.stdout.startsWith(drawing)).toBe(true);
  }
  const { code, stdout, stderr } = await platform.enjeu('watch', 'last', '--player', 'demo-4');
  expect([code, stdout, stderr]).toEqual([1, '', 'enjeu: You have not played yet.\n']);
});

test('the same key again is the same play: one debit, the same answer', async () => {
  const key = randomUUID();
  const first = await platform.play(token, 'sudoku', 50, key);
  const after = await balanceOf(token);
  const second = await platform.play(token, 'sudoku', 50, key);
  expect(second.body.playId).toBe(first.body.playId);
  expect(second.body.status).toBe(first.body.status);
  expect(await balanceOf(token)).toBe(after);
});

test('the same key twice at once, over two connections, is one play that both get', async () => {
  const key = randomUUID();
  const both = await Promise.all([platform.play(token, 'sudoku', 50, key), platform.play(token, 'sudoku', 50, key)]);
  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  expect(both[0]?.body.playId).toBe(both[1]?.body.playId);
});

test('the same key with another body, or on another route, is refused with 422', async () => {
  const key = randomUUID();
  await platform.play(token, 'sudoku', 50, key);
  const otherBody = await platform.play(token, 'sudoku', 100, key);
  expect([otherBody.status, otherBody.body.type]).toEqual([422, 'urn:enjeu:problem:idempotency-key-reused']);
  const otherRoute = await platform.call('POST', '/api/v1/acceptances', {
    token,
    key,
    body: { regulation: 'general@2001-04-05' },
  });
  expect([otherRoute.status, otherRoute.body.type]).toEqual([422, 'urn:enjeu:problem:idempotency-key-reused']);
});

test('the same key of another player is another play', async () => {
  const key = randomUUID();
  const mine = await platform.play(token, 'sudoku', 50, key);
  const theirs = await platform.play(await platform.token('demo-3'), 'sudoku', 50, key);
  expect(theirs.status).toBe(201);
  expect(theirs.body.playId).not.toBe(mine.body.playId);
});

test('a refusal spends the key: the balance that has grown since does not change the answer', async () => {
  const poor = await platform.token('demo-4');
  while ((await platform.play(poor, 'pharaon', 200)).status === 201);
  const key = randomUUID();
  const refused = await platform.play(poor, 'pharaon', 200, key);
  expect([refused.status, refused.body.type]).toEqual([409, 'urn:enjeu:problem:balance-too-low']);
  const again = await platform.play(poor, 'pharaon', 200, key);
  expect([again.status, again.body.type]).toEqual([409, 'urn:enjeu:problem:balance-too-low']);
}, 120_000);

test('REG-1.1: a suspended sale refuses before any debit and shows its notice; resumed, it sells again', async () => {
  const before = await balanceOf(token);
  const suspended = await platform.enjeu(
    'sale',
    'suspend',
    'sudoku',
    '--notice-fr',
    'Vente suspendue',
    '--notice-en',
    'Sale suspended',
  );
  expect(suspended).toMatchObject({ code: 0, stderr: '' });
  const refused = await platform.play(token, 'sudoku', 50);
  // A stake that was under way when the order came is refunded; one after it is refused. The balance is the same.
  if (refused.status === 201) expect(refused.body.status).toBe('refunded');
  else expect([refused.status, refused.body.type]).toEqual([409, 'urn:enjeu:problem:sale-suspended']);
  expect(await balanceOf(token)).toBe(before);
  const game = await platform.call('GET', '/api/v1/games/sudoku');
  expect(JSON.stringify(game.body)).toContain('Vente suspendue');
  expect((await platform.enjeu('sale', 'resume', 'sudoku')).code).toBe(0);
  for (let tries = 0; tries < 50; tries += 1) {
    if ((await platform.play(token, 'sudoku', 50)).status === 201) return;
  }
  throw new Error('the sale did not open again');
});

test('what a command does not understand is one line on stderr and exit code 2', async () => {
  for (const args of [
    ['play', 'sudoku', 'x', '--player', 'demo-1'],
    ['nothing'],
    ['play', 'sudoku'],
    ['play', 'sudoku', '1.00', '--fresh'],
  ]) {
    const { code, stdout, stderr } = await platform.enjeu(...args);
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
    expect(stderr).toMatch(/^enjeu: [^\n]+\n$/);
  }
});

test('the logs verify: the chain is whole and the signed heads stand in it', async () => {
  for (const service of ['wallet', 'issuance']) {
    const { code, stdout, stderr } = await platform.enjeu('log', 'verify', service);
    expect({ service, code, stderr }).toEqual({ service, code: 0, stderr: '' });
    expect(stdout).toMatch(/\d+ events/);
  }
});

test('a second start on the same data, and one on a port in use, end with one clear line', async () => {
  const second = await platform.enjeu('start');
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/^enjeu: the data in .* is in use by the platform running as process \d+[^\n]*\n$/);

  const other = new TestPlatform();
  await other.env();
  const server = createServer().listen(other.gatewayPort, '127.0.0.1');
  const busy = await other.enjeu('start');
  server.close();
  expect(busy.code).toBe(1);
  expect(busy.stderr).toMatch(/^enjeu: port \d+, which the gateway wants, is taken[^\n]*\n$/);
  await other.dispose();
}, 60_000);
