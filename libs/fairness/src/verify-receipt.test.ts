import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as z from 'zod';
import {
  type Commitment,
  canonicalDigest,
  commitmentListShape,
  compareReceipts,
  entryDigest,
  loadBeaconCheck,
  openingShape,
  parseStrict,
  prizeTable,
  proofOf,
  publicKeyEntry,
  RECEIPT_STEPS,
  type Receipt,
  type ReceiptVerification,
  receiptShape,
  sign,
  signingKey,
  signOpening,
  signReceipt,
  stretchOf,
  tableDigest,
  toHex,
  verifyReceipt,
} from '#fairness';
import { cents } from '#money';
import {
  ISSUED_AT,
  key,
  keys,
  OPENED_AT,
  playerIdOf,
  playIdOf,
  receiptOf,
  regulation,
  rules,
  rulesOf,
  SIGNED_AT,
  saleOf,
  sealedBlock,
  table,
  told,
} from '../test/made-up-platform.ts';
import { blockKeys } from './block-keys.ts';

const verification: ReceiptVerification = { keys, rulesOf, isRoundSignature: null, playerId: playerIdOf(7) };

// The list: entries 0 to 3; receipts are of the block in entry 1, and were signed when entry 3 was the newest.
const first = sealedBlock(0, null);
const block = sealedBlock(1, first.commitment);
const third = sealedBlock(2, block.commitment);
const newest = sealedBlock(3, third.commitment);
const list = [first, block, third, newest].map(({ commitment }) => commitment);
const winning = saleOf(block, 500);
const losing = saleOf(block, 0);
const honest = signReceipt(told(block, winning, 7, newest.commitment), key);

const resigned = (change: object, of: object = honest) => sign({ ...of, ...change }, key);
const failureIn = (value: unknown, options: Partial<ReceiptVerification> = {}) =>
  verifyReceipt(value, { ...verification, ...options }).failure?.name ?? 'accepted';
const outcomes = (value: unknown, options: Partial<ReceiptVerification> = {}) =>
  verifyReceipt(value, { ...verification, ...options }).steps.map(({ name, outcome }) => `${name} ${outcome}`);

describe('an honest receipt', () => {
  test('passes every step in the order of the list, with its local contribution noted', () => {
    const { steps, failure, receipt } = verifyReceipt(JSON.parse(JSON.stringify(honest)), verification);
    expect(failure).toBeNull();
    expect(receipt).toEqual(honest);
    expect(steps.map(({ name }) => name)).toEqual([...RECEIPT_STEPS]);
    const notes = steps.filter(({ outcome }) => outcome === 'noted');
    expect(notes).toEqual([
      { name: 'opening', outcome: 'noted', detail: expect.stringContaining('proves nothing about the operator') },
    ]);
  });

  test.each([0, 100, 500, 100_000])('proves a prize of %i cents', (prizeCents) => {
    expect(failureIn(receiptOf(block, saleOf(block, prizeCents), 7))).toBe('accepted');
  });

  test.each([0, 1, 1_023, 1_024, 2_499])('proves sale %i, wherever the block starts', (sequence) => {
    expect(failureIn(receiptOf(block, sequence, 7))).toBe('accepted');
  });

  test('may withhold its script, which three steps say', () => {
    const withheld = receiptOf(block, winning, 7, { script: null, scriptDigest: null });
    expect(failureIn(withheld)).toBe('accepted');
    expect(outcomes(withheld)).toEqual(
      expect.arrayContaining(['script-digest noted', 'script noted', 'referee noted']),
    );
  });

  test('without a given player says that the holder was not checked', () => {
    const { playerId: _, ...anonymous } = verification;
    const steps = verifyReceipt(honest, anonymous).steps;
    expect(steps.find(({ name }) => name === 'holder')).toMatchObject({ outcome: 'noted' });
    expect(failureIn(honest, { playerId: playerIdOf(8) })).toBe('holder');
  });

  test('of a block without a public contribution starts at unit 0, which is noted', () => {
    const bare = sealedBlock(4, null, { contribution: null });
    expect(bare.opening).toBeNull();
    expect(outcomes(receiptOf(bare, 3, 7))).toContain('opening noted');
    expect(failureIn(receiptOf(bare, 3, 7))).toBe('accepted');
    expect(failureIn(receiptOf(bare, 3, 7, { unitIndex: 4 }))).toBe('index');
    expect(failureIn(receiptOf(bare, 3, 7, { opening: block.opening }))).toBe('opening');
  });

  test('drawn from a recorded round passes, and says when the round was not checked', async () => {
    const golden = JSON.parse(readFileSync(new URL('./rounds.golden.json', import.meta.url), 'utf8'));
    const { round, value } = golden.rounds.find((recorded: { round: number }) => recorded.round === 1001);
    const drawn = sealedBlock(5, null, { contribution: { source: 'drand:quicknet', round } });
    const receipt = receiptOf({ ...drawn, opening: signOpening(drawn.commitment, value, OPENED_AT, key) }, 12, 7);
    expect(outcomes(receipt, { isRoundSignature: await loadBeaconCheck() })).toContain('opening passed');
    expect(outcomes(receipt)).toContain('opening noted');
    expect(failureIn(receipt)).toBe('accepted');
  });

  test('proves nothing with keys that came with it: the last step fails', () => {
    const { failure, steps } = verifyReceipt(honest, { ...verification, pinned: false });
    expect(failure).toEqual({
      name: 'keys',
      outcome: 'failed',
      detail: 'these keys came with the document, so they prove nothing',
    });
    expect(steps).toHaveLength(RECEIPT_STEPS.length);
  });

  test('under a regulation that the verifier does not know is not accepted', () => {
    expect(failureIn(honest, { rulesOf: () => null })).toBe('regulation');
  });
});

describe('a forger who holds the key is found when he', () => {
  const { prepared, secret, commitment } = block;
  const { seedKey } = blockKeys(secret, commitment.blockId);
  const proofAt = (n: number) =>
    proofOf({ table, deck: stretchOf(prepared.deck, n), seedKey, coarseLevel: prepared.coarseLevel }, n);
  const forged = (change: object) => failureIn(resigned(change));

  test('swaps a unit: gives a losing one for the one whose turn it is', () => {
    const other = told(block, losing, 7);
    const { prizeCents, seed, script, scriptDigest, unitIndex, proof } = other;
    const loser = { prizeCents, seed, script, scriptDigest };
    expect(forged(loser)).toBe('inclusion');
    expect(forged({ ...loser, proof })).toBe('inclusion');
    expect(forged({ ...loser, proof, unitIndex })).toBe('index');
    expect(forged({ prizeCents: 0, ...scriptOf(0, honest.seed) })).toBe('inclusion');
  });

  test('skips a unit: gives the next one for this sale', () => {
    const next = told(block, winning + 1, 7);
    expect(forged({ ...next, sequence: winning })).toBe('index');
    expect(forged({ unitIndex: honest.unitIndex + 1, proof: proofAt(honest.unitIndex + 1) })).toBe('index');
    expect(forged({ sequence: winning + 2_500 })).toBe('index');
  });

  test('shows a losing script for a winning unit, however consistently', () => {
    const loss = scriptOf(0, honest.seed);
    expect(forged({ script: loss.script })).toBe('script-digest');
    expect(forged(loss)).toBe('script');
    expect(forged(scriptOf(500, '00'.repeat(16)))).toBe('script');
    const blind = { ...rules, render: () => loss.script };
    expect(failureIn(resigned(loss), { rulesOf: () => blind })).toBe('referee');
    const lame = { ...rules, render: () => ({ ...loss.script, mechanic: 'made-up/2' }) };
    const odd = { ...loss.script, mechanic: 'made-up/2' };
    expect(failureIn(resigned({ script: odd, scriptDigest: digestOf(odd) }), { rulesOf: () => lame })).toBe('referee');
  });

  test('drops a big prize: commits to a table without it', () => {
    const poorer = {
      ...regulation,
      stakes: [{ stakeCents: cents(50), rows: regulation.stakes[0]!.rows.slice(1) }],
    };
    const dropped = sealedBlock(6, null, { tableDigest: tableDigest(prizeTable(poorer, 50)) });
    expect(failureIn(receiptOf(dropped, 0, 7))).toBe('regulation');
  });

  test('commits to another text, size or mechanic than the regulation has', () => {
    for (const change of [{ regulationDigest: 'aa'.repeat(32) }, { mechanic: 'made-up/2' }]) {
      const other = sealedBlock(6, null, change);
      expect(failureIn(receiptOf(other, 0, 7, { mechanic: other.commitment.mechanic }))).toBe('regulation');
    }
    const shorter = { ...rules, table: { ...table, size: 2_499 } };
    expect(failureIn(honest, { rulesOf: () => shorter })).toBe('regulation');
    expect(forged({ game: 'other' })).toBe('regulation');
    expect(forged({ stakeCents: 100 })).toBe('regulation');
    expect(forged({ mechanic: 'made-up/2' })).toBe('regulation');
  });

  test('pays a prize that the table does not have', () => {
    const poorer = { ...rules, table: { ...table, rows: table.rows.slice(2) } };
    const digest = tableDigest(poorer.table);
    const odd = sealedBlock(7, null, { tableDigest: digest });
    expect(failureIn(receiptOf(odd, saleOf(odd, 500), 7), { rulesOf: () => poorer })).toBe('amount');
  });

  test('opens the block as he likes, or not at all', () => {
    const start = { ...block.opening!, start: block.opening!.start + 1 };
    expect(forged({ opening: sign(start, key) })).toBe('opening');
    expect(forged({ opening: first.opening })).toBe('opening');
    expect(forged({ opening: null })).toBe('opening');
  });

  test('sells before the opening, or signs before the sale', () => {
    expect(forged({ unitIssuedAt: '2023-08-23T15:59:29.999Z' })).toBe('times');
    expect(forged({ signedAt: '2023-08-23T15:59:59.999Z' })).toBe('times');
    expect(forged({ unitIssuedAt: OPENED_AT, signedAt: OPENED_AT })).toBe('accepted');
  });

  test('ends the list before the block, or with another commitment', () => {
    expect(forged({ listHead: { entry: 0, digest: entryDigest(first.commitment) } })).toBe('list');
    expect(forged({ listHead: { entry: 1, digest: 'aa'.repeat(32) } })).toBe('list');
    expect(forged({ listHead: { entry: 1, digest: entryDigest(commitment) } })).toBe('accepted');
  });

  function digestOf(script: object): string {
    return toHex(canonicalDigest(script));
  }

  function scriptOf(prizeCents: number, seed: string) {
    const script = rules.render(cents(prizeCents), seed) as object;
    return { script, scriptDigest: digestOf(script) };
  }
});

type Path = readonly (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);

function withLeaf(value: unknown, [name, ...rest]: Path, leaf: unknown): unknown {
  if (name === undefined) return leaf;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  Object.assign(copy, { [name]: withLeaf((value as Record<string, unknown>)[name], rest, leaf) });
  return copy;
}

const TIME = /^\d{4}-.*Z$/;

/** Another value of the same form, as near as can be: a digit, a unit, a millisecond. */
function neighbour(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  const text = value as string;
  if (TIME.test(text)) return text.replace(/\d(?=Z$)/, (digit) => String((Number(digit) + 1) % 10));
  return text.replace(/[0-9a-zA-Z](?=[^0-9a-zA-Z]*$)/, (letter) => (letter === '1' ? '2' : '1'));
}

/** Signs all that a changed leaf stands in, from inside; a changed key id or signature stays as it was changed. */
function signedAround(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return value;
  const inner = (value as Record<string, unknown>)[name];
  const copy = Array.isArray(value) ? value : { ...value, [name]: signedAround(inner, rest) };
  return rest.length === 0 && (name === 'signature' || name === 'keyId') ? copy : resealed(copy);
}

const resealed = (value: object) => ('signature' in value ? sign(value, key) : value);
const leaves = leavesOf(honest);
const nameOf = (path: Path) => path.join('.');

describe('a single changed leaf', () => {
  test('is found wherever it is, when it was not signed again', () => {
    expect(leaves.length).toBeGreaterThan(50);
    for (const path of leaves) {
      const changed = withLeaf(honest, path, neighbour(at(honest, path)));
      expect(changed).not.toEqual(honest);
      expect([nameOf(path), failureIn(changed)]).not.toEqual([nameOf(path), 'accepted']);
    }
  });

  test('is found whatever it became', () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.integer(),
      fc.constantFrom(null, true, undefined, -0, 0.5),
    );
    fc.assert(
      fc.property(fc.constantFrom(...leaves), anything, (path, leaf) => {
        fc.pre(!Object.is(leaf, at(honest, path)));
        expect(failureIn(withLeaf(honest, path, leaf))).not.toBe('accepted');
      }),
      { numRuns: 1_000 },
    );
  });

  /**
   * What the key's holder may change without one receipt showing it, and what shows it then. `by player` knows who plays;
   * `by list` has the list that everybody is shown; `by receipt` has another receipt of the play or of the block. The
   * time of signing is the signer's word, and two receipts of one play may differ in it.
   */
  const ONE_RECEIPT_CANNOT_TELL: Readonly<Record<string, string>> = {
    playId: 'by player',
    holder: 'by player',
    placedAt: 'by receipt',
    unitIssuedAt: 'by receipt',
    signedAt: 'by nothing',
    'listHead.entry': 'by list',
    'listHead.digest': 'by list',
    'commitment.entry': 'by list',
    'commitment.previous': 'by list',
    'commitment.committedAt': 'by list',
    'opening.openedAt': 'by receipt',
  };
  const { playerId: _, ...stranger } = verification;

  test('is found when the key’s holder signed it again, but for times, names and the list', () => {
    const unfound = leaves.filter((path) => {
      const changed = signedAround(withLeaf(honest, path, neighbour(at(honest, path))), path);
      expect(changed).not.toEqual(honest);
      return verifyReceipt(changed, stranger).failure === null;
    });
    expect(unfound.map(nameOf).sort()).toEqual(Object.keys(ONE_RECEIPT_CANNOT_TELL).sort());
  });

  test.each(Object.entries(ONE_RECEIPT_CANNOT_TELL))('%s, signed again, is found %s', (name, how) => {
    const path = name.split('.');
    const changed = signedAround(withLeaf(honest, path, neighbour(at(honest, path))), path) as Receipt;
    expect(failureIn(changed)).toBe(how === 'by player' ? 'holder' : 'accepted');
    expect(compareReceipts([honest], list)).toEqual([]);
    const inList = compareReceipts([changed], list).length > 0;
    const besideHonest = compareReceipts([honest, changed]).length > 0;
    if (how === 'by list') expect(inList).toBe(true);
    if (how === 'by receipt') expect(besideHonest).toBe(true);
    if (how === 'by nothing') expect(inList || besideHonest).toBe(false);
  });
});

describe('strictness', () => {
  test('missing and unknown members are refused even when signed, at every depth', () => {
    for (const name of Object.keys(honest)) {
      const { [name]: _, ...without } = honest as unknown as Record<string, unknown>;
      expect([name, failureIn(without)]).toEqual([name, 'form']);
    }
    const { commitment, opening, listHead, script } = honest;
    const strange: object[] = [
      { colour: 'red' },
      { commitment: resigned({ colour: 'red' }, commitment) },
      { opening: resigned({ colour: 'red' }, opening!) },
      { listHead: { ...listHead, colour: 'red' } },
      { format: 'enjeu-receipt/2' },
      { scriptDigest: null },
      { script: null },
      { script: [] },
      { script: 'x' },
      { sequence: -1 },
      { prizeCents: '500' },
      { seed: honest.seed.toUpperCase().replace(/^./, 'A') },
      { proof: [...honest.proof, 'zz'] },
      { proof: Array.from({ length: 33 }, () => 'aa'.repeat(32)) },
      { signedAt: '2023-08-23T16:00:10Z' },
      { playId: playIdOf(7).toUpperCase() },
    ];
    for (const change of strange) expect([change, failureIn(resigned(change))]).toEqual([change, 'form']);
    const odd = { ...script, colour: 'red' };
    expect(failureIn(resigned({ script: odd, scriptDigest: toHex(canonicalDigest(odd)) }))).toBe('script');
    for (const thing of [null, [], 'x', 1, undefined]) expect(failureIn(thing)).toBe('form');
  });

  test('a doubled member is refused in reading', () => {
    const text = JSON.stringify(honest);
    expect(failureIn(parseStrict(text))).toBe('accepted');
    expect(() => parseStrict(text.replace('"prizeCents":', '"prizeCents":0,"prizeCents":'))).toThrow(/stands twice/);
  });

  test('a member named __proto__ is not lost in reading', () => {
    const script = parseStrict(JSON.stringify(honest.script).replace('{', '{"__proto__":{},'));
    expect(Object.keys(script as object)).toContain('__proto__');
    expect(failureIn(resigned({ script }))).toBe('form');
  });

  const L = 2n ** 252n + 27742317777372353535851937790883648493n;

  /** The same signature with S + L, which a lax verifier takes for another valid one. */
  function doubled(signature: string): string {
    const bytes = signature.slice(64).match(/../g)!.reverse().join('');
    const s = (BigInt(`0x${bytes}`) + L).toString(16).padStart(64, '0');
    return signature.slice(0, 64) + s.match(/../g)!.reverse().join('');
  }

  test('signatures with S at or above L are refused, on the receipt and on what it embeds', () => {
    const { commitment, opening } = honest;
    expect(failureIn({ ...honest, signature: doubled(honest.signature) })).toBe('signature');
    const inCommitment = { ...commitment, signature: doubled(commitment.signature) };
    expect(failureIn(resigned({ commitment: inCommitment }))).toBe('commitment');
    const inOpening = { ...opening!, signature: doubled(opening!.signature) };
    expect(failureIn(resigned({ opening: inOpening }))).toBe('opening');
  });

  test('a key of small order signs nothing, even where it got into the key set', () => {
    const x = `AQ${'A'.repeat(41)}`;
    const weak = { ...keys.keys[0]!, x };
    // R the neutral point and S 0: valid for every message under the old equation.
    const signature = `01${'00'.repeat(63)}`;
    expect(failureIn({ ...honest, signature }, { keys: { keys: [weak] } })).toBe('signature');
  });

  test('a key unknown, of another purpose, or not valid when it signed is refused at the step concerned', () => {
    const entry = (from: string, until: string | null = null) => ({
      keys: [publicKeyEntry(key, 'blocks', from, until)],
    });
    expect(failureIn(honest, { keys: { keys: [] } })).toBe('signature');
    expect(failureIn(honest, { keys: { keys: [publicKeyEntry(key, 'log', '2020-01-01T00:00:00.000Z')] } })).toBe(
      'signature',
    );
    expect(failureIn(honest, { keys: entry('2020-01-01T00:00:00.000Z', SIGNED_AT) })).toBe('signature');
    expect(failureIn(honest, { keys: entry(OPENED_AT) })).toBe('commitment');
    expect(failureIn(honest, { keys: entry(ISSUED_AT) })).toBe('commitment');
    const later = signingKey(new Uint8Array(32).fill(2));
    const rotated = {
      keys: [...entry('2020-01-01T00:00:00.000Z', ISSUED_AT).keys, publicKeyEntry(later, 'blocks', ISSUED_AT)],
    };
    expect(failureIn(sign(honest, later), { keys: rotated })).toBe('accepted');
    expect(failureIn(honest, { keys: rotated })).toBe('signature');
  });

  test('nobody signs a malformed receipt', () => {
    expect(() => signReceipt({ ...told(block, winning, 7), holder: 'x' }, key)).toThrow(/holder: must be 32 bytes/);
    expect(() => signReceipt({ ...told(block, winning, 7), script: null }, key)).toThrow(/null together/);
  });
});

test('each public object has a JSON Schema that knows all its members', () => {
  for (const [shape, members] of [
    [receiptShape, Object.keys(honest)],
    [openingShape, Object.keys(honest.opening!)],
  ] as const) {
    const schema = z.toJSONSchema(shape, { io: 'input' });
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(schema.required!.sort()).toEqual([...members].sort());
  }
  expect(z.toJSONSchema(commitmentListShape, { io: 'input' })).toMatchObject({
    items: { required: expect.arrayContaining(Object.keys(list[0] as Commitment)) },
  });
});
