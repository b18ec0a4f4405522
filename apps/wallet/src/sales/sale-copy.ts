import type { EventOf, Notice } from '#contracts';
import type { Subject } from '#event-sourcing';

/** What issuance's log says of the sale of one game at one stake. */
export type SaleEvent = EventOf<'SaleOpened' | 'SaleSuspended' | 'SaleResumed' | 'SaleClosed'>;

/** The sale of a game at one stake: whether a unit may be paid for now, and under which version of the regulation. */
export interface StakeOnSale {
  readonly status: 'open' | 'suspended' | 'closed';
  readonly regulation: string;
  /** What players are told about it (REG-1.1). */
  readonly notice: Notice | null;
}

/** One game's sales by stake in cents. A stake that is not there has never been on sale. */
export interface SaleCopy {
  readonly stakes: Readonly<Record<string, StakeOnSale>>;
}

const statuses = {
  SaleOpened: 'open',
  SaleSuspended: 'suspended',
  SaleResumed: 'open',
  SaleClosed: 'closed',
} as const;

/** The copy is put whole under `sale-<game>`; it has no stream here, its events stand in issuance's log. */
export const saleCopies: Subject<SaleCopy, SaleEvent> = {
  name: 'sale',
  initial: { stakes: {} },
  evolve(copy, event) {
    const sale: StakeOnSale = {
      status: statuses[event.type],
      regulation: event.regulation,
      notice: event.notice,
    };
    return { stakes: { ...copy.stakes, [event.stakeCents]: sale } };
  },
};

/** The sale of a unit at this stake, or null where the game does not sell it (REG-2.2). */
export function saleOf(copy: SaleCopy, stakeCents: number): StakeOnSale | null {
  const key = String(stakeCents);
  return Object.hasOwn(copy.stakes, key) ? (copy.stakes[key] ?? null) : null;
}
