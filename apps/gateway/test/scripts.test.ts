import { setTimeout as pause } from 'node:timers/promises';
import { renderedDigest, type Script, type Scripts, type UnitToShow } from '#mechanics';
import { cents } from '#money';
import { metrics } from '#service';
import { SEED } from './fake-platform.ts';
import { problemOf, TestGateway, won } from './test-gateway.ts';

const drawn = ({ mechanic, stakeCents, prizeCents, seed }: UnitToShow): Script => ({
  mechanic,
  stakeCents,
  prizeCents,
  first: seed.slice(0, 6),
});

/** How this gateway renders and judges; a test may change it under way, as no mechanic ever may. */
let scripts: Scripts;
let running: TestGateway;
let token: string;

beforeEach(async () => {
  running = await new TestGateway({
    scripts: ({ id, mechanic }, stakeCents) => {
      const render: Scripts['render'] = (prizeCents, seed) =>
        drawn({ regulation: id, mechanic, stakeCents, prizeCents, seed });
      const judge: Scripts['judge'] = (script) => ({ prizeCents: cents((script as UnitToShow).prizeCents) });
      scripts = { render, judge };
      return { render: (...unit) => scripts.render(...unit), judge: (script) => scripts.judge(script) };
    },
  }).start();
  running.world.digestOf = (unit) => renderedDigest(drawn(unit));
  ({ token } = await running.player());
});

afterEach(() => running.stop());

const read = (path: string) => running.call('GET', `/api/v1/plays${path}`, { token });
const told = () => running.issuance.askedFor('/incidents').map(({ body }) => body);

/** What was promised behind the answers has had its time. */
async function settled(): Promise<void> {
  await pause(50);
}

/** Every answer that shows this play. */
async function showings(playId: string) {
  const answers = [await read(`/${playId}`), await read('/last'), await read('?limit=1')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return [answers[0]?.body, answers[1]?.body, answers[2]?.body.items[0]];
}

/** A play that was issued with this digest. */
async function playIssuedWith(digest: string | null): Promise<string> {
  running.world.digestOf = () => digest;
  return (await running.place(token)).body.playId;
}

/** The digest of what a unit of sudoku at 1 EUR with this prize renders to here. */
function renders(prizeCents: number): string {
  return renderedDigest(drawn({ regulation: '', mechanic: 'sudoku/1', stakeCents: 100, prizeCents, seed: SEED }));
}

const OTHER_DIGEST = '0'.repeat(64);

describe('REG-4.2: the script of a play', () => {
  test.each(['won', 'lost'] as const)('that is %s is what its unit renders to, in every answer', async (fate) => {
    running.world.fate = fate;
    const { body } = await running.place(token, { body: { game: 'pharaon', stakeCents: 50 } });
    const script = {
      mechanic: 'pharaon/1',
      stakeCents: 50,
      prizeCents: fate === 'won' ? 200 : 0,
      first: SEED.slice(0, 6),
    };
    expect(body.script).toEqual(script);
    for (const shown of await showings(body.playId)) expect(shown).toEqual(body);
  });

  test('is the same when only the history remembers the play', async () => {
    running.world.tailed = false;
    running.world.fate = 'won';
    const { playId } = (await running.place(token)).body;
    const script = drawn({ regulation: '', mechanic: 'sudoku/1', stakeCents: 100, prizeCents: 200, seed: SEED });
    running.catchUp(() => ({ ...won, seed: SEED, scriptDigest: renderedDigest(script) }));
    for (const shown of await showings(playId)) expect(shown.script).toEqual(script);
  });

  test('that is pending or refunded is null, and no incident', async () => {
    for (const fate of ['pending', 'refused'] as const) {
      running.world.fate = fate;
      expect((await running.place(token)).body.script).toBeNull();
    }
    await settled();
    expect(told()).toEqual([]);
  });

  test('never brings the seed with it, nor its digest, in any answer', async () => {
    running.world.fate = 'won';
    const placed = await running.place(token);
    running.catchUp(() => ({ ...won, seed: SEED, scriptDigest: renders(200) }));
    const paths = [`/${placed.body.playId}`, '/last', ''];
    for (const { text } of [placed, ...(await Promise.all(paths.map(read)))]) {
      expect(text).toContain('"script":{');
      expect(text).not.toContain(SEED);
      expect(text).not.toMatch(/"(seed|scriptDigest|sequence|playerId)"/);
    }
  });
});

describe('REG-4.3: a script that may not be shown', () => {
  test('because it was withheld at issue is null, whatever it would be now, and no incident', async () => {
    const playId = await playIssuedWith(null);
    for (const shown of await showings(playId)) expect(shown).toMatchObject({ script: null, status: 'lost' });
    await settled();
    expect(told()).toEqual([]);
  });

  test('because it is another than at issue is null beside the outcome, and issuance is told once', async () => {
    running.world.fate = 'won';
    const playId = await playIssuedWith(OTHER_DIGEST);
    for (const shown of await showings(playId)) {
      expect(shown).toMatchObject({ script: null, status: 'won', prizeCents: 200, mechanic: 'sudoku/1' });
    }
    await settled();
    expect(told()).toEqual([
      {
        kind: 'script-differs',
        subject: playId,
        detail: expect.stringMatching(
          /^sudoku\/1, unit 8 of block 01920000-0000-7000-8000-00000000b10c: the digest is [0-9a-f]{64}, and was 0{64} at issue$/,
        ),
      },
    ]);
    expect(JSON.stringify(told())).not.toContain(SEED);
    expect(await metrics.metrics()).toMatch(/^enjeu_gateway_scripts_withheld_total [4-9]\d*$/m);
  });

  test.each<[string, Partial<Scripts>, RegExp]>([
    [
      'cannot be rendered any more',
      {
        render: (_, seed) => {
          throw new Error(`no draw for ${seed}`);
        },
      },
      /no draw for/,
    ],
    [
      'is rejected by the referee, though its digest is right',
      { judge: () => ({ invalid: 'no such roll' }) },
      /no such roll/,
    ],
    [
      'shows another prize, though its digest is right',
      { judge: () => ({ prizeCents: cents(500) }) },
      /500 cents instead of 0/,
    ],
  ])('because it %s is null, and issuance is told why', async (_, changes, why) => {
    running.world.digestOf = () => renders(0);
    const { playId, script } = (await running.place(token)).body;
    expect(script).not.toBeNull();
    scripts = { ...scripts, ...changes };
    for (const shown of await showings(playId)) expect(shown.script).toBeNull();
    await settled();
    expect(told()).toEqual([{ kind: 'script-differs', subject: playId, detail: expect.stringMatching(why) }]);
    expect(JSON.stringify(told())).not.toContain(SEED);
  });

  test.each([
    ['its regulation is not on file', { regulation: 'sudoku@1999-01-01' }, /sudoku@1999-01-01 is not on file/],
    ['its regulation is the general one', { regulation: 'general@2001-04-05' }, /general@2001-04-05 is not on file/],
    ['its mechanic is another than its regulation’s', { mechanic: 'sudoku/2' }, /by sudoku\/1, not by sudoku\/2/],
    ['the history does not tell its seed', { seed: null }, /not known/],
  ])('because %s is null, and issuance is told why', async (_, changes, why) => {
    running.world.tailed = false;
    const { playId } = (await running.place(token)).body;
    running.catchUp(() => ({ ...won, prizeCents: 0, seed: SEED, scriptDigest: renders(0), ...changes }));
    for (const shown of await showings(playId)) expect(shown.script).toBeNull();
    await settled();
    expect(told()).toEqual([{ kind: 'script-differs', subject: playId, detail: expect.stringMatching(why) }]);
  });
});

describe('telling issuance', () => {
  test.each(['hangs', 'fails', 'resets'] as const)(
    'that %s delays no answer and fails none; it is told at a later showing',
    async (how) => {
      running.issuance.misbehaves = how;
      const started = Date.now();
      const playId = await playIssuedWith(OTHER_DIGEST);
      for (const shown of await showings(playId)) expect(shown.script).toBeNull();
      expect(Date.now() - started).toBeLessThan(700);
      await pause(1_000);
      running.issuance.misbehaves = null;
      running.issuance.asked.length = 0;
      await showings(playId);
      await settled();
      expect(told()).toMatchObject([{ subject: playId }]);
      await showings(playId);
      await settled();
      expect(told()).toHaveLength(1);
    },
  );

  test('of many plays in one answer tells of each', async () => {
    const plays: string[] = [];
    for (let n = 0; n < 5; n++) plays.push(await playIssuedWith(n === 3 ? null : OTHER_DIGEST));
    await read('?limit=100');
    await settled();
    expect(new Set(told().map(({ subject }) => subject))).toEqual(new Set(plays.filter((_, n) => n !== 3)));
    expect(told()).toHaveLength(4);
  });

  test('of another player’s play does not happen: it is not shown', async () => {
    const playId = await playIssuedWith(null);
    running.catchUp(() => ({ ...won, seed: SEED, scriptDigest: OTHER_DIGEST }));
    const other = await running.player();
    expect(problemOf(await running.call('GET', `/api/v1/plays/${playId}`, { token: other.token }))).toBe(
      '404 play-unknown',
    );
    await settled();
    expect(told()).toEqual([]);
  });
});
