import type { Subscription } from './bus.ts';
import type { BusReports } from './reports.ts';
import { PAUSES, type Pauses, type Session, supervise } from './supervise.ts';

export interface Opened extends Subscription {
  /** Waits for this; rejects when the subscription ends before. */
  until(ready: Promise<void>): Promise<void>;
}

/** The subscriptions of one bus: each a supervised session, all stopped when the bus is closed. */
export class Subscriptions {
  readonly #open = new Set<Subscription>();

  constructor(
    private readonly reports: BusReports | undefined,
    private readonly pauses: Pauses = PAUSES,
  ) {}

  start(source: string, who: string, session: Session): Opened {
    const failed = (error: Error) => this.reports?.failed?.(source, who, error);
    const { ended, stop } = supervise(session, failed, this.pauses);
    const opened: Opened = {
      stop: async () => {
        this.#open.delete(opened);
        await stop();
      },
      until: (ready) =>
        Promise.race([
          ready,
          ended.then(() => {
            throw new Error(`the subscription to ${source} has ended`);
          }),
        ]),
    };
    this.#open.add(opened);
    return opened;
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#open].map((subscription) => subscription.stop()));
  }
}
