import { isEventType, parseEvent, type SaleNotice, type SaleView } from '#contracts';
import type { SourceRecord } from '#event-sourcing';
import type { Issuance } from '../peers/issuance.ts';

export interface Sale {
  readonly status: 'open' | 'suspended' | 'closed';
  readonly regulation: string;
  readonly notice: SaleNotice | null;
}

const STATUSES = { SaleOpened: 'open', SaleSuspended: 'suspended', SaleResumed: 'open', SaleClosed: 'closed' } as const;

/** An answer of issuance is taken for true this long; what changes meanwhile its log tells. */
const FRESH_MS = 5_000;

/**
 * What is on sale, as issuance has said it last: asked now and then, and kept up to date by its events. While it is away
 * nothing changes, so what was known last is still so.
 */
export class Sales {
  readonly #sales = new Map<string, Sale>();
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #events = 0;

  constructor(
    private readonly issuance: Pick<Issuance, 'sales'>,
    private readonly now: () => number,
  ) {}

  /** The sale of a game at each stake. Rejects with Away only where nothing is known yet. */
  async current(): Promise<(game: string, stakeCents: number) => Sale | null> {
    if (this.now() - this.#askedAt > FRESH_MS) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
      await this.#asking.catch((error) => {
        if (this.#askedAt === Number.NEGATIVE_INFINITY) throw error;
      });
    }
    return (game, stakeCents) => this.#sales.get(nameOf(game, stakeCents)) ?? null;
  }

  /** Takes what the tail of issuance's log brings. */
  onRecords(records: readonly SourceRecord[]): void {
    for (const { type, schemaVersion, body } of records) {
      if (!Object.hasOwn(STATUSES, type) || !isEventType(type)) continue;
      const kind = type as keyof typeof STATUSES;
      const { game, stakeCents, regulation, notice } = parseEvent(kind, schemaVersion, body);
      this.#events += 1;
      this.#sales.set(nameOf(game, stakeCents), { status: STATUSES[kind], regulation, notice });
    }
  }

  /** Events may have been missed: the next who asks has issuance asked. */
  interrupted(): void {
    this.#askedAt = Math.min(this.#askedAt, this.now() - FRESH_MS - 1);
  }

  async #ask(): Promise<void> {
    for (;;) {
      const events = this.#events;
      const sales = await this.issuance.sales();
      // An event that passed meanwhile may be newer than the answer.
      if (events !== this.#events) continue;
      for (const sale of sales) this.#sales.set(nameOf(sale.game, sale.stakeCents), saleOf(sale));
      this.#askedAt = this.now();
      return;
    }
  }
}

function saleOf({ status, regulation, notice }: SaleView): Sale {
  return { status, regulation, notice };
}

function nameOf(game: string, stakeCents: number): string {
  return `${game} ${stakeCents}`;
}
