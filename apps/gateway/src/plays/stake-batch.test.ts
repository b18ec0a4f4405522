import type { StakeDecision, StakeToDebit } from '#contracts';
import { StakeBatch, TooManyStakes } from './stake-batch.ts';

const stake = (number: number) => ({ playId: String(number) }) as StakeToDebit;
const debited = ({ playId }: StakeToDebit): StakeDecision => ({ kind: 'debited', playId, repeated: false });
const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Call {
  readonly stakes: readonly StakeToDebit[];
  readonly answer: PromiseWithResolvers<readonly StakeDecision[]>;
}

function batchWith(options: { largest?: number; concurrent?: number; queued?: number } = {}) {
  const calls: Call[] = [];
  const time = { now: 0 };
  const batch = new StakeBatch({
    now: () => time.now,
    send: (stakes) => {
      const answer = Promise.withResolvers<readonly StakeDecision[]>();
      calls.push({ stakes, answer });
      return answer.promise;
    },
    ...options,
  });
  return { batch, calls, time, sizes: () => calls.map(({ stakes }) => stakes.length) };
}

test('stakes of one turn are one call, and each gets its own decision', async () => {
  const { batch, calls } = batchWith();
  const asked = [1, 2, 3].map((number) => batch.debit(stake(number)));
  await turn();
  expect(calls).toHaveLength(1);
  calls[0]?.answer.resolve(calls[0].stakes.map(debited));
  expect(await Promise.all(asked)).toEqual([1, 2, 3].map((number) => debited(stake(number))));
});

test('while the calls in flight are busy stakes gather, and go together when one is answered', async () => {
  const { batch, calls, sizes } = batchWith({ concurrent: 2, largest: 4 });
  for (let number = 0; number < 2; number++) {
    void batch.debit(stake(number));
    await turn();
  }
  for (let number = 0; number < 6; number++) void batch.debit(stake(number));
  await turn();
  expect(sizes()).toEqual([1, 1]);
  calls[0]?.answer.resolve(calls[0].stakes.map(debited));
  await turn();
  await turn();
  expect(sizes()).toEqual([1, 1, 4]);
  calls[1]?.answer.resolve(calls[1].stakes.map(debited));
  await turn();
  await turn();
  expect(sizes()).toEqual([1, 1, 4, 2]);
});

test('what a call fails with is told to each of its stakes, and to no other', async () => {
  const { batch, calls } = batchWith({ largest: 2 });
  const asked = [1, 2, 3].map((number) => batch.debit(stake(number)));
  await turn();
  calls[0]?.answer.reject(new Error('no answer'));
  calls[1]?.answer.resolve(calls[1].stakes.map(debited));
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('decisions that are not one a stake are none', async () => {
  const { batch, calls } = batchWith();
  const asked = [batch.debit(stake(1)), batch.debit(stake(2))];
  await turn();
  calls[0]?.answer.resolve([debited(stake(1))]);
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('when too many wait the next is refused without being passed on', async () => {
  const { batch, calls } = batchWith({ queued: 2, concurrent: 1 });
  void batch.debit(stake(0));
  await turn();
  const waiting = [batch.debit(stake(1)), batch.debit(stake(2))];
  await expect(batch.debit(stake(3))).rejects.toBeInstanceOf(TooManyStakes);
  calls[0]?.answer.resolve(calls[0].stakes.map(debited));
  await turn();
  await turn();
  calls[1]?.answer.resolve(calls[1].stakes.map(debited));
  expect(await Promise.all(waiting)).toHaveLength(2);
});

test('a stake that nobody waits for any more is not passed on', async () => {
  const { batch, calls, time, sizes } = batchWith({ concurrent: 1 });
  void batch.debit(stake(0), 100);
  await turn();
  const late = batch.debit(stake(1), 100);
  void batch.debit(stake(2), 300);
  time.now = 200;
  calls[0]?.answer.resolve(calls[0].stakes.map(debited));
  await expect(late).rejects.toBeInstanceOf(TooManyStakes);
  await turn();
  expect(sizes()).toEqual([1, 1]);
  expect(calls[1]?.stakes).toEqual([stake(2)]);
});
