import type { Cents } from '#money';
import type { GameRegulation, Stake } from '#regulation';
import type { Referee } from '../mechanic.ts';

/** The members of a script besides `mechanic`, none of them looked at yet. */
export type Members<Name extends string> = Readonly<Record<Name, unknown>>;

/** Why a script is none: a sentence that starts with the place (`rolls[2] has two clovers`). */
export class Invalid extends Error {
  readonly #reason: string;

  constructor(reason: string) {
    super(reason);
    this.#reason = reason;
  }

  /** What a script threw while it was read may be anything; asking for a private field runs none of its code. */
  static reasonOf(thrown: unknown): string {
    const known = typeof thrown === 'object' && thrown !== null && #reason in thrown;
    return known ? thrown.#reason : 'the script cannot be read';
  }
}

/**
 * A referee for scripts that are an object of exactly `mechanic` and the named members. `prizeOf` gives the cents that the
 * members show, 0 for a losing unit, or throws Invalid; it reads each member and item once, so that one which changes
 * between two readings is judged by what was seen. REG-4.3: a prize is an amount of the stake's table and no other.
 */
export function refereeOf<Name extends string>(
  regulation: GameRegulation,
  stake: Stake,
  names: readonly Name[],
  prizeOf: (members: Members<Name>) => number,
): Referee {
  const { mechanic } = regulation;
  const known: ReadonlySet<unknown> = new Set(['mechanic', ...names]);
  const prizes = new Map<number, Cents>(stake.rows.map(({ prizeCents }) => [prizeCents, prizeCents]));
  prizes.set(0, 0 as Cents);
  return (script) => {
    try {
      assertMembers(script, known);
      if (script['mechanic'] !== mechanic) throw new Invalid(`mechanic is not ${mechanic}`);
      const shown = prizeOf(script as Members<Name>);
      const prizeCents = prizes.get(shown);
      if (prizeCents !== undefined) return { prizeCents };
      return { invalid: `the prize of ${shown} cents is no amount of the table at ${stake.stakeCents} cents` };
    } catch (thrown) {
      return { invalid: Invalid.reasonOf(thrown) };
    }
  };
}

function assertMembers(
  script: unknown,
  known: ReadonlySet<unknown>,
): asserts script is Readonly<Record<string, unknown>> {
  if (typeof script !== 'object' || script === null || !isPlain(script)) throw new Invalid('the script is no object');
  const keys = Object.keys(script);
  for (const key of keys) {
    if (!known.has(key)) throw new Invalid(`the script has a member that is none of ${[...known].join(', ')}`);
  }
  if (keys.length < known.size) {
    throw new Invalid(`the script lacks ${[...known].filter((name) => !keys.includes(name as string)).join(', ')}`);
  }
  // Reflect.ownKeys says the same in one call, which takes five times as long as these two.
  if (Object.getOwnPropertyNames(script).length > keys.length || Object.getOwnPropertySymbols(script).length > 0) {
    throw new Invalid('the script has hidden members');
  }
}

/** Every realm has its own root prototype. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * A list of exactly `length` items, which may be anything. What else hangs on an array is in no JSON text, and so in no
 * script's digest either. No list, or one of another length or of a class, is Invalid at `name`, or at `name[index]` when
 * it is an item itself.
 */
export function listOf(length: number, value: unknown, name: string, index?: number): readonly unknown[] {
  if (!isList(value)) throw new Invalid(`${placeOf(name, index)} is no list`);
  if (value.length !== length) throw new Invalid(`${placeOf(name, index)} is no list of ${length}`);
  return value;
}

/** A list of whatever length; otherwise as `listOf`. */
export function listOfAny(value: unknown, name: string): readonly unknown[] {
  if (!isList(value)) throw new Invalid(`${name} is no list`);
  return value;
}

/** Reading a hole finds nothing, unless a prototype were to fill it. */
function isList(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Array.prototype || isArrayPrototype(prototype);
}

/** Another realm's: alone among prototypes it is an array itself, an empty one right below the root. */
function isArrayPrototype(prototype: unknown): boolean {
  if (!Array.isArray(prototype) || prototype.length !== 0) return false;
  const parent = Object.getPrototypeOf(prototype);
  return parent !== null && Object.getPrototypeOf(parent) === null;
}

/** Whether it is an amount above nothing, in whole cents. */
export function isPositiveCents(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function placeOf(name: string, index: number | undefined): string {
  return index === undefined ? name : `${name}[${index}]`;
}
