import { scenarios } from '#event-sourcing';
import { cents } from '#money';
import {
  type ApprovalConditions,
  approveEmission,
  type Emission,
  type EmissionEvent,
  type EmissionOrder,
  emissions,
  statusOf,
} from './emission.ts';

const at = '2020-02-01T12:00:00.000Z';
const order: EmissionOrder = {
  emissionId: '0197f3c0-0000-7000-8000-00000000000e',
  regulation: 'tiny@2020-01-01',
  stakeCents: cents(100),
  blocks: 2,
  approvedBy: ['operator-1', 'supervisor-2'],
};
const onFile: ApprovalConditions = { stakes: [100, 200], at };

const approved: EmissionEvent = { type: 'EmissionApproved', ...order, approvedAt: at };
const opened = (n: number): EmissionEvent => ({
  type: 'BlockOpened',
  blockId: `0197f3c0-0000-7000-8000-00000000000${n}`,
  start: 0,
  opening: null,
  openedAt: at,
});
const exhausted = (n: number): EmissionEvent => ({
  type: 'BlockExhausted',
  blockId: `0197f3c0-0000-7000-8000-00000000000${n}`,
  exhaustedAt: at,
});

const after = (...events: EmissionEvent[]) => events.reduce(emissions.evolve, emissions.initial);

const given = scenarios(emissions);
const approving = (emission: Emission, { changes, conditions }: Approval) =>
  approveEmission(emission, { ...order, ...changes }, { ...onFile, ...conditions });

interface Approval {
  readonly changes?: Partial<EmissionOrder>;
  readonly conditions?: Partial<ApprovalConditions>;
}

test('REG-2.1: an emission of whole blocks is approved by two persons', () => {
  given().when(approving, {}).thenEmits(approved);
});

test('one person cannot approve an emission alone', () => {
  given()
    .when(approving, { changes: { approvedBy: ['operator-1', 'operator-1'] } })
    .thenRefused('same-approver');
});

test.each([0, -1, 1.5])('an emission of %p blocks is refused', (blocks) => {
  given().when(approving, { changes: { blocks } }).thenRefused('blocks-below-one');
});

test('REG-2.2: an emission at a stake that the regulation does not sell is refused', () => {
  given()
    .when(approving, { changes: { stakeCents: cents(300) } })
    .thenRefused('stake-unknown');
});

test('an emission under a regulation that is not on file is refused', () => {
  given()
    .when(approving, { conditions: { stakes: null } })
    .thenRefused('regulation-unknown');
});

test('the same approval again emits nothing', () => {
  given(approved).when(approving, {}).thenEmits();
});

test('the same approval again emits nothing, even where the regulation is no longer on file', () => {
  given(approved)
    .when(approving, { conditions: { stakes: null } })
    .thenEmits();
});

test.each([{ blocks: 3 }, { stakeCents: cents(200) }, { regulation: 'other@2020-01-01' }])(
  'another order under the id of an approved emission is refused: %p',
  (changes) => {
    given(approved).when(approving, { changes }).thenRefused('emission-already-approved');
  },
);

test('an emission is open from its first block on and used up with its last', () => {
  expect(statusOf(after(approved))).toBe('approved');
  expect(statusOf(after(approved, opened(1)))).toBe('open');
  expect(statusOf(after(approved, opened(1), exhausted(1)))).toBe('open');
  expect(statusOf(after(approved, opened(1), exhausted(1), opened(2)))).toBe('open');
  expect(statusOf(after(approved, opened(1), exhausted(1), opened(2), exhausted(2)))).toBe('used-up');
});
