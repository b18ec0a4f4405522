import { readFileSync } from 'node:fs';
import * as z from 'zod';
import {
  DISCLOSURE_STEPS,
  type DisclosedBlock,
  type DisclosedRefusal,
  type DisclosureToSign,
  type DisclosureVerification,
  disclosedBlockShape,
  parseStrict,
  playDigest,
  prepareBlock,
  type RebuiltBlock,
  sign,
  signDisclosure,
  toHex,
  verifyDisclosure,
} from '#fairness';
import { cents } from '#money';
import {
  COMMITTED_AT,
  key,
  keys,
  openingOf,
  playIdOf,
  receiptOf,
  regulation,
  rules,
  rulesOf,
  type SealedBlock,
  saleOf,
  sealedBlock,
  table,
} from '../test/made-up-platform.ts';

const verification: DisclosureVerification = { keys, rulesOf, isRoundSignature: null };
const block = sealedBlock(1, sealedBlock(0, null).commitment);
const { size } = block.prepared;
/** Sale n was that of play n. */
const sold = (count: number) => Array.from({ length: count }, (_, n) => playDigest(playIdOf(n)));
const allSold = sold(size);
const refusal = (n: number, sequence: number): DisclosedRefusal => ({
  play: playDigest(playIdOf(100_000 + n)),
  sequence,
  reason: 'sale-suspended',
  refusedAt: `2023-08-23T17:00:0${n}.000Z`,
});
const closed = { notice: { fr: 'Fin', en: 'End' }, closedAt: '2023-08-25T00:00:00.000Z' };

function disclosed(change: Partial<DisclosureToSign> = {}, of: SealedBlock = block): DisclosedBlock {
  const disclosure = signDisclosure(
    {
      blockId: of.commitment.blockId,
      secret: toHex(of.secret),
      issued: allSold.join(''),
      refusals: [refusal(0, 3), refusal(1, 3), refusal(2, size)],
      closed: null,
      disclosedAt: '2023-08-26T00:00:00.000Z',
      ...change,
    },
    key,
  );
  return { commitment: of.commitment, opening: of.opening, disclosure };
}

const honest = disclosed();
const verified = (value: unknown, options: Partial<DisclosureVerification> = {}) =>
  verifyDisclosure(value, { ...verification, ...options });
const failureIn = (value: unknown, options: Partial<DisclosureVerification> = {}) =>
  verified(value, options).failure?.name ?? 'accepted';
const detailOf = (value: unknown) => verified(value).failure?.detail;

describe('an honest disclosure', () => {
  test('passes every step in order, and its progress runs to the end', () => {
    const shares: number[] = [];
    const {
      steps,
      failure,
      block: rebuilt,
    } = verified(parseStrict(JSON.stringify(honest)), {
      progress: (share) => shares.push(share),
    });
    expect(failure).toBeNull();
    expect(steps.map(({ name }) => name)).toEqual([...DISCLOSURE_STEPS]);
    expect(steps.filter(({ outcome }) => outcome === 'noted').map(({ name }) => name)).toEqual(['opening']);
    expect(shares.at(-1)).toBe(1);
    expect(rebuilt?.issued).toBe(size);
  });

  test('counts every row of the table in the rebuilt block', () => {
    const { rows } = table;
    expect(verified(honest).block?.counts()).toEqual([
      ...rows.map(({ count, prizeCents }) => ({ count, prizeCents })),
      { prizeCents: 0, count: size - 721 },
    ]);
  });

  test('of a block that was closed early has fewer sales and a public reason', () => {
    const early = disclosed({ closed, issued: sold(10).join(''), refusals: [refusal(0, 10)] });
    expect(failureIn(early)).toBe('accepted');
    expect(verified(early).block?.issued).toBe(10);
  });

  test('of a block that was never drawn, and sold nothing, needs no opening', () => {
    const unsold = { ...disclosed({ closed, issued: '', refusals: [] }), opening: null };
    expect(failureIn(unsold)).toBe('accepted');
    expect(failureIn({ ...disclosed({ closed, issued: allSold[0]!, refusals: [] }), opening: null })).toBe('opening');
  });

  test('with keys that came with it proves nothing', () => {
    expect(failureIn(honest, { pinned: false })).toBe('keys');
    expect(verified(honest, { pinned: false }).block).toBeNull();
  });

  test('with a clock that was set back is accepted, with a note', () => {
    const { steps, failure } = verified(disclosed({ refusals: [refusal(1, 3), refusal(0, 4)] }));
    expect(failure).toBeNull();
    expect(steps).toContainEqual({
      name: 'refusals',
      outcome: 'noted',
      detail: 'refusal 1 is timed before the one that it follows',
    });
  });
});

describe('an operator who holds the key is found when he', () => {
  const issued = (plays: readonly string[]) => plays.join('');

  test('sold from a block without its biggest prize, whatever the commitment says', () => {
    const { commitment } = block;
    const rows = regulation.stakes[0]!.rows;
    const poorer = { ...regulation, stakes: [{ stakeCents: cents(50), rows: rows.slice(1) }] };
    const { root, tableDigest } = prepareBlock(poorer, 50, commitment.blockId, block.secret);
    const sealed = sealedBlock(1, null, { root });
    expect(failureIn(disclosed({}, sealed))).toBe('units');
    const open = sealedBlock(1, null, { root, tableDigest });
    expect(failureIn(disclosed({}, open))).toBe('regulation');
  });

  test('swapped two units, so that the block is not the one of its secret', () => {
    const { root } = sealedBlock(8, null).prepared;
    const swapped = sealedBlock(1, null, { root });
    expect(failureIn(disclosed({}, swapped))).toBe('units');
    expect(failureIn(disclosed({ secret: '00'.repeat(32) }))).toBe('units');
  });

  test('skipped a unit: a sale is missing, or somebody stands twice to fill the place', () => {
    const without = allSold.toSpliced(5, 1);
    expect(failureIn(disclosed({ issued: issued(without) }))).toBe('issued');
    expect(failureIn(disclosed({ issued: issued(without.toSpliced(5, 0, allSold[9]!)) }))).toBe('issued');
    expect(failureIn(disclosed({ issued: issued([...without, refusal(0, 3).play]) }))).toBe('issued');
  });

  test('sold more than there was, or closed what was sold out', () => {
    expect(failureIn(disclosed({ issued: issued([...allSold, playDigest(playIdOf(99_999))]) }))).toBe('issued');
    expect(failureIn(disclosed({ closed }))).toBe('issued');
    expect(failureIn(disclosed({ issued: issued(sold(10)), refusals: [] }))).toBe('issued');
  });

  test('hides the order of refusals, or times them outside of the sale', () => {
    expect(failureIn(disclosed({ refusals: [refusal(0, 4), refusal(1, 3)] }))).toBe('refusals');
    expect(failureIn(disclosed({ refusals: [refusal(0, size + 1)] }))).toBe('refusals');
    expect(failureIn(disclosed({ refusals: [refusal(0, 3), refusal(0, 3)] }))).toBe('issued');
    const before = { ...refusal(0, 3), refusedAt: '2023-08-23T15:59:29.999Z' };
    expect(detailOf(disclosed({ refusals: [before] }))).toMatch(/^refusal 0 is timed/);
    const after = { ...refusal(0, 3), refusedAt: '2023-08-26T00:00:00.001Z' };
    expect(failureIn(disclosed({ refusals: [after] }))).toBe('times');
    expect(failureIn(disclosed({ disclosedAt: COMMITTED_AT, refusals: [] }))).toBe('times');
    const late = { ...closed, closedAt: '2023-08-26T00:00:00.001Z' };
    expect(failureIn(disclosed({ closed: late, issued: '', refusals: [] }))).toBe('times');
  });

  test('shows another opening, another commitment, or the disclosure of another block', () => {
    const other = sealedBlock(2, null);
    expect(failureIn({ ...honest, opening: other.opening })).toBe('opening');
    expect(failureIn({ ...honest, opening: openingOf(block.commitment, 9)!, disclosure: honest.disclosure })).toBe(
      'accepted',
    );
    expect(failureIn({ ...honest, opening: sign({ ...block.opening!, start: 1 }, key) })).toBe('opening');
    expect(failureIn({ ...honest, commitment: other.commitment })).toBe('commitment');
    expect(failureIn(honest, { rulesOf: () => ({ ...rules, regulationDigest: 'aa'.repeat(32) }) })).toBe('regulation');
    expect(failureIn(honest, { rulesOf: () => null })).toBe('regulation');
  });
});

describe('a receipt beside the disclosure of its block', () => {
  let rebuilt: RebuiltBlock;
  beforeAll(() => {
    rebuilt = verified(honest).block!;
  });
  const slot = (receipt: Parameters<RebuiltBlock['slotOf']>[0], of = rebuilt) => {
    const checked = of.slotOf(receipt);
    return 'refused' in checked ? checked.detail : 'accepted';
  };

  test('holds its play at its place, with its unit', () => {
    for (const sequence of [0, 5, saleOf(block, 100_000), size - 1]) {
      expect(slot(receiptOf(block, sequence, sequence))).toBe('accepted');
    }
  });

  test('is found when its place was given to another play: sold twice, skipped or moved on', () => {
    expect(slot(receiptOf(block, 5, 6))).toBe('sale 5 is disclosed as that of another play');
    const moved = disclosed({
      issued: allSold
        .toSpliced(5, 1)
        .toSpliced(size - 1, 0, refusal(5, 0).play)
        .join(''),
    });
    const shifted = verified(moved).block!;
    expect(slot(receiptOf(block, 4, 4), shifted)).toBe('accepted');
    expect(slot(receiptOf(block, 6, 6), shifted)).toBe('sale 6 is disclosed as that of another play');
    const short = verified(disclosed({ closed, issued: sold(10).join(''), refusals: [] })).block!;
    expect(slot(receiptOf(block, 10, 10), short)).toBe('the block sold 10 units, so it had no sale 10');
  });

  test('is found when it tells another unit, prize or seed than the block has', () => {
    const told = receiptOf(block, 5, 5);
    const changes: [object, RegExp][] = [
      [{ unitIndex: told.unitIndex + 1 }, /sale 5 sold unit/],
      [{ prizeCents: told.prizeCents + 1 }, /has a prize of/],
      [{ seed: '00'.repeat(16) }, /has another seed/],
      [{ commitment: sealedBlock(2, null).commitment }, /another commitment/],
      [{ opening: openingOf(block.commitment, 9) }, /another opening/],
    ];
    for (const [change, why] of changes) expect(slot({ ...told, ...change })).toMatch(why);
  });
});

describe('strictness', () => {
  const resigned = (change: object) => ({ ...honest, disclosure: sign({ ...honest.disclosure, ...change }, key) });

  test('missing, unknown and malformed members are refused even when signed', () => {
    for (const name of Object.keys(honest.disclosure)) {
      const { [name]: _, ...without } = honest.disclosure as unknown as Record<string, unknown>;
      expect([name, failureIn({ ...honest, disclosure: without })]).toEqual([name, 'form']);
    }
    const malformed: object[] = [
      { colour: 'red' },
      { format: 'enjeu-disclosure/2' },
      { secret: '00' },
      { issued: 'a' },
      { issued: allSold.join('').toUpperCase() },
      { issued: allSold },
      { refusals: [{ ...refusal(0, 3), colour: 'red' }] },
      { refusals: [{ ...refusal(0, 3), reason: 'mood' }] },
      { refusals: [{ ...refusal(0, 3), sequence: -1 }] },
      { closed: { ...closed, notice: { fr: 'Fin' } } },
      { closed: { ...closed, notice: { fr: '', en: '' } } },
      { disclosedAt: '2023-08-26' },
    ];
    for (const change of malformed) expect([change, failureIn(resigned(change))]).toEqual([change, 'form']);
    expect(failureIn({ ...honest, colour: 'red' })).toBe('form');
    for (const thing of [null, [], 'x', 1, undefined]) expect(failureIn(thing)).toBe('form');
    expect(() => signDisclosure({ ...honest.disclosure, secret: 'x' }, key)).toThrow(/secret: must be 32 bytes/);
  });

  test('every member that is changed without signing again is found', () => {
    const changes: object[] = [
      { blockId: sealedBlock(0, null).commitment.blockId },
      { secret: '00'.repeat(32) },
      { issued: [...allSold].reverse().join('') },
      { refusals: [] },
      { closed },
      { disclosedAt: '2023-08-26T00:00:00.001Z' },
      { signature: '00'.repeat(64) },
    ];
    for (const change of changes) {
      expect([change, failureIn({ ...honest, disclosure: { ...honest.disclosure, ...change } })]).toEqual([
        change,
        'signature',
      ]);
    }
  });

  test('plays that differ only late in their digests are different, and the same are found among them', () => {
    const alike = Array.from({ length: size }, (_, n) => `${'ab'.repeat(28)}${n.toString(16).padStart(8, '0')}`);
    expect(failureIn(disclosed({ issued: alike.join('') }))).toBe('accepted');
    expect(failureIn(disclosed({ issued: alike.with(9, alike[2_000]!).join('') }))).toBe('issued');
  });

  test('it has a JSON Schema', () => {
    const schema = z.toJSONSchema(disclosedBlockShape, { io: 'input' });
    expect(schema).toMatchObject({ additionalProperties: false, required: ['commitment', 'opening', 'disclosure'] });
  });
});

test('a play is named as in the vectors', () => {
  const golden = JSON.parse(readFileSync(new URL('./vectors.golden.json', import.meta.url), 'utf8'));
  expect(playDigest(golden.play.playId)).toBe(golden.play.issued);
});
