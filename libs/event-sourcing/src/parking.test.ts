import { randomUUID } from 'node:crypto';
import type { EventLog, SourceRecord } from './event-log.ts';
import type { RecordLane } from './group-commit.ts';
import { FaultyLog, handler, lane, memoryLog, record, runOne, settle, totalOf, VirtualClock } from './lane.harness.ts';
import type { Draft } from './lane.ts';
import { sendAgain } from './parking.ts';
import { projectInto, workOf } from './projector.ts';

async function feed(open: RecordLane, records: SourceRecord[], with_ = handler()): Promise<void> {
  await open.take(records.map((record) => ({ record, work: workOf(with_, record) })));
}

async function parkedPlaces(log: EventLog): Promise<string[]> {
  return (await log.parked({ limit: 100 })).map(({ position, key }) => `${position} ${key}`);
}

async function stored(log: EventLog, position: number): Promise<void> {
  while (((await log.positions())[0]?.position ?? 0) < position) await new Promise((resolve) => setImmediate(resolve));
}

describe('a record that cannot be handled', () => {
  test.each(['undecodable', 'undecidable'])(
    '%s: it is parked with the later ones of its key while others flow on',
    async (how) => {
      const log = memoryLog();
      const open = await lane(log);
      await feed(open, [
        record(1, { key: 'p', [how]: true }),
        record(2, { key: 'q', to: 'q' }),
        record(3, { key: 'p', to: 'p' }),
      ]);
      await feed(open, [record(4, { key: 'p', to: 'p' }), record(5, { key: 'q', to: 'q' })]);
      await stored(log, 5);
      expect(await parkedPlaces(log)).toEqual(['1 p', '3 p', '4 p']);
      expect((await log.parked({ limit: 3 })).map(({ error }) => error)).toEqual([
        how === 'undecodable' ? 'cannot be decoded' : 'cannot be decided',
        'waits behind a parked record of its key',
        'waits behind a parked record of its key',
      ]);
      expect([await totalOf(log, 'p'), await totalOf(log, 'q')]).toEqual([0, 2]);
    },
  );

  test('one that means nothing here does not wait behind a parked one', async () => {
    const log = memoryLog();
    const open = await lane(log);
    await feed(open, [record(1, { key: 'p', undecodable: true }), record(2, { key: 'p' })]);
    await open.stop();
    expect(await parkedPlaces(log)).toEqual(['1 p']);
    expect((await log.positions())[0]?.position).toBe(2);
  });

  test('its key stays parked across a restart', async () => {
    const log = memoryLog();
    const first = await lane(log);
    await feed(first, [record(1, { key: 'p', undecodable: true })]);
    await first.stop();
    const second = await lane(log);
    await feed(second, [record(2, { key: 'p', to: 'p' })]);
    await second.stop();
    expect(await parkedPlaces(log)).toEqual(['1 p', '2 p']);
  });

  test('a value that the database refuses parks its record alone, whatever its key looks like', async () => {
    const log = memoryLog();
    const open = await lane(log);
    const records = [1, 2, 3, 4, 5].map((n) => record(n, { key: `k${n}`, to: n === 3 ? 'bad-\u0000' : 'a' }));
    records[2] = { ...records[2]!, key: 'nul-\u0000-\ud800' };
    await feed(open, records);
    await open.stop();
    expect(await parkedPlaces(log)).toEqual(['3 nul-\uFFFD-\uFFFD']);
    expect(await totalOf(log, 'a')).toBe(4);
    expect((await log.positions())[0]?.position).toBe(5);
  });

  test('a database that is away parks nothing', async () => {
    const log = new FaultyLog(memoryLog());
    const clock = new VirtualClock();
    const open = await lane(log, { clock });
    log.onAppend = (_, attempt) => (attempt <= 4 ? { failure: 'unavailable' } : null);
    await feed(open, [record(1, { to: 'a' }), record(2, { to: 'a' })]);
    await clock.pass(10_000);
    expect(await totalOf(log, 'a')).toBe(2);
    expect(await log.parkedKeys()).toEqual([]);
  });

  test('one that was parked although the append seemed to fail keeps its key parked', async () => {
    const log = new FaultyLog(memoryLog());
    const clock = new VirtualClock();
    const open = await lane(log, { clock });
    log.onAppend = (_, attempt) => (attempt === 1 ? { failure: 'unavailable', done: true } : null);
    await feed(open, [record(1, { key: 'p', undecodable: true })]);
    await clock.pass(1_000);
    await feed(open, [record(2, { key: 'p', to: 'p' })]);
    await open.stop();
    expect(await parkedPlaces(log)).toEqual(['1 p', '2 p']);
  });
});

describe('a second outcome of a play', () => {
  test('is dropped with its position and raises an incident; its neighbours are stored', async () => {
    const log = memoryLog();
    const heard: string[] = [];
    const open = await lane(log, { onIncident: ({ subject }) => heard.push(subject) });
    const playId = randomUUID();
    await runOne(open, settle(playId));
    await feed(open, [
      record(1, { to: 'a' }),
      record(2, { settle: playId }, { correlation: playId }),
      record(3, { to: 'a' }),
    ]);
    await open.stop();
    expect((await log.positions())[0]?.position).toBe(3);
    expect(await totalOf(log, 'a')).toBe(2);
    expect(await log.parkedKeys()).toEqual([]);
    expect(heard).toEqual([playId]);
    const raised = (await log.read(0, 10)).filter(({ type }) => type === 'IncidentRaised');
    expect(raised).toHaveLength(1);
    const data = JSON.parse(raised[0]!.data);
    expect(data).toMatchObject({ kind: 'second-outcome', subject: playId });
    expect(raised[0]).toMatchObject({ stream: `incident-${data.incidentId}`, version: 1 });
  });
});

test('a refusal that its play’s stream has already is a second outcome too', async () => {
  const log = memoryLog();
  const open = await lane(log);
  const refuse = {
    states: [],
    decide(draft: Draft) {
      draft.emitOnce('play-1', { type: 'UnitRefused' });
      return { answer: null };
    },
  };
  const playId = randomUUID();
  await open.take([1, 2].map((n) => ({ record: record(n, {}, { correlation: playId }), work: refuse })));
  await feed(open, [record(3, { to: 'a' })]);
  await open.stop();
  const events = await log.read(0, 10);
  expect(events.map(({ type }) => type).sort()).toEqual(['Added', 'IncidentRaised', 'UnitRefused']);
  expect(await log.parkedKeys()).toEqual([]);
  expect((await log.positions())[0]?.position).toBe(3);
});

describe('sending again', () => {
  test('handles the records of a key in order, lets others flow meanwhile, and frees the key', async () => {
    const log = memoryLog();
    const open = await lane(log, { maxBatch: 3 });
    const mended = { now: false };
    const records = Array.from({ length: 8 }, (_, i) =>
      record(i + 1, { key: 'p', to: 'p', add: 10 ** i, ...(i === 0 && { undecodable: true }) }),
    );
    await feed(open, records, handler(mended));
    await stored(log, 8);
    expect(await parkedPlaces(log)).toHaveLength(8);
    mended.now = true;
    const [sent] = await Promise.all([
      sendAgain(log, open, [handler(mended)], 'p'),
      feed(open, [record(9, { key: 'q', to: 'q' }), record(10, { key: 'p', to: 'p', add: 10 ** 8 })]),
    ]);
    expect(sent).toMatchObject({ left: 0, error: null });
    await feed(open, [record(11, { key: 'p', to: 'p', add: 10 ** 9 })]);
    await open.stop();
    expect(await totalOf(log, 'q')).toBe(1);
    const amounts = (await log.read(0, 100))
      .filter(({ stream }) => stream === 'counter-p')
      .map(({ data }) => JSON.parse(data).amount);
    expect(amounts).toEqual(Array.from({ length: 10 }, (_, i) => 10 ** i));
    expect(await log.parkedKeys()).toEqual([]);
  });

  test('stops at the first that fails again and keeps it and the rest parked in order', async () => {
    const log = memoryLog();
    const open = await lane(log);
    const mended = { now: false };
    await feed(
      open,
      [
        record(1, { key: 'p', to: 'p', undecidable: true }),
        record(2, { key: 'p', to: 'p' }),
        record(3, { key: 'p', to: 'bad-\u0000' }),
        record(4, { key: 'p', to: 'p' }),
      ],
      handler(mended),
    );
    await stored(log, 4);
    mended.now = true;
    const sent = await sendAgain(log, open, [handler(mended)], 'p');
    expect(sent).toEqual({ handled: 2, left: 2, error: expect.stringContaining('cannot be stored') });
    expect(await parkedPlaces(log)).toEqual(['3 p', '4 p']);
    await feed(open, [record(5, { key: 'p', to: 'p' })]);
    await open.stop();
    expect(await parkedPlaces(log)).toEqual(['3 p', '4 p', '5 p']);
    expect(await totalOf(log, 'p')).toBe(2);
  });

  test('stops there also where the later ones of the same page would succeed', async () => {
    const log = memoryLog();
    const open = await lane(log);
    const once = { now: false };
    const orders = [{ undecodable: true }, {}, { undecidable: true }, {}];
    await feed(
      open,
      orders.map((order, i) => record(i + 1, { key: 'p', to: 'p', ...order })),
    );
    await stored(log, 4);
    const decodes = {
      ...handler(once),
      work(sent: SourceRecord) {
        once.now = sent.position < 3;
        return handler(once).work(sent);
      },
    };
    expect(await sendAgain(log, open, [decodes], 'p')).toEqual({ handled: 2, left: 2, error: 'cannot be decided' });
    expect(await parkedPlaces(log)).toEqual(['3 p', '4 p']);
    expect(await totalOf(log, 'p')).toBe(2);
  });

  test('twice at once handles each record once', async () => {
    const log = memoryLog();
    const open = await lane(log);
    const mended = { now: false };
    const records = [1, 2, 3].map((n) => record(n, { key: 'p', to: 'p', ...(n === 1 && { undecodable: true }) }));
    await feed(open, records, handler(mended));
    await stored(log, 3);
    mended.now = true;
    const sent = await Promise.all([1, 2].map(() => sendAgain(log, open, [handler(mended)], 'p')));
    expect(sent.map(({ handled }) => handled).sort()).toEqual([0, 3]);
    expect(await totalOf(log, 'p')).toBe(3);
  });

  test('a second outcome among them is dropped with an incident and does not hold up the rest', async () => {
    const log = memoryLog();
    const open = await lane(log);
    const playId = randomUUID();
    const mended = { now: false };
    await runOne(open, settle(playId));
    await feed(
      open,
      [
        record(1, { key: 'p', to: 'p', undecodable: true }),
        record(2, { key: 'p', settle: playId }),
        record(3, { key: 'p', to: 'p' }),
      ],
      handler(mended),
    );
    await stored(log, 3);
    mended.now = true;
    expect(await sendAgain(log, open, [handler(mended)], 'p')).toEqual({ handled: 3, left: 0, error: null });
    expect(await totalOf(log, 'p')).toBe(2);
    expect((await log.read(0, 100)).filter(({ type }) => type === 'IncidentRaised')).toHaveLength(1);
  });

  test('each source of a key is sent to its own handler, and one that fails does not hold the other', async () => {
    const log = memoryLog();
    const open = await lane(log);
    const mended = { now: false };
    const wallet = { source: 'wallet' };
    await feed(open, [record(1, { key: 'p', to: 'i', undecodable: true })], handler(mended));
    await feed(open, [record(1, { key: 'p', to: 'w', undecodable: true }, wallet)], handler(mended, 'wallet'));
    await stored(log, 1);
    const onlyWallet = { now: true };
    const sent = await sendAgain(log, open, [handler(mended), handler(onlyWallet, 'wallet')], 'p');
    expect(sent).toEqual({ handled: 1, left: 1, error: 'cannot be decoded' });
    await feed(open, [record(2, { key: 'p', to: 'w' }, wallet), record(2, { key: 'p', to: 'i' })]);
    await open.stop();
    expect(await parkedPlaces(log)).toEqual(['1 p', '2 p']);
    expect([await totalOf(log, 'w'), await totalOf(log, 'i')]).toEqual([2, 0]);
  });

  test('a projector goes on behind what is parked', async () => {
    const log = memoryLog();
    const open = await lane(log);
    const projector = projectInto(open, handler(), { name: 'wallet', newId: randomUUID, onGap: () => undefined });
    await projector.handle([record(1, { key: 'p', undecodable: true }), record(2, { to: 'a' })], true);
    await projector.handle([record(3, { key: 'p', to: 'a' }), record(4, { to: 'a' })], true);
    await open.stop();
    expect(await totalOf(log, 'a')).toBe(2);
    expect(await parkedPlaces(log)).toEqual(['1 p', '3 p']);
  });
});
