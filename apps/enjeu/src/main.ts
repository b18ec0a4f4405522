import { parseArgs } from 'node:util';
import { Failure } from './failure.ts';

const USAGE = `enjeu: instant lottery games sold on the internet

  npm start [-- --fresh] [-- --data DIR] [-- --bus postgres|kafka]
                                   sets up what is missing and runs the platform
  enjeu prepare                    makes the keys and secrets of a data folder, for a deployment
  enjeu token PLAYER               an access token (--role operator|supervisor|auditor for an operator's)
  enjeu play GAME STAKE            one play, for --player PLAYER; --mode play|auto where the game has both
  enjeu watch last|PLAY             a play of --player PLAYER again, as it was drawn
  enjeu accept REGULATION          the acceptance of --player PLAYER, which comes before his first stake
  enjeu sale suspend|resume GAME   the operator's order, with --notice-fr and --notice-en
  enjeu parked SERVICE             what is set aside and why; --send-again KEY handles it again
  enjeu regulation check FILE      what a regulation's tables give, or everything that is wrong with it
  enjeu regulation add FILE        adds a game, or a new version of one, to the running platform
  enjeu emission approve REGULATION STAKE
                                   puts --blocks N on sale, in the name of two: --by NAME --by NAME
  enjeu receipt last|PLAY          everything that proves a play of --player PLAYER; --out FILE
  enjeu verify RECEIPT …           checks receipts offline, each by itself and against each other: --keys FILE pins the
                                   platform's keys, --list FILE the list of commitments, --regulations DIR has more
                                   games, --player ID checks whose it is
  enjeu verify-block FILE          builds a disclosed block again and compares; --receipt FILE looks for its place
  enjeu log verify SERVICE         recomputes the chain of a service's log and checks its signed heads

--data DIR (or ENJEU_DATA) says where the running platform keeps its data.`;

const OPTIONS = {
  data: { type: 'string' },
  fresh: { type: 'boolean' },
  bus: { type: 'string' },
  player: { type: 'string' },
  mode: { type: 'string' },
  role: { type: 'string' },
  'notice-fr': { type: 'string' },
  'notice-en': { type: 'string' },
  'send-again': { type: 'string' },
  blocks: { type: 'string' },
  by: { type: 'string', multiple: true },
  keys: { type: 'string' },
  regulations: { type: 'string' },
  list: { type: 'string' },
  receipt: { type: 'string', multiple: true },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export type Options = ReturnType<typeof parse>['values'];

/** A command takes the words after its name and the options, and prints what its caller wants to know. */
export type Command = (words: readonly string[], options: Options) => Promise<void>;

interface Entry {
  /** Loaded when it is called: `enjeu token` need not wait for what `enjeu start` is made of. */
  readonly load: () => Promise<Command>;
  /** How many words, or at least how many. */
  readonly words: number | { readonly least: number };
  readonly options: readonly (keyof Options)[];
}

const COMMANDS: Record<string, Entry> = {
  start: { load: async () => (await import('./start/start.ts')).start, words: 0, options: ['fresh', 'bus'] },
  prepare: { load: async () => (await import('./commands/prepare.ts')).prepare, words: 0, options: [] },
  token: { load: async () => (await import('./commands/token.ts')).token, words: 1, options: ['role'] },
  play: { load: async () => (await import('./commands/play.ts')).play, words: 2, options: ['player', 'mode'] },
  watch: { load: async () => (await import('./commands/watch.ts')).watch, words: 1, options: ['player'] },
  accept: { load: async () => (await import('./commands/accept.ts')).accept, words: 1, options: ['player'] },
  sale: { load: async () => (await import('./commands/sale.ts')).sale, words: 2, options: ['notice-fr', 'notice-en'] },
  parked: { load: async () => (await import('./commands/parked.ts')).parked, words: 1, options: ['send-again'] },
  regulation: { load: async () => (await import('./commands/regulation.ts')).regulation, words: 2, options: [] },
  emission: {
    load: async () => (await import('./commands/emission.ts')).emission,
    words: 3,
    options: ['blocks', 'by'],
  },
  receipt: {
    load: async () => (await import('./commands/receipt.ts')).receipt,
    words: 1,
    options: ['player', 'out'],
  },
  verify: {
    load: async () => (await import('./commands/verify.ts')).verify,
    words: { least: 1 },
    options: ['keys', 'regulations', 'list', 'player'],
  },
  'verify-block': {
    load: async () => (await import('./commands/verify-block.ts')).verifyBlock,
    words: 1,
    options: ['keys', 'regulations', 'receipt'],
  },
  log: { load: async () => (await import('./commands/log-verify.ts')).logVerify, words: 2, options: [] },
};

function parse(args: string[]) {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: true });
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = understood(args);
  const [name, ...words] = positionals;
  if (values.help || name === undefined || name === 'help') {
    console.log(USAGE);
    return;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new Failure(`there is no command ${JSON.stringify(name)}; \`npx enjeu help\` lists them`, 2);
  const wanted = wordsWanted(words.length, command.words);
  if (wanted !== null) {
    throw new Failure(`\`enjeu ${name}\` takes ${wanted}, not ${words.length}; see \`npx enjeu help\``, 2);
  }
  for (const option of Object.keys(values) as (keyof Options)[]) {
    if (option !== 'data' && !command.options.includes(option)) {
      throw new Failure(`\`enjeu ${name}\` has no option --${option}; see \`npx enjeu help\``, 2);
    }
  }
  await (await command.load())(words, values);
}

/** What a command takes, where this many words are not that; else null. */
function wordsWanted(given: number, taken: Entry['words']): string | null {
  if (typeof taken === 'number') return given === taken ? null : `${taken} words`;
  return given >= taken.least ? null : `at least ${taken.least} words`;
}

function understood(args: string[]) {
  try {
    return parse(args);
  } catch (error) {
    throw new Failure(`${(error as Error).message.split('. ')[0]}; see \`npx enjeu help\``, 2);
  }
}

/** Each line of a failure ends as one line, whatever was put into it. */
function tell(error: unknown): Failure['exitCode'] {
  const failure = error instanceof Failure ? error : new Failure(`unexpected: ${(error as Error)?.message ?? error}`);
  for (const line of failure.lines) console.error(`enjeu: ${line.replaceAll(/\s*\n\s*/g, ' ')}`);
  return failure.exitCode;
}

process.on('uncaughtException', (error) => process.exit(tell(error)));
try {
  await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = tell(error);
}
