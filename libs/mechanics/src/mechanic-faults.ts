import * as z from 'zod';
import { allOf, eachOf, type Fault, hasShape, type Rule } from '#regulation';
import type { Mechanic } from './mechanic.ts';
import { MECHANICS } from './mechanics.ts';

const named = z.looseObject({ mechanic: z.string() });

/**
 * What a mechanic says of a game's regulation beyond its general form, each with its place: an unknown mechanic,
 * parameters of another shape, a prize that cannot be shown. The value may be anything; as much of it is checked as is
 * sound.
 */
export const mechanicFaults: Rule = (regulation): Fault[] => {
  const naming = named.safeParse(regulation);
  if (!naming.success) return [];
  const mechanic = MECHANICS.get(naming.data.mechanic);
  return mechanic === undefined ? unknownMechanic(naming.data.mechanic) : rulesOf(mechanic)(regulation);
};

function unknownMechanic(id: string): Fault[] {
  const known = [...MECHANICS.keys()].join(', ');
  const message = `there is no mechanic ${JSON.stringify(id.slice(0, 80))}, there are ${known}`;
  return [{ place: 'mechanic', message }];
}

function rulesOf({ parameters, faults }: Mechanic): Rule {
  const withParameters = (shape: z.ZodType) => hasShape(z.looseObject({ parameters: shape }));
  return allOf(
    withParameters(parameters.regulation),
    faults.regulation,
    eachOf('stakes', allOf(withParameters(parameters.stake), faults.stake)),
  );
}
