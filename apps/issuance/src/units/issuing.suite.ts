import { AppendError, type EventLog, type Incident, type SourceRecord } from '#event-sourcing';
import { publicKeyEntry, toHex, verifyCommitments } from '#fairness';
import { ScriptShelf, type Scripts } from '#mechanics';
import { cents } from '#money';
import { TINY_PRIZES, tinyRegulation } from '../../../../test/fixtures/tiny-game.ts';
import type { SealedStore } from '../blocks/sealed-block.ts';
import {
  blocksKey,
  type IssuanceParts,
  openIssuance,
  plainScripts,
  Stakes,
  sealsWith,
  type TestIssuance,
} from '../issuance.fixture.ts';

export interface OpenedStore {
  readonly log: EventLog;
  readonly sealed: SealedStore;
  close(): Promise<void>;
}

/** What issuing guarantees, whatever log and store it runs over. */
export function issuingSuite(openStore: () => Promise<OpenedStore>): void {
  const regulation = tinyRegulation();
  let store: OpenedStore;
  let issuance: TestIssuance;
  let stakes: Stakes;

  const restart = async (parts: Partial<IssuanceParts> = {}) => {
    await issuance?.stop();
    issuance = await openIssuance({ log: store.log, sealed: store.sealed, regulations: [regulation], ...parts });
  };
  const sorted = (values: readonly number[]) => [...values].sort((a, b) => b - a);
  const issued = async () => (await issuance.events('UnitIssued')).map(({ body }) => body);
  const refused = async () => (await issuance.events('UnitRefused')).map(({ body }) => body);
  const onSale = async (blocks: number) => {
    await issuance.approve({ blocks });
    await issuance.until('SaleOpened', 1);
  };

  beforeEach(async () => {
    store = await openStore();
    stakes = new Stakes(regulation);
    issuance = await openIssuance({ log: store.log, sealed: store.sealed, regulations: [regulation] });
  });

  afterEach(async () => {
    await issuance.stop();
    await store.close();
  });

  test('REG-2.1: a block issues each of its units once, and its prizes are exactly the table', async () => {
    await onSale(1);
    await issuance.deliver(stakes.records(20));
    const units = await issued();
    expect(units).toHaveLength(20);
    expect(new Set(units.map(({ unitIndex }) => unitIndex)).size).toBe(20);
    expect(units.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    const prizes = units.map(({ prizeCents }) => prizeCents as number).filter((prize) => prize > 0);
    expect(sorted(prizes)).toEqual(sorted(TINY_PRIZES));
  });

  test('a unit repeats the play that it settles, and its stream counts the sales of its block', async () => {
    await onSale(1);
    const records = stakes.records(3);
    await issuance.deliver(records);
    const events = await issuance.events('UnitIssued');
    for (const [n, { stream, version, correlation, body }] of events.entries()) {
      const { availableCents: _, ...play } = records[n]!.body as Record<string, unknown>;
      expect(body).toMatchObject({ ...play, sequence: n, mechanic: 'tiny/1', scriptDigest: expect.any(String) });
      expect({ stream, version, correlation }).toEqual({
        stream: `block-${body['blockId']}`,
        version: n + 1,
        correlation: play['playId'],
      });
    }
  });

  test('REG-2.1: the last units of a block and the first of the next are issued in one batch', async () => {
    await onSale(2);
    await issuance.until('BlockCommitted', 2);
    await issuance.deliver(stakes.records(15));
    await issuance.deliver(stakes.records(10));
    const units = await issued();
    const [first, second] = [...new Set(units.map(({ blockId }) => blockId))];
    expect(units.map(({ blockId, sequence }) => [blockId, sequence])).toEqual([
      ...Array.from({ length: 20 }, (_, n) => [first, n]),
      ...Array.from({ length: 5 }, (_, n) => [second, n]),
    ]);
    const crossing = await issuance.events('UnitIssued', 'BlockExhausted', 'BlockOpened');
    const place = crossing.findIndex(({ type }) => type === 'BlockExhausted');
    expect(crossing[place]?.body).toMatchObject({ blockId: first });
    expect(crossing[place + 1]).toMatchObject({ type: 'UnitIssued', body: { blockId: second, sequence: 0 } });
    expect(new Set(crossing.slice(place - 5, place + 7).map(({ batch }) => batch)).size).toBe(1);
  });

  test('a batch that outgrows every block that is ready waits for the next ones and loses nothing', async () => {
    await onSale(10);
    await issuance.deliver(stakes.records(190));
    expect(await issued()).toHaveLength(190);
    expect(await refused()).toEqual([]);
    expect(await issuance.events('BlockExhausted')).toHaveLength(9);
  });

  test('REG-2.1: with the last unit of all that was approved the sale closes in the same append, and what was in flight is refused', async () => {
    await onSale(1);
    await issuance.deliver(stakes.records(23));
    const closing = await issuance.events('UnitIssued', 'SaleClosed', 'UnitRefused');
    expect(closing[20]).toMatchObject({ type: 'SaleClosed', batch: closing[19]?.batch });
    expect(closing[20]?.body).toEqual({ game: 'tiny', stakeCents: 100, regulation: regulation.id, notice: null });
    expect((await refused()).map(({ reason }) => reason)).toEqual(Array(3).fill('no-unit-left'));
    await issuance.deliver(stakes.records(1));
    expect((await refused()).at(-1)).toMatchObject({ reason: 'no-unit-left' });
  });

  test('another emission opens the sale again where it was used up, and goes on where it was not', async () => {
    await onSale(1);
    await issuance.deliver(stakes.records(20));
    await issuance.approve();
    await issuance.until('SaleOpened', 2);
    await issuance.approve();
    await issuance.until('BlockCommitted', 3);
    await issuance.deliver(stakes.records(40));
    expect(await issued()).toHaveLength(60);
    expect(await issuance.events('SaleClosed')).toHaveLength(2);
  });

  test('an emission that is approved twice under one id is sold once', async () => {
    const order = { emissionId: '0197f3c0-0000-7000-8000-00000000000e', blocks: 1 };
    expect(await issuance.approve(order)).toEqual({ kind: 'approved' });
    expect(await issuance.approve(order)).toEqual({ kind: 'repeated' });
    expect(await issuance.approve({ ...order, blocks: 2 })).toMatchObject({ refused: 'emission-already-approved' });
    await issuance.until('SaleOpened', 1);
    await issuance.deliver(stakes.records(21));
    expect(await issued()).toHaveLength(20);
    expect(await issuance.events('EmissionApproved')).toHaveLength(1);
  });

  test('REG-1.1: while a game is suspended, stakes in flight are refused, and the other units are sold after it', async () => {
    await onSale(1);
    await issuance.deliver(stakes.records(2));
    const notice = { fr: 'Interruption', en: 'Interruption' };
    expect(await issuance.suspend('tiny', notice)).toEqual([100, 200]);
    expect(await issuance.suspend('tiny', notice)).toEqual([]);
    await issuance.deliver(stakes.records(2));
    expect((await refused()).map(({ reason }) => reason)).toEqual(['sale-suspended', 'sale-suspended']);
    expect(await issuance.resume('tiny')).toEqual([100, 200]);
    expect(await issuance.resume('tiny')).toEqual([]);
    await issuance.deliver(stakes.records(1));
    expect((await issued()).map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
    const sales = await issuance.events('SaleSuspended', 'SaleResumed', 'SaleClosed');
    expect(sales.map(({ type, body }) => [type, body['stakeCents'], body['notice']])).toEqual([
      ['SaleSuspended', 100, notice],
      ['SaleSuspended', 200, notice],
      ['SaleResumed', 100, null],
      ['SaleClosed', 200, null],
    ]);
  });

  test('a unit comes only from a block of the regulation that the stake names', async () => {
    await onSale(1);
    await issuance.deliver(stakes.records(1, { regulation: 'tiny@2019-01-01' }));
    expect((await refused()).map(({ reason }) => reason)).toEqual(['regulation-changed']);
  });

  test('a stake for what has never been on sale is refused as closed', async () => {
    await issuance.deliver(stakes.records(1));
    await issuance.deliver(stakes.records(1, { game: 'unheard-of', stakeCents: cents(7) }));
    expect((await refused()).map(({ reason }) => reason)).toEqual(['sale-closed', 'sale-closed']);
  });

  test('a refusal repeats the play, on a stream of its own', async () => {
    const [record] = stakes.records(1) as [SourceRecord];
    await issuance.deliver([record]);
    const { availableCents: _, ...play } = record.body as Record<string, unknown>;
    const [{ stream, version, correlation, body }] = (await issuance.events('UnitRefused')) as [never];
    expect(body).toMatchObject({ ...play, reason: 'sale-closed' });
    expect({ stream, version, correlation }).toEqual({
      stream: `play-${play['playId']}`,
      version: 1,
      correlation: play['playId'],
    });
  });

  test('the same StakeDebited delivered twice gets one unit, also after a restart', async () => {
    await onSale(1);
    const records = stakes.records(5);
    await issuance.deliver(records);
    await issuance.deliver(records);
    await restart();
    await issuance.deliver(records);
    await issuance.deliver([...records, ...stakes.records(1)]);
    expect((await issued()).map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('a second StakeDebited of one play gets no second outcome, and an incident is raised', async () => {
    await onSale(1);
    const [first] = stakes.records(1) as [SourceRecord];
    const [second] = stakes.records(1, first.body as never) as [SourceRecord];
    await issuance.deliver([first, second, ...stakes.records(1)]);
    expect((await issued()).map(({ playId }) => playId)).toHaveLength(2);
    expect(await issuance.events('IncidentRaised')).toHaveLength(1);
  });

  test('a record that is no StakeDebited of ours is parked and stops nobody else', async () => {
    await onSale(1);
    const [broken, whole] = stakes.records(2) as [SourceRecord, SourceRecord];
    await issuance.deliver([{ ...broken, body: { ...(broken.body as object), stakeCents: '100' } }, whole]);
    expect(await issued()).toHaveLength(1);
    expect((await store.log.parked({ limit: 10 })).map(({ position }) => position)).toEqual([broken.position]);
  });

  test('after a restart the open block goes on with its next unit', async () => {
    await onSale(2);
    await issuance.until('BlockCommitted', 2);
    await issuance.deliver(stakes.records(18));
    await restart();
    await issuance.deliver(stakes.records(4));
    const units = await issued();
    expect(units.map(({ sequence }) => sequence).slice(17)).toEqual([17, 18, 19, 0, 1]);
    const prizes = units.slice(0, 20).map(({ prizeCents }) => prizeCents as number);
    expect(sorted(prizes.filter((prize) => prize > 0))).toEqual(sorted(TINY_PRIZES));
  });

  test('every block is committed before its first sale, in one signed and chained list', async () => {
    await onSale(3);
    await issuance.approve({ stakeCents: cents(200) });
    await issuance.until('SaleOpened', 2);
    await issuance.deliver(stakes.records(45));
    const list = await issuance.events('BlockCommitted');
    expect(list).toHaveLength(4);
    expect(list.map(({ stream, version }) => [stream, version])).toEqual(list.map((_, n) => ['commitments', n + 1]));
    const keys = { keys: [publicKeyEntry(blocksKey, 'blocks', '2020-01-01T00:00:00.000Z')] };
    expect(
      verifyCommitments(
        list.map(({ body }) => body),
        keys,
      ),
    ).toHaveProperty('accepted');
    const committedAt = new Map(list.map(({ body, position }) => [body['blockId'], position]));
    for (const sale of await issuance.events('BlockOpened', 'UnitIssued')) {
      expect(committedAt.get(sale.body['blockId'])).toBeLessThan(sale.position);
    }
  });

  test('one block waits behind the open one from its opening on, and no more', async () => {
    await onSale(5);
    await issuance.until('BlockCommitted', 2);
    await issuance.deliver(stakes.records(1));
    expect(await issuance.events('BlockCommitted')).toHaveLength(2);
    await issuance.deliver(stakes.records(19));
    await issuance.until('BlockCommitted', 3);
    await issuance.deliver(stakes.records(1));
    expect(await issuance.events('BlockCommitted')).toHaveLength(3);
    expect(await issuance.events('BlockOpened')).toHaveLength(3);
  });

  test('REG-1.1: a block that is open before the opening date is not sold before it', async () => {
    const later = tinyRegulation({ opensOn: '2999-01-01' });
    await restart({ regulations: [later] });
    await issuance.approve();
    await issuance.until('BlockOpened', 1);
    await issuance.deliver(stakes.records(1));
    expect(await issuance.events('SaleOpened')).toEqual([]);
    expect((await refused()).map(({ reason }) => reason)).toEqual(['sale-closed']);
  });

  test('a crash between sealing and committing leaves no half of a block: the row is forgotten, and a block prepared', async () => {
    let crash = true;
    const crashing = sealsWith(store.sealed, {
      store: async (block) => {
        await store.sealed.store(block);
        if (crash) throw new Error('the process dies here');
      },
    });
    const reports: string[] = [];
    await restart({ sealed: crashing, report: (line) => reports.push(line) });
    await issuance.approve();
    while (reports.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    crash = false;
    const orphans = await store.sealed.withoutEntry(10);
    expect(orphans).toHaveLength(1);
    await restart();
    await issuance.until('SaleOpened', 1);
    await issuance.deliver(stakes.records(20));
    expect(await issued()).toHaveLength(20);
    expect(await issuance.events('BlockCommitted')).toHaveLength(1);
    expect(await store.sealed.withoutEntry(10)).toEqual([]);
    expect(await store.sealed.open(orphans)).toEqual([]);
  });

  test('a crash between committing and its note leaves the block in sale', async () => {
    const forgetful = sealsWith(store.sealed, {
      setEntry: async () => Promise.reject(new Error('the process dies here')),
    });
    await restart({ sealed: forgetful });
    await onSale(1);
    await restart();
    expect(await store.sealed.withoutEntry(10)).toEqual([]);
    await issuance.deliver(stakes.records(20));
    expect(await issued()).toHaveLength(20);
  });

  test('no secret and no seed of a unit that is not sold stands in any event or report', async () => {
    const secrets: Uint8Array[] = [];
    const reports: string[] = [];
    const random = (bytes: number) => {
      const made = globalThis.crypto.getRandomValues(new Uint8Array(bytes));
      if (bytes === 32) secrets.push(made.slice());
      return made;
    };
    await restart({ random, report: (line) => reports.push(line) });
    await onSale(2);
    await issuance.until('BlockCommitted', 2);
    await issuance.deliver(stakes.records(5));
    const text = JSON.stringify(await issuance.events()) + reports.join('\n');
    expect(secrets).toHaveLength(2);
    for (const secret of secrets) {
      expect(text).not.toContain(toHex(secret));
      expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40));
    }
    const sold = new Set((await issued()).map(({ seed }) => seed));
    const blockIds = (await issuance.events('BlockCommitted')).map(({ body }) => body['blockId'] as string);
    const seeds = blockIds.flatMap((blockId) =>
      Array.from({ length: 20 }, (_, unit) => issuance.vault.unit(blockId, unit).seed),
    );
    expect(seeds.filter((seed) => !sold.has(seed))).toHaveLength(35);
    for (const seed of seeds) if (!sold.has(seed)) expect(text).not.toContain(seed);
  });

  test('the contents of a block are wiped from memory once it is exhausted', async () => {
    await onSale(2);
    await issuance.until('BlockCommitted', 2);
    const [first] = (await issuance.events('BlockOpened')).map(({ body }) => body['blockId'] as string);
    expect(issuance.vault.has(first!)).toBe(true);
    await issuance.deliver(stakes.records(20));
    for (let turn = 0; turn < 500 && issuance.vault.has(first!); turn++)
      await new Promise((done) => setTimeout(done, 2));
    expect(issuance.vault.has(first!)).toBe(false);
    await issuance.deliver(stakes.records(1));
    expect(await issued()).toHaveLength(21);
  });

  describe('the script of a unit', () => {
    const { scriptOf } = new ScriptShelf(() => regulation, plainScripts);
    const incidents = async () => (await issuance.events('IncidentRaised')).map(({ body }) => body);
    /** Those whose prize a referee takes for another. */
    const judging = (wrong: (prizeCents: number) => boolean) => (game: typeof regulation, stakeCents: number) => {
      const plain = plainScripts(game, stakeCents);
      const judge: Scripts['judge'] = (script) => {
        const { prizeCents } = script as unknown as { prizeCents: number };
        return wrong(prizeCents) ? { invalid: 'no such picture' } : plain.judge(script);
      };
      return { ...plain, judge };
    };

    test('REG-4.3: its digest is issued with it, once the referee has judged it to the sealed prize', async () => {
      await onSale(1);
      await issuance.deliver(stakes.records(20));
      for (const unit of await issued()) {
        const judged = scriptOf({ ...unit, regulation: regulation.id, mechanic: 'tiny/1', stakeCents: 100 } as never);
        expect('digest' in judged && judged.digest).toBe(unit['scriptDigest']);
      }
      expect(new Set((await issued()).map(({ scriptDigest }) => scriptDigest)).size).toBe(20);
      expect(await incidents()).toEqual([]);
    });

    test('REG-4.3: one that the referee rejects is withheld and reported; the unit, its prize and its block stand', async () => {
      const told: Incident[] = [];
      await restart({ scripts: judging((prize) => prize === 500), withheld: (incident) => told.push(incident) });
      await onSale(1);
      await issuance.deliver(stakes.records(20));
      const units = await issued();
      const prizes = units.map(({ prizeCents }) => prizeCents as number).filter((prize) => prize > 0);
      expect(sorted(prizes)).toEqual(sorted(TINY_PRIZES));
      const withheld = units.filter(({ scriptDigest }) => scriptDigest === null);
      expect(withheld.map(({ prizeCents }) => prizeCents)).toEqual([500, 500]);
      expect(await incidents()).toEqual(
        withheld.map(({ playId, unitIndex, blockId, issuedAt }) => ({
          incidentId: expect.any(String),
          kind: 'script-rejected',
          subject: playId,
          detail: `tiny/1, unit ${unitIndex} of block ${blockId}: the referee rejects it: no such picture`,
          raisedAt: issuedAt,
        })),
      );
      expect(told.map(({ subject }) => subject)).toEqual(withheld.map(({ playId }) => playId));
      const log = await issuance.events();
      for (const { correlation, batch } of log.filter(({ body }) => body['scriptDigest'] === null)) {
        expect(log.filter((event) => event.body['subject'] === correlation).map((event) => event.batch)).toEqual([
          batch,
        ]);
      }
      expect(await issuance.events('SaleClosed')).toHaveLength(1);
    });

    test.each<[string, (plain: Scripts) => Partial<Scripts>]>([
      [
        'a renderer that throws',
        () => ({
          render: (_, seed) => {
            throw new Error(`no draw for ${seed}`);
          },
        }),
      ],
      ['a referee who finds another prize', () => ({ judge: () => ({ prizeCents: cents(700) }) })],
    ])('REG-4.3: %s withholds the script and no more, and no report holds the seed', async (_, changed) => {
      await restart({
        scripts: (game, stakeCents) => {
          const plain = plainScripts(game, stakeCents);
          return { ...plain, ...changed(plain) };
        },
      });
      await onSale(1);
      await issuance.deliver(stakes.records(20));
      const units = await issued();
      expect(units.map(({ scriptDigest }) => scriptDigest)).toEqual(Array(20).fill(null));
      expect((await incidents()).map(({ subject }) => subject)).toEqual(units.map(({ playId }) => playId));
      const reports = JSON.stringify(await incidents());
      for (const { seed } of units) expect(reports).not.toContain(seed);
    });

    test('a regulation that is not on file withholds its scripts', async () => {
      await onSale(1);
      await restart({ findForScripts: () => null });
      await issuance.deliver(stakes.records(1));
      expect((await issued()).map(({ scriptDigest }) => scriptDigest)).toEqual([null]);
      expect((await incidents())[0]?.['detail']).toMatch(/tiny@2020-01-01 is not on file/);
    });

    test.each<[string, 'stale' | 'unavailable', boolean]>([
      ['others wrote first', 'stale', false],
      ['the database could not be asked', 'unavailable', false],
      ['the answer of the append was lost', 'unavailable', true],
    ])('a decision made again because %s raises its incident once', async (_, failure, stored) => {
      await onSale(1);
      let faults = 1;
      const log = new Proxy(store.log, {
        get(target, name) {
          const member = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          if (name !== 'append') return member.bind(target);
          return async (append: Parameters<EventLog['append']>[0]) => {
            if (append.events.length === 0 || faults-- <= 0) return target.append(append);
            if (stored) await target.append(append);
            throw new AppendError(failure, 'planted');
          };
        },
      });
      await restart({ log, scripts: judging(() => true) });
      await issuance.deliver(stakes.records(3));
      expect(faults).toBeLessThan(1);
      const units = await issued();
      expect(units.map(({ sequence, scriptDigest }) => [sequence, scriptDigest])).toEqual(
        [0, 1, 2].map((n) => [n, null]),
      );
      expect((await incidents()).map(({ subject }) => subject)).toEqual(units.map(({ playId }) => playId));
    });

    test('a second StakeDebited of a play whose script was withheld gets no second outcome either', async () => {
      await restart({ scripts: judging(() => true) });
      await onSale(1);
      const [first] = stakes.records(1) as [SourceRecord];
      const [second] = stakes.records(1, first.body as never) as [SourceRecord];
      await issuance.deliver([first, second]);
      const [third] = stakes.records(1, first.body as never) as [SourceRecord];
      await issuance.deliver([third, ...stakes.records(1)]);
      expect((await issued()).map(({ sequence }) => sequence)).toEqual([0, 1]);
      expect((await incidents()).map(({ kind }) => kind)).toEqual([
        'script-rejected',
        'second-outcome',
        'second-outcome',
        'script-rejected',
      ]);
    });
  });
}
