import type { Clock, Lane, Work } from '#event-sourcing';
import { openSaleIfDue } from '../blocks/open-block.ts';
import { type Line, lineId, stocks } from '../blocks/stock.ts';
import type { RegulationsOnFile } from '../regulations/on-file.ts';
import { sales } from './sale.ts';

const EVERY_MS = 30_000;

/** Opens the sales whose block was open before their opening date, once that has come (REG-1.1). */
export class DueSales {
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(
    private readonly opened: { readonly lane: Lane },
    private readonly regulations: RegulationsOnFile,
    private readonly clock: Clock,
    private readonly report: (line: string) => void,
  ) {}

  /** Looks at once, and twice a minute from then on. */
  async start(): Promise<void> {
    try {
      await this.opened.lane.run(this.regulations.lines().map((line) => openingWork(line, this.regulations)));
    } catch (error) {
      this.report(
        `the opening dates could not be looked at: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    if (!this.#stopped) this.#cancel = this.clock.after(EVERY_MS, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}

export function openingWork(line: Line, regulations: RegulationsOnFile): Work<null> {
  return {
    states: [
      { subject: sales, id: line.game },
      { subject: stocks, id: lineId(line) },
    ],
    decide(draft) {
      openSaleIfDue(draft, line, (id) => regulations.get(id).opensOn);
      return { answer: null };
    },
  };
}
