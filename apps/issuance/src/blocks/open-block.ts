import type { Draft } from '#event-sourcing';
import { emissions } from '../emissions/emission.ts';
import { closeSale, openSale, type SaleEvent, sales } from '../sales/sale.ts';
import { exhausted, isUsedUp, type Line, lineId, opensNext, stocks } from './stock.ts';

/** Opening date of a regulation on file; a RangeError for another. */
export type OpeningDates = (regulation: string) => string;

/** Begins to sell from the first block that waits, if none is open and it may be sold, and with it the sale, if its date has come. */
export function openNextBlock(draft: Draft, line: Line, opensOn: OpeningDates): void {
  const stock = draft.state(stocks, lineId(line));
  const next = opensNext(stock);
  if (next === stock || next.open === null) return;
  draft.put(stocks, lineId(line), next);
  openSaleIfDue(draft, line, opensOn);
}

/** Begins the sale of what the open block offers, if there is one, its date has come and it has not begun. */
export function openSaleIfDue(draft: Draft, line: Line, opensOn: OpeningDates): void {
  const { open } = draft.state(stocks, lineId(line));
  if (open === null) return;
  const offer = { ...line, regulation: open.regulation, opensOn: opensOn(open.regulation) };
  changeSale(draft, line.game, openSale(draft.state(sales, line.game), offer, draft.at));
}

/** The open block's last unit is issued: the next one opens, or, when all that was approved is used up, the sale closes. */
export function endBlock(draft: Draft, line: Line, opensOn: OpeningDates): void {
  const stock = draft.state(stocks, lineId(line));
  if (stock.open === null) return;
  const { blockId, emissionId } = stock.open;
  draft.emit(emissions, emissionId, { type: 'BlockExhausted', blockId, exhaustedAt: draft.at });
  const left = exhausted(stock);
  draft.put(stocks, lineId(line), left);
  if (isUsedUp(left)) {
    changeSale(draft, line.game, closeSale(draft.state(sales, line.game), line.game, line.stakeCents));
  } else {
    openNextBlock(draft, line, opensOn);
  }
}

export function changeSale(draft: Draft, game: string, events: readonly SaleEvent[]): void {
  for (const event of events) draft.emit(sales, game, event);
}
