import type { EventOf, Notice } from '#contracts';
import type { Subject } from '#event-sourcing';
import { type Cents, cents } from '#money';

/** The sale of a game's units, one stake each, on the stream `sale-<game>` (REG-1.1). */
export type SaleEvent = EventOf<'SaleOpened' | 'SaleSuspended' | 'SaleResumed' | 'SaleClosed'>;

export interface StakeSale {
  readonly status: 'open' | 'suspended' | 'closed';
  /** Whether its units have ever been on sale: what is closed and had begun is used up. */
  readonly begun: boolean;
  readonly regulation: string;
  readonly notice: Notice | null;
}

/** One game's sales by stake in cents. A stake that is not there has never been on sale, nor suspended before it was. */
export interface Sale {
  readonly stakes: Readonly<Record<string, StakeSale>>;
}

export const sales: Subject<Sale, SaleEvent> = {
  name: 'sale',
  initial: { stakes: {} },
  evolve(sale, event) {
    const before = stakeSale(sale, event.stakeCents);
    const { regulation, notice } = event;
    return { stakes: { ...sale.stakes, [event.stakeCents]: { ...folded(event, before), regulation, notice } } };
  },
};

function folded(event: SaleEvent, before: StakeSale | null): Pick<StakeSale, 'status' | 'begun'> {
  switch (event.type) {
    case 'SaleOpened':
    case 'SaleResumed':
      return { status: 'open', begun: true };
    case 'SaleSuspended':
      return { status: 'suspended', begun: before?.begun ?? false };
    case 'SaleClosed':
      return { status: 'closed', begun: before?.begun ?? false };
  }
}

export function stakeSale(sale: Sale, stakeCents: number): StakeSale | null {
  return sale.stakes[String(stakeCents)] ?? null;
}

/** What an open block has to sell: the game at this stake, under this version of its regulation. */
export interface Offer {
  readonly game: string;
  readonly stakeCents: Cents;
  readonly regulation: string;
  /** First day of the sale, `2009-02-05`. */
  readonly opensOn: string;
}

/**
 * Opens the sale of what an open block offers, once its opening date has come (`at` is the time now). An offer under a new
 * version of the regulation opens again, and closes the sale until that version's date. Suspended stays suspended; what
 * would open while the rest of its game is suspended is suspended with them.
 */
export function openSale(sale: Sale, offer: Offer, at: string): SaleEvent[] {
  const { game, stakeCents, regulation } = offer;
  const now = stakeSale(sale, stakeCents);
  if (now?.status === 'suspended') return [];
  if (now?.status === 'open' && now.regulation === regulation) return [];
  if (dateInParis(at) < offer.opensOn) return now?.status === 'open' ? closeSale(sale, game, stakeCents) : [];
  const suspended = Object.values(sale.stakes).find((other) => other.status === 'suspended');
  if (suspended) return [{ type: 'SaleSuspended', game, stakeCents, regulation, notice: suspended.notice }];
  return [{ type: 'SaleOpened', game, stakeCents, regulation, notice: null }];
}

/** Ends the sale of a stake whose last unit is issued (REG-2.1). One that is closed or never began stays as it is. */
export function closeSale(sale: Sale, game: string, stakeCents: Cents): SaleEvent[] {
  const now = stakeSale(sale, stakeCents);
  if (now === null || now.status === 'closed') return [];
  return [{ type: 'SaleClosed', game, stakeCents, regulation: now.regulation, notice: null }];
}

/**
 * Suspends every stake of a game, those too whose sale has not begun: that postpones it. What is used up stays closed.
 * `stakes` are those of the regulation in force. Under the same notice again nothing changes; another notice replaces it.
 */
export function suspendSale(
  sale: Sale,
  order: { readonly game: string; readonly notice: Notice | null },
  stakes: readonly { readonly stakeCents: Cents; readonly regulation: string }[],
): SaleEvent[] {
  const { game, notice } = order;
  const events: SaleEvent[] = [];
  for (const { stakeCents, regulation } of stakes) {
    const now = stakeSale(sale, stakeCents);
    if (now?.status === 'closed' && now.begun) continue;
    if (now?.status === 'suspended' && sameNotice(now.notice, notice)) continue;
    events.push({ type: 'SaleSuspended', game, stakeCents, regulation: now?.regulation ?? regulation, notice });
  }
  return events;
}

/**
 * Ends a suspension. What had begun goes on; what had not begins if an open block offers it and its date has come, and is
 * otherwise not on sale, as before.
 */
export function resumeSale(sale: Sale, game: string, offers: readonly Offer[], at: string): SaleEvent[] {
  const events: SaleEvent[] = [];
  for (const [stake, now] of Object.entries(sale.stakes)) {
    if (now.status !== 'suspended') continue;
    const stakeCents = cents(Number(stake));
    const offer = offers.find((one) => one.stakeCents === stakeCents && one.opensOn <= dateInParis(at));
    const type = now.begun ? 'SaleResumed' : offer ? 'SaleOpened' : 'SaleClosed';
    const regulation = offer?.regulation ?? now.regulation;
    events.push({ type, game, stakeCents, regulation, notice: null });
  }
  return events;
}

const parisian = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Paris', dateStyle: 'short' });

/** The day that it is where the regulations were signed: an opening date begins at midnight there. */
export function dateInParis(at: string): string {
  return parisian.format(new Date(at));
}

function sameNotice(a: Notice | null, b: Notice | null): boolean {
  return a?.fr === b?.fr && a?.en === b?.en;
}
