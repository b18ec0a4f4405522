import type { Bus, Follower, Subscription } from '#event-bus';
import type { SourceRecord } from '#event-sourcing';

/** A bus in memory, whose feeds a test moves by hand. */
export class FakeBus implements Bus {
  readonly followers = new Map<string, Follower>();

  async follow(source: string, follower: Follower): Promise<Subscription> {
    this.followers.set(source, follower);
    return { stop: async () => void this.followers.delete(source) };
  }

  /** Hands records to the source's follower, as they come. */
  async bring(records: readonly SourceRecord[], end = true): Promise<void> {
    const source = records[0]?.source ?? '';
    await this.followers.get(source)?.handle(records, end);
  }

  async tail(): Promise<Subscription> {
    throw new Error('the history tails nothing');
  }

  async newest(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {}
}
