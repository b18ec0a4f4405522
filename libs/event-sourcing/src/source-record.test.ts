import { someEvent } from './log-contract.ts';
import { recordOf } from './source-record.ts';

const at = { position: 8, batch: 7 };

test('a record carries what the log says and its data parsed, and is kept by the player it is about', () => {
  const event = { ...someEvent({ stream: 'block-1', data: '{"playerId":"p-1","stakeCents":100}' }), ...at };
  const { data: _, ...rest } = event;
  expect(recordOf('issuance', 2, event)).toEqual({
    ...rest,
    source: 'issuance',
    epoch: 2,
    key: 'p-1',
    body: { playerId: 'p-1', stakeCents: 100 },
    offset: null,
  });
});

test.each(['{}', 'null', '{"playerId":7}', '"text"'])(
  'one that is about no player is kept by its stream: %s',
  (data) => {
    expect(recordOf('issuance', 1, { ...someEvent({ stream: 'sale-sudoku', data }), ...at }).key).toBe('sale-sudoku');
  },
);
