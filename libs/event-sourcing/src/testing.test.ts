import { emit, refuse } from './decider.ts';
import { type Added, counters } from './lane.harness.ts';
import { scenarios } from './testing.ts';

const given = scenarios(counters);

function addUpTo({ total }: { total: number }, { amount, most }: { amount: number; most: number }) {
  return total + amount > most ? refuse('too-much', `${total}`) : emit<Added>({ type: 'Added', amount });
}

const added = (amount: number): Added => ({ type: 'Added', amount });

test('a decision is compared with the events that it should emit', () => {
  const decided = given(added(1), added(2)).when(addUpTo, { amount: 3, most: 6 });
  decided.thenEmits(added(3));
  expect(() => decided.thenEmits(added(4))).toThrow();
  expect(() => decided.thenEmits()).toThrow();
  expect(() => decided.thenRefused('too-much')).toThrow(/expected the refusal too-much/);
});

test('a decision is compared with the reason for which it should be refused', () => {
  const decided = given(added(4)).when(addUpTo, { amount: 3, most: 6 });
  decided.thenRefused('too-much');
  expect(() => decided.thenEmits(added(3))).toThrow();
});
