import { z } from 'zod';
import { SCRIPT_COMPONENTS, scriptSchemas } from '#contracts/http';
import { MECHANICS, type Script, scriptsOf } from '#mechanics';
import { cents } from '#money';
import { type GameRegulation, isGame } from '#regulation';
import { loadRegulations } from '#service';
import { tinyMatch } from '../../../test/fixtures/tiny-game.ts';

/** No game on file is a match. */
const regulations = [...loadRegulations().all.filter(isGame), tinyMatch()];
const described = new Map(
  Object.entries(SCRIPT_COMPONENTS).map(([mechanic, reference]) => {
    const schema = scriptSchemas()[reference.replace('#/components/schemas/', '')];
    return [mechanic, z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])];
  }),
);

/** Those mechanics whose description fits the script. */
const fitting = (script: unknown) =>
  [...described].filter(([, schema]) => schema.safeParse(script).success).map(([mechanic]) => mechanic);

/** Scripts of every row of every stake, and of losing units. */
function scriptsUnder(regulation: GameRegulation): Script[] {
  return regulation.stakes.flatMap(({ stakeCents, rows }) => {
    const { render } = scriptsOf(regulation, stakeCents);
    const prizes = [cents(0), ...rows.map(({ prizeCents }) => prizeCents)];
    return prizes.flatMap((prize) =>
      Array.from({ length: 5 }, (_, n) => render(prize, n.toString(16).padStart(32, 'ab'))),
    );
  });
}

test('every mechanic’s script is described', () => {
  expect(Object.keys(SCRIPT_COMPONENTS).sort()).toEqual([...MECHANICS.keys()].sort());
});

test.each(regulations.map((regulation) => [regulation.mechanic, regulation] as const))(
  'what %s renders is as it is described, and as no other script is',
  (mechanic, regulation) => {
    const scripts = scriptsUnder(regulation);
    expect(scripts.length).toBeGreaterThan(50);
    for (const script of scripts) expect(fitting(script)).toEqual([mechanic]);
    const [script] = scripts as [Script];
    for (const member of Object.keys(script)) {
      const { [member]: _, ...without } = script;
      expect(fitting(without)).toEqual([]);
    }
    expect(fitting({ ...script, prizeCents: 100 })).toEqual([]);
  },
);
