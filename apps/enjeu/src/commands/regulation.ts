import { Failure } from '../failure.ts';
import type { Command } from '../main.ts';

/** What may be done with a regulation's file: `enjeu regulation VERB FILE`. */
const VERBS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['check', async () => (await import('./regulation-check.ts')).regulationCheck],
  ['add', async () => (await import('./regulation-add.ts')).regulationAdd],
]);

export const regulation: Command = async ([verb = '', ...words], options) => {
  const load = VERBS.get(verb);
  if (load === undefined) {
    const verbs = [...VERBS.keys()].join(' or ');
    throw new Failure(`\`enjeu regulation\` is followed by ${verbs}, not ${JSON.stringify(verb)}`, 2);
  }
  await (await load())(words, options);
};
