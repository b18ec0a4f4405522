import { emit, scenarios } from '#event-sourcing';
import { cents } from '#money';
import {
  closeSale,
  dateInParis,
  type Offer,
  openSale,
  resumeSale,
  type Sale,
  type SaleEvent,
  sales,
  stakeSale,
  suspendSale,
} from './sale.ts';

const game = 'tiny';
const regulation = 'tiny@2020-01-01';
const notice = { fr: 'Vente suspendue', en: 'Sale suspended' };
const at = '2020-02-01T12:00:00.000Z';
const offer = (changes: Partial<Offer> = {}): Offer => ({
  game,
  stakeCents: cents(100),
  regulation,
  opensOn: '2020-02-01',
  ...changes,
});
const stakes = [100, 200].map((stakeCents) => ({ stakeCents: cents(stakeCents), regulation }));

const event =
  (type: SaleEvent['type']) =>
  (stakeCents = 100, changes: Partial<SaleEvent> = {}): SaleEvent => ({
    type,
    game,
    stakeCents: cents(stakeCents),
    regulation,
    notice: type === 'SaleSuspended' ? notice : null,
    ...changes,
  });
const opened = event('SaleOpened');
const suspended = event('SaleSuspended');
const resumed = event('SaleResumed');
const closed = event('SaleClosed');

const given = (...events: SaleEvent[]) => ({
  when: (decide: (sale: Sale) => SaleEvent[]) =>
    scenarios(sales)(...events).when((sale: Sale, _: null) => emit(...decide(sale)), null),
});

test('REG-1.1: a sale opens with its first open block once its opening date has come', () => {
  given()
    .when((sale) => openSale(sale, offer(), at))
    .thenEmits(opened());
});

test('REG-1.1: before the opening date a block that is open opens no sale', () => {
  given()
    .when((sale) => openSale(sale, offer({ opensOn: '2020-02-02' }), at))
    .thenEmits();
});

test('an opening date begins at midnight in Paris, in winter and in summer', () => {
  expect(dateInParis('2009-02-04T22:59:59.999Z')).toBe('2009-02-04');
  expect(dateInParis('2009-02-04T23:00:00.000Z')).toBe('2009-02-05');
  expect(dateInParis('2009-07-04T22:00:00.000Z')).toBe('2009-07-05');
});

test('a sale that is open is not opened again', () => {
  given(opened())
    .when((sale) => openSale(sale, offer(), at))
    .thenEmits();
});

test('the next emission under a new version of the regulation opens the sale under that version', () => {
  const changed = { regulation: 'tiny@2021-01-01' };
  given(opened())
    .when((sale) => openSale(sale, offer(changed), at))
    .thenEmits(opened(100, changed));
});

test('a new version of the regulation whose date has not come closes the sale until then', () => {
  const changed = { regulation: 'tiny@2021-01-01', opensOn: '2021-02-01' };
  given(opened())
    .when((sale) => openSale(sale, offer(changed), at))
    .thenEmits(closed());
});

test('a used-up sale opens again with the first block of another emission', () => {
  given(opened(), closed())
    .when((sale) => openSale(sale, offer(), at))
    .thenEmits(opened());
});

test('a sale closes once, and one that never began does not close', () => {
  const close = (sale: Sale) => closeSale(sale, game, cents(100));
  given(opened()).when(close).thenEmits(closed());
  given(opened(), closed()).when(close).thenEmits();
  given().when(close).thenEmits();
});

test('REG-1.1: a suspension takes every stake of the game, with its notice, also those not yet on sale', () => {
  given(opened())
    .when((sale) => suspendSale(sale, { game, notice }, stakes))
    .thenEmits(suspended(100), suspended(200));
});

test('suspending again under the same notice changes nothing, under another one it replaces it', () => {
  const other = { fr: 'Plus tard', en: 'Later' };
  const given2 = given(opened(), suspended(100), suspended(200));
  given2.when((sale) => suspendSale(sale, { game, notice }, stakes)).thenEmits();
  given2
    .when((sale) => suspendSale(sale, { game, notice: other }, stakes))
    .thenEmits(suspended(100, { notice: other }), suspended(200, { notice: other }));
  given2
    .when((sale) => suspendSale(sale, { game, notice: null }, stakes))
    .thenEmits(suspended(100, { notice: null }), suspended(200, { notice: null }));
});

test('what is used up stays closed when its game is suspended', () => {
  given(opened(), closed())
    .when((sale) => suspendSale(sale, { game, notice }, stakes))
    .thenEmits(suspended(200));
});

test('a suspension keeps the version of the regulation that is on sale', () => {
  const older = { regulation: 'tiny@2019-01-01' };
  given(opened(100, older))
    .when((sale) => suspendSale(sale, { game, notice }, stakes))
    .thenEmits(suspended(100, older), suspended(200));
});

test('resuming goes on with what had begun and does so once', () => {
  given(opened(), suspended())
    .when((sale) => resumeSale(sale, game, [offer()], at))
    .thenEmits(resumed());
  given(opened(), suspended(), resumed())
    .when((sale) => resumeSale(sale, game, [offer()], at))
    .thenEmits();
});

test('REG-1.1: a postponed sale opens when it is resumed after its date, and stays unsold before', () => {
  given(suspended())
    .when((sale) => openSale(sale, offer(), at))
    .thenEmits();
  given(suspended())
    .when((sale) => resumeSale(sale, game, [offer()], at))
    .thenEmits(opened());
  given(suspended())
    .when((sale) => resumeSale(sale, game, [offer({ opensOn: '2020-02-02' })], at))
    .thenEmits(closed());
  given(suspended())
    .when((sale) => resumeSale(sale, game, [], at))
    .thenEmits(closed());
});

test('a sale that was postponed twice and never began can be suspended again', () => {
  given(suspended(), closed())
    .when((sale) => suspendSale(sale, { game, notice }, stakes.slice(0, 1)))
    .thenEmits(suspended());
});

test('a stake whose first block opens while its game is suspended is suspended with it, under the same notice', () => {
  given(opened(200), suspended(200))
    .when((sale) => openSale(sale, offer(), at))
    .thenEmits(suspended(100));
});

test('what is closed and had begun is told from what never began', () => {
  const usedUp = [opened(), closed()].reduce(sales.evolve, sales.initial);
  const postponed = [suspended(), closed()].reduce(sales.evolve, sales.initial);
  expect(stakeSale(usedUp, 100)).toMatchObject({ status: 'closed', begun: true });
  expect(stakeSale(postponed, 100)).toMatchObject({ status: 'closed', begun: false });
});
