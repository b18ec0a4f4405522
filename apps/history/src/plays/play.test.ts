import fc from 'fast-check';
import { merge, type Play, type PlayFact, toRecord } from './play.ts';

const playId = '01920000-0000-7000-8000-000000000001';
const playerId = '5f0c2a52-7d1c-4b53-9a52-000000000001';
const order = {
  game: 'pharaon',
  stakeCents: 100,
  regulation: 'pharaon@2008-12-17',
  mode: 'auto',
  placedAt: '2009-02-05T12:00:00.000Z',
};
const unit = {
  kind: 'issued' as const,
  blockId: '01920000-0000-7000-8000-00000000b10c',
  sequence: 6,
  unitIndex: 887,
  prizeCents: 200,
  seed: '00112233445566778899aabbccddeeff',
  mechanic: 'pharaon/1',
  scriptDigest: null,
  issuedAt: '2009-02-05T12:00:00.010Z',
};

const debited: PlayFact = { playId, playerId, order, walletPosition: 41 };
const issued: PlayFact = { playId, playerId, order, outcome: unit };
const issuedWithoutPrize: PlayFact = { playId, playerId, order, outcome: { ...unit, prizeCents: 0 } };
const credited: PlayFact = {
  playId,
  playerId,
  payment: { kind: 'prize', amountCents: 200, paidAt: '2009-02-05T12:00:00.020Z' },
};
const refused: PlayFact = {
  playId,
  playerId,
  order,
  outcome: { kind: 'refused', reason: 'sale-closed', refusedAt: '2009-02-05T12:00:00.011Z' },
};
const refunded: PlayFact = {
  playId,
  playerId,
  payment: { kind: 'refund', amountCents: 100, paidAt: '2009-02-05T12:00:00.021Z' },
};

const lives = {
  won: [debited, issued, credited],
  lost: [debited, issuedWithoutPrize],
  refunded: [debited, refused, refunded],
};

function told(facts: readonly PlayFact[]): { play: Play | null; contradictions: readonly string[] } {
  let play: Play | null = null;
  const contradictions: string[] = [];
  for (const fact of facts) {
    const merged = merge(play, fact);
    play = merged.play;
    contradictions.push(...merged.contradictions);
  }
  return { play, contradictions };
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

describe.each(Object.entries(lives))('a play that was %s', (status, facts) => {
  const expected = told(facts);

  test('reads the same whatever order its events come in', () => {
    for (const order of permutations(facts)) expect(told(order)).toEqual(expected);
    expect(toRecord(expected.play!, null)?.status).toBe(status);
  });

  test('reads the same when events come twice, between others, in any order', () => {
    const repeated = fc
      .array(fc.constantFrom(...facts), { maxLength: 6 })
      .chain((more) => fc.shuffledSubarray([...facts, ...more], { minLength: facts.length + more.length }));
    fc.assert(fc.property(repeated, (order) => expect(told(order)).toEqual(expected)));
  });

  test('never loses what an earlier event told', () => {
    for (const order of permutations(facts)) {
      let play: Play | null = null;
      for (const fact of order) {
        const before: Record<string, unknown> = { ...play };
        play = merge(play, fact).play;
        for (const [name, value] of Object.entries(before))
          if (value !== null) expect(play).toHaveProperty(name, value);
      }
    }
  });
});

test('a play is pending from its debit until issuance answers, and paid once the wallet has paid (REG-4.2)', () => {
  expect(toRecord(told([debited]).play!, null)).toMatchObject({
    status: 'pending',
    prizeCents: null,
    blockId: null,
    settledAt: null,
    walletPosition: 41,
  });
  expect(toRecord(told([debited, issued]).play!, null)).toMatchObject({ status: 'won', prizeCents: 200, paidAt: null });
  expect(toRecord(told([debited, issued, credited]).play!, null)).toMatchObject({
    status: 'won',
    paidAt: '2009-02-05T12:00:00.020Z',
  });
});

test('a lost play has a prize of 0, a refunded one has its reason and no prize', () => {
  expect(toRecord(told(lives.lost).play!, null)).toMatchObject({ status: 'lost', prizeCents: 0, reason: null });
  expect(toRecord(told(lives.refunded).play!, null)).toMatchObject({
    status: 'refunded',
    prizeCents: null,
    reason: 'sale-closed',
  });
});

test('a payment alone does not make a play that can be told', () => {
  expect(toRecord(told([credited]).play!, null)).toBeNull();
});

test('a second outcome, another order, another debit or another payment is reported, and the first one stands', () => {
  const other = { ...issued, outcome: { ...unit, unitIndex: 888 } };
  expect(told([debited, issued, other])).toEqual({
    play: told([debited, issued]).play,
    contradictions: ['two-outcomes'],
  });
  expect(told([debited, issued, refused])).toEqual({
    play: told([debited, issued]).play,
    contradictions: ['two-outcomes'],
  });
  expect(told([debited, { ...debited, walletPosition: 42 }])).toEqual({
    play: told([debited]).play,
    contradictions: ['two-debits'],
  });
  expect(
    told([issued, credited, { ...credited, payment: { ...credited.payment!, amountCents: 400 } }]).contradictions,
  ).toEqual(['two-payments']);
  expect(told([debited, { ...issued, playerId: 'someone else' }])).toEqual({
    play: told([debited]).play,
    contradictions: ['two-players'],
  });
});

test('where the order differs the wallet is believed, whichever came first', () => {
  const another = { ...issued, order: { ...order, stakeCents: 200 } };
  const first = told([debited, another]);
  const last = told([another, debited]);
  expect(first).toEqual({ play: last.play, contradictions: ['two-orders'] });
  expect(last.contradictions).toEqual(['two-orders']);
  expect(first.play?.order?.stakeCents).toBe(100);
});

test.each([
  ['a refund for an issued unit', [issued, refunded]],
  ['a prize for a refused unit', [refused, credited]],
  ['a prize that is not the unit’s', [issued, { ...credited, payment: { ...credited.payment!, amountCents: 400 } }]],
])('%s is reported, whichever came first', (_, facts) => {
  expect(told(facts).contradictions).toEqual(['payment-unlike-outcome']);
  expect(told(facts.toReversed()).contradictions).toEqual(['payment-unlike-outcome']);
});
