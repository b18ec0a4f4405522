import type { PlayRecord } from '#contracts';
import type { SourceRecord } from '#event-sourcing';
import { ManualClock, playEvents, playerOf } from '../../test/play-events.ts';
import { Outcomes, type OutcomesOptions } from './outcomes.ts';

let clock: ManualClock;
let asked: string[][];
let history: PlayRecord[];
let unreadable: SourceRecord[];

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  history = [];
  unreadable = [];
});

function outcomesWith(options: Partial<OutcomesOptions> = {}): Outcomes {
  return new Outcomes({
    clock,
    askHistory: async (playIds) => {
      asked.push([...playIds]);
      return history.filter((play) => playIds.includes(play.playId));
    },
    unreadable: (record) => unreadable.push(record),
    ...options,
  });
}

function placed(outcomes: Outcomes, number: number) {
  const events = playEvents(number);
  outcomes.register(events.playId, events.playerId, events.key);
  outcomes.debited(events.playId, events.playerId, events.key);
  return events;
}

async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, open))])) !== open;
}

describe('who waits for a play', () => {
  test('a lost play is complete with its outcome', async () => {
    const outcomes = outcomesWith();
    const play = placed(outcomes, 1);
    const waited = outcomes.completed(play.playId, 2_000);
    expect(await isDone(waited)).toBe(false);
    outcomes.onRecords([play.lost]);
    expect(await waited).toMatchObject({ complete: true, play: { status: 'lost', prizeCents: 0 } });
  });

  test.each([
    ['won', (play: ReturnType<typeof playEvents>) => [play.won, play.credited]],
    ['refunded', (play: ReturnType<typeof playEvents>) => [play.refused, play.refunded]],
  ])('a %s play is complete only when the wallet has paid, whichever is seen first', async (status, eventsOf) => {
    for (const order of [0, 1]) {
      const outcomes = outcomesWith();
      const play = placed(outcomes, 1);
      const waited = outcomes.completed(play.playId, 2_000);
      const [first, second] = order === 0 ? eventsOf(play) : eventsOf(play).toReversed();
      outcomes.onRecords([first!]);
      expect(await isDone(waited)).toBe(false);
      outcomes.onRecords([second!]);
      expect(await waited).toMatchObject({ complete: true, play: { status } });
    }
  });

  test('at the deadline the answer is what is known: the outcome alone, else the debit', async () => {
    const outcomes = outcomesWith();
    const won = placed(outcomes, 1);
    const silent = placed(outcomes, 2);
    outcomes.onRecords([won.debited, silent.debited, won.won]);
    const waited = [outcomes.completed(won.playId, 2_000), outcomes.completed(silent.playId, 2_000)];
    clock.advance(2_000);
    expect(await Promise.all(waited)).toMatchObject([
      { complete: false, play: { status: 'won' } },
      { complete: false, play: { status: 'pending', walletPosition: 2 } },
    ]);
  });

  test('an outcome that passes before the wallet has answered is not missed', async () => {
    const outcomes = outcomesWith();
    const play = playEvents(1);
    outcomes.register(play.playId, play.playerId, play.key);
    outcomes.onRecords([play.debited, play.lost]);
    outcomes.debited(play.playId, play.playerId, play.key);
    expect(await outcomes.completed(play.playId, 2_000)).toMatchObject({ complete: true });
    expect(outcomes.waiting).toBe(0);
  });

  test('two who wait for one play both get its outcome', async () => {
    const outcomes = outcomesWith();
    const play = placed(outcomes, 1);
    const waited = Promise.all([outcomes.completed(play.playId, 2_000), outcomes.completed(play.playId, 2_000)]);
    outcomes.onRecords([play.lost]);
    expect(await waited).toMatchObject([{ complete: true }, { complete: true }]);
  });

  test('a second outcome and a record sent again change nothing', () => {
    const outcomes = outcomesWith();
    const play = placed(outcomes, 1);
    outcomes.onRecords([play.lost, play.lost, play.won, play.debited]);
    expect(outcomes.find(play.playId)).toMatchObject({ play: { status: 'lost' } });
  });

  test('a record that cannot be read is reported and the others are taken', () => {
    const outcomes = outcomesWith();
    const play = placed(outcomes, 1);
    const broken = { ...play.won, body: { playId: play.playId } };
    outcomes.onRecords([broken, play.lost]);
    expect(unreadable).toEqual([broken]);
    expect(outcomes.find(play.playId)).toMatchObject({ play: { status: 'lost' } });
  });
});

describe('memory', () => {
  test('an outcome is remembered for a minute, one of a play placed elsewhere too', () => {
    const outcomes = outcomesWith();
    const elsewhere = playEvents(7);
    outcomes.onRecords([elsewhere.debited, elsewhere.lost]);
    clock.advance(60_000);
    expect(outcomes.find(elsewhere.playId)).toMatchObject({ play: { status: 'lost' }, sure: true });
    clock.advance(1_100);
    expect(outcomes.find(elsewhere.playId)).toBeNull();
  });

  test('no more than so many outcomes are remembered, the newest', () => {
    const outcomes = outcomesWith({ remembered: 3 });
    const plays = [1, 2, 3, 4, 5].map((number) => playEvents(number));
    outcomes.onRecords(plays.map((play) => play.lost));
    expect(outcomes.remembered).toBe(3);
    expect(plays.map((play) => outcomes.find(play.playId) !== null)).toEqual([false, false, true, true, true]);
  });

  test('no more than so many plays wait; the next is not registered', () => {
    const outcomes = outcomesWith({ waiting: 2 });
    placed(outcomes, 1);
    const second = placed(outcomes, 2);
    const third = playEvents(3);
    expect(outcomes.register(third.playId, third.playerId, third.key)).toBe(false);
    outcomes.onRecords([second.lost]);
    expect(outcomes.register(third.playId, third.playerId, third.key)).toBe(true);
  });

  test('a play that the wallet never spoke of is forgotten after a minute; one that it debited after all is not', () => {
    const outcomes = outcomesWith();
    const [silent, debited] = [playEvents(1), playEvents(2)];
    for (const play of [silent, debited]) outcomes.register(play.playId, play.playerId, play.key);
    outcomes.onRecords([debited.debited]);
    clock.advance(62_000);
    expect(outcomes.find(silent.playId)).toBeNull();
    expect(outcomes.find(debited.playId)).toMatchObject({ debited: true, play: { status: 'pending' } });
  });

  test('a refused stake is forgotten at once', () => {
    const outcomes = outcomesWith();
    const play = playEvents(1);
    outcomes.register(play.playId, play.playerId, play.key);
    outcomes.forget(play.playId);
    expect(outcomes.find(play.playId)).toBeNull();
    expect(outcomes.waiting).toBe(0);
  });
});

describe('when events may have been missed', () => {
  test('whoever waits asks the history at once, and gets the outcome from there', async () => {
    const outcomes = outcomesWith();
    const play = placed(outcomes, 1);
    const waited = outcomes.completed(play.playId, 2_000);
    history.push({ ...play.settled, paidAt: play.settled.settledAt });
    outcomes.interrupted();
    expect(await waited).toMatchObject({ complete: true, play: { status: 'won' } });
    expect(asked).toEqual([[play.playId]]);
  });

  test('a pending play is not sure to be pending any more', () => {
    const outcomes = outcomesWith();
    const before = placed(outcomes, 1);
    expect(outcomes.find(before.playId)).toMatchObject({ sure: true });
    outcomes.interrupted();
    const after = placed(outcomes, 2);
    expect(outcomes.find(before.playId)).toMatchObject({ sure: false });
    expect(outcomes.find(after.playId)).toMatchObject({ sure: true });
  });

  test('plays that wait for long have the history asked for them, 200 at a time, each in its turn', async () => {
    const outcomes = outcomesWith();
    const plays = Array.from({ length: 250 }, (_, number) => placed(outcomes, number + 1));
    for (let second = 0; second < 4; second++) await clock.pass(1_000);
    expect(asked.map((ids) => ids.length)).toEqual([200, 200]);
    expect(new Set(asked.flat())).toEqual(new Set(plays.map((play) => play.playId)));
  });

  test('while the history is away, the next second asks again', async () => {
    let away = true;
    const outcomes = outcomesWith({
      askHistory: async () => {
        if (away) throw new Error('away');
        return history;
      },
    });
    const play = placed(outcomes, 1);
    history.push(play.settled);
    for (let second = 0; second < 5; second++) await clock.pass(1_000);
    expect(outcomes.find(play.playId)).toMatchObject({ play: null });
    away = false;
    await clock.pass(1_000);
    expect(outcomes.find(play.playId)).toMatchObject({ play: { status: 'won' } });
  });
});

describe('the rule of 30 seconds', () => {
  const other = (number: number) => [playerOf(number), 'another key'] as const;

  test('while plays wait and no outcome at all comes for 30 s, everybody’s new stakes have to wait', () => {
    const outcomes = outcomesWith();
    placed(outcomes, 1);
    clock.advance(30_000);
    expect(outcomes.delay(...other(2))).toBeNull();
    clock.advance(1);
    expect(outcomes.delay(...other(2))).toBe('outcomes-delayed');
    expect(outcomes.delay(...other(1))).toBe('play-pending');
  });

  test('nobody has to wait when no play does', () => {
    const outcomes = outcomesWith();
    const play = placed(outcomes, 1);
    outcomes.onRecords([play.lost]);
    clock.advance(100_000);
    expect(outcomes.delay(...other(1))).toBeNull();
  });

  test('while other outcomes come, only the player whose own play waits has to wait', () => {
    const outcomes = outcomesWith();
    placed(outcomes, 1);
    clock.advance(29_000);
    outcomes.onRecords([playEvents(3).lost]);
    clock.advance(2_000);
    expect(outcomes.delay(...other(2))).toBeNull();
    expect(outcomes.delay(...other(1))).toBe('play-pending');
  });

  test('a play that later ones have overtaken stops nobody else, however quiet it is', () => {
    const outcomes = outcomesWith();
    const held = placed(outcomes, 1);
    clock.advance(1_000);
    outcomes.onRecords([placed(outcomes, 2).lost]);
    clock.advance(1_000_000);
    expect(outcomes.delay(...other(2))).toBeNull();
    expect(outcomes.delay(...other(1))).toBe('play-pending');
    outcomes.onRecords([held.lost]);
    expect(outcomes.delay(...other(1))).toBeNull();
  });

  test('while all are refused one stake is let through every 5 s, and its outcome ends the refusals', () => {
    const outcomes = outcomesWith();
    placed(outcomes, 1);
    clock.advance(40_000);
    const answers = () => [outcomes.delay(...other(2)), outcomes.delay(...other(3))];
    expect(answers()).toEqual(['outcomes-delayed', 'outcomes-delayed']);
    clock.advance(5_000);
    expect(answers()).toEqual([null, 'outcomes-delayed']);
    clock.advance(5_000);
    expect(answers()).toEqual([null, 'outcomes-delayed']);
    outcomes.onRecords([placed(outcomes, 3).lost]);
    expect(answers()).toEqual([null, null]);
  });

  test('the key of a play that waits is no new stake', () => {
    const outcomes = outcomesWith();
    const play = placed(outcomes, 1);
    clock.advance(40_000);
    expect(outcomes.delay(play.playerId, play.key)).toBeNull();
    expect(outcomes.delay(playerOf(2), play.key)).toBe('outcomes-delayed');
  });

  test('a stake that was never debited delays nobody', () => {
    const outcomes = outcomesWith();
    const play = playEvents(1);
    outcomes.register(play.playId, play.playerId, play.key);
    clock.advance(40_000);
    expect(outcomes.delay(...other(1))).toBeNull();
  });
});

test('a key that the wallet has given no word on may be repeated while other stakes are refused', () => {
  const outcomes = outcomesWith();
  placed(outcomes, 1);
  clock.advance(30_500);
  const [silent, other] = [playEvents(2), playEvents(3)];
  outcomes.register(silent.playId, silent.playerId, silent.key);
  expect(outcomes.delay(silent.playerId, other.key)).toBe('outcomes-delayed');
  expect(outcomes.delay(other.playerId, silent.key)).toBe('outcomes-delayed');
  expect(outcomes.delay(silent.playerId, silent.key)).toBeNull();
});
