import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { EventLog, SourceRecord } from './event-log.ts';
import type { RecordLane } from './group-commit.ts';
import { add, handler, lane, record, runOne, settle, totalOf } from './lane.harness.ts';
import type { LaneAnswer } from './lane.ts';
import type { LogUnderTest } from './log-contract.ts';
import { type Projector, type ProjectorFault, projectInto } from './projector.ts';

type FaultPoint = 'loaded' | 'decided' | 'appended' | 'answered' | ProjectorFault;

const FAULT_POINTS: readonly FaultPoint[] = ['loaded', 'decided', 'appended', 'answered', 'prepared', 'handed'];

interface Crash {
  readonly point: FaultPoint;
  /** How often the point is passed before the process dies there. */
  readonly passes: number;
}

/** A process with a lane and a projector, that dies at one point of its work. */
interface Process {
  readonly lane: RecordLane;
  readonly projector: Projector;
}

async function start(log: EventLog, crash: Crash | null): Promise<Process> {
  let passes = crash?.passes ?? 0;
  let dead = false;
  const fault = (point: FaultPoint): void => {
    dead ||= point === crash?.point && passes-- === 0;
    if (dead) throw new Error(`died when ${point}`);
  };
  const open = await lane(log, { maxBatch: 4, flushAfterMs: 1, fault, onBroken: () => undefined });
  const options = { name: 'wallet', newId: randomUUID, onGap: () => undefined };
  return { lane: open, projector: projectInto(open, handler(), { ...options, fault }) };
}

/** What a bus does: delivers from the stored position on (and something before it again), until the process dies. */
async function deliver({ projector }: Process, records: readonly SourceRecord[], overlap: number): Promise<void> {
  const from = Math.max(0, ((await projector.position())?.position ?? 0) - overlap);
  for (let i = from; i < records.length; i += 3) {
    const batch = records.slice(i, i + 3);
    await projector.handle(batch, i + 3 >= records.length);
    await projector.handle(batch, i + 3 >= records.length);
  }
}

/** What a lane guarantees together with its log, whatever that is kept in. */
export function laneContract(name: string, open: () => Promise<LogUnderTest>, runs: number): void {
  describe(`a lane over the log in ${name}`, () => {
    test.each(FAULT_POINTS)('a crash when %s neither skips nor repeats an effect', async (point) => {
      for (const passes of [0, 1]) {
        const { log, close } = await open();
        const keys = [randomUUID(), randomUUID(), randomUUID()];
        const records = Array.from({ length: 9 }, (_, i) => record(i + 1, i % 3 === 2 ? {} : { to: 'b' }));
        for (const crash of [{ point, passes }, null]) {
          const process = await start(log, crash);
          const commands = keys.map((key) => runOne(process.lane, add('a', 1, { key })).catch(() => null));
          await deliver(process, records, 2).catch(() => undefined);
          await Promise.all(commands);
          await process.lane.stop().catch(() => undefined);
        }
        expect([await totalOf(log, 'a'), await totalOf(log, 'b')]).toEqual([3, 6]);
        expect((await log.positions())[0]?.position).toBe(9);
        await close();
      }
    });

    test('U+0000 in a value is kept, in a name it fails its own work alone', async () => {
      const { log, close } = await open();
      const process = await start(log, null);
      const answers = await process.lane.run([
        add('a', 1),
        add('nul-\u0000', 1),
        {
          states: [],
          decide(draft) {
            draft.emitOnce('note-1', { type: 'Noted', text: 'a\u0000b' } as never);
            return { answer: 0 };
          },
        },
      ]);
      expect(answers.map(({ kind }) => kind)).toEqual(['decided', 'failed', 'decided']);
      const notes = (await log.read(0, 10)).filter(({ type }) => type === 'Noted');
      expect(notes.map(({ data }) => JSON.parse(data))).toEqual([{ text: 'a\u0000b' }]);
      await close();
    });

    test('a second outcome of a play is dropped and raises an incident', async () => {
      const { log, close } = await open();
      const { lane: open_, projector } = await start(log, null);
      const playId = randomUUID();
      await runOne(open_, settle(playId));
      await projector.handle([record(1, { settle: playId }, { correlation: playId }), record(2, { to: 'a' })], true);
      await open_.stop();
      const events = await log.read(0, 10);
      expect(
        events.filter(({ type }) => type === 'IncidentRaised').map(({ data }) => JSON.parse(data).subject),
      ).toEqual([playId]);
      expect(await totalOf(log, 'a')).toBe(1);
      expect((await log.positions())[0]?.position).toBe(2);
      await close();
    });

    const seed = Number(process.env['ENJEU_TEST_SEED'] ?? Date.now() % 2 ** 31);

    test(`random works, crashes and duplicates: every effect once, in order (seed ${seed})`, async () => {
      await fc.assert(
        fc.asyncProperty(aStory, async (story) => {
          const { log, close } = await open();
          try {
            await live(log, story);
          } finally {
            await close();
          }
        }),
        { seed, numRuns: runs },
      );
    });
  });
}

interface Story {
  readonly commands: readonly { readonly counter: string; readonly amount: number }[];
  /** Which command is sent when, repeats included. */
  readonly sent: readonly number[];
  readonly chunk: number;
  readonly records: readonly Record<string, unknown>[];
  readonly overlap: number;
  readonly crashes: readonly Crash[];
}

const counter = fc.constantFrom('a', 'b', 'c');

const aStory: fc.Arbitrary<Story> = fc.record({
  commands: fc.array(fc.record({ counter, amount: fc.integer({ min: 1, max: 9 }) }), { minLength: 1, maxLength: 8 }),
  sent: fc.array(fc.nat(7), { maxLength: 25 }),
  chunk: fc.integer({ min: 1, max: 6 }),
  records: fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ to: counter, add: fc.integer({ min: 1, max: 9 }), key: fc.constantFrom('p', 'q') }),
      },
      { weight: 2, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ key: 'r', undecidable: true }) },
      { weight: 1, arbitrary: fc.constant({ key: 's', to: 'bad-\u0000' }) },
    ),
    { maxLength: 25 },
  ),
  overlap: fc.nat(5),
  crashes: fc.array(fc.record({ point: fc.constantFrom(...FAULT_POINTS), passes: fc.nat(4) }), { maxLength: 4 }),
});

/** Lives through every crash, then once to the end; the clients repeat everything under its key each time. */
async function live(log: EventLog, story: Story): Promise<void> {
  const keys = story.commands.map(() => randomUUID());
  const answers: (string | undefined)[] = [];
  const records = story.records.map((body, i) => record(i + 1, body));
  for (const crash of [...story.crashes, null]) {
    const process = await start(log, crash);
    const delivered = deliver(process, records, story.overlap).catch(() => undefined);
    const order = [...story.sent.filter((i) => i < keys.length), ...keys.keys()];
    for (let i = 0; i < order.length; i += story.chunk) {
      const chunk = order.slice(i, i + story.chunk);
      const works = chunk.map((n) => add(story.commands[n]!.counter, story.commands[n]!.amount, { key: keys[n]! }));
      const given = await process.lane.run(works).catch(() => null);
      if (given) for (const [j, n] of chunk.entries()) keepAnswer(answers, n, given[j]!);
    }
    await delivered;
    await process.lane.stop().catch(() => undefined);
  }
  await compare(log, story);
}

/** Whoever asks under one key, however often, is told the same. */
function keepAnswer(answers: (string | undefined)[], n: number, answer: LaneAnswer<unknown>): void {
  const text = JSON.stringify('answer' in answer ? answer.answer : answer.kind);
  answers[n] ??= text;
  expect(text).toBe(answers[n]);
}

async function compare(log: EventLog, { commands, records }: Story): Promise<void> {
  const expected: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (const { counter, amount } of commands) expected[counter]! += amount;
  for (const { to, add } of records as { to?: string; add?: number }[]) if (add) expected[to!]! += add;
  for (const [id, total] of Object.entries(expected)) expect([id, await totalOf(log, id)]).toEqual([id, total]);

  expect((await log.positions())[0]?.position ?? 0).toBe(records.length);
  const parked = (await log.parked({ limit: 100 })).map(({ position }) => position);
  const failing = records.flatMap(({ key }, i) => (key === 'r' || key === 's' ? [i + 1] : []));
  expect(parked).toEqual(failing);

  const versions = new Map<string, number>();
  for (const [i, event] of (await log.read(0, 1_000)).entries()) {
    expect(event.position).toBe(i + 1);
    expect(event.version).toBe((versions.get(event.stream) ?? 0) + 1);
    versions.set(event.stream, event.version);
  }
}
