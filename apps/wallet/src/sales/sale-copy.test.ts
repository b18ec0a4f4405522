import { cents } from '#money';
import { type SaleEvent, saleCopies, saleOf } from './sale-copy.ts';

const notice = { fr: 'Vente suspendue', en: 'Sale suspended' };

function sale(type: SaleEvent['type'], stakeCents: number, more: Partial<SaleEvent> = {}): SaleEvent {
  return {
    type,
    game: 'sudoku',
    stakeCents: cents(stakeCents),
    regulation: 'sudoku@2009-01-26',
    notice: null,
    ...more,
  };
}

function copyAfter(...events: SaleEvent[]) {
  return events.reduce(saleCopies.evolve, saleCopies.initial);
}

test('a stake that was never opened is not on sale (REG-2.2)', () => {
  const copy = copyAfter(sale('SaleOpened', 50));
  expect(saleOf(copy, 100)).toBeNull();
  expect(saleOf(saleCopies.initial, 50)).toBeNull();
});

test('an opened sale is open under its regulation', () => {
  expect(saleOf(copyAfter(sale('SaleOpened', 50)), 50)).toEqual({
    status: 'open',
    regulation: 'sudoku@2009-01-26',
    notice: null,
  });
});

test('a suspended sale keeps the notice that players are shown until it is resumed (REG-1.1)', () => {
  const suspended = copyAfter(sale('SaleOpened', 50), sale('SaleSuspended', 50, { notice }));
  expect(saleOf(suspended, 50)).toMatchObject({ status: 'suspended', notice });
  expect(saleOf(saleCopies.evolve(suspended, sale('SaleResumed', 50)), 50)).toMatchObject({
    status: 'open',
    notice: null,
  });
});

test('each stake of a game has a sale of its own', () => {
  const copy = copyAfter(sale('SaleOpened', 50), sale('SaleOpened', 100), sale('SaleClosed', 50));
  expect([saleOf(copy, 50)?.status, saleOf(copy, 100)?.status]).toEqual(['closed', 'open']);
});

test('a sale that opens again under a new regulation sells under the new one', () => {
  const copy = copyAfter(
    sale('SaleOpened', 50),
    sale('SaleClosed', 50),
    sale('SaleOpened', 50, { regulation: 'sudoku@2026-01-01' }),
  );
  expect(saleOf(copy, 50)).toMatchObject({ status: 'open', regulation: 'sudoku@2026-01-01' });
});
