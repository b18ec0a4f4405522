import type { PlayRecord } from '#contracts';
import type { Clock, SourceRecord } from '#event-sourcing';

const at = '2009-02-05T12:00:00.000Z';

export function playerOf(number: number): string {
  return `5f0c2a52-7d1c-4b53-9a52-${hex(number)}`;
}

function hex(number: number): string {
  return number.toString(16).padStart(12, '0');
}

/** The events of a play that can happen to it, as a bus brings them, and how the history tells it once it is won. */
export function playEvents(number: number, playerId = playerOf(number)) {
  const playId = `01920000-0000-7000-8000-${hex(number)}`;
  const order = {
    playId,
    playerId,
    game: 'sudoku',
    stakeCents: 100,
    regulation: 'sudoku@2009-01-26',
    mode: null,
    placedAt: at,
  };
  const unit = {
    blockId: '01920000-0000-7000-8000-00000000b10c',
    sequence: number,
    unitIndex: number + 1,
    prizeCents: 0,
    seed: '00112233445566778899aabbccddeeff',
    mechanic: 'sudoku/1',
    scriptDigest: null,
  };
  const record = (source: string, type: string, body: object): SourceRecord => ({
    source,
    epoch: 1,
    position: number,
    batch: number,
    stream: `account-${playerId}`,
    version: 1,
    type,
    schemaVersion: 1,
    occurredAt: at,
    correlation: playId,
    key: playerId,
    body,
    offset: null,
  });
  const settled: PlayRecord = {
    ...order,
    ...unit,
    prizeCents: 200,
    status: 'won',
    reason: null,
    settledAt: at,
    paidAt: null,
    seenAt: null,
    walletPosition: number,
  };
  return {
    playId,
    playerId,
    key: `6ba7b810-9dad-41d1-80b4-${hex(number)}`,
    settled,
    debited: record('wallet', 'StakeDebited', { ...order, availableCents: 4900 }),
    lost: record('issuance', 'UnitIssued', { ...order, ...unit, issuedAt: at }),
    won: record('issuance', 'UnitIssued', { ...order, ...unit, prizeCents: 200, issuedAt: at }),
    refused: record('issuance', 'UnitRefused', { ...order, reason: 'sale-closed', refusedAt: at }),
    credited: record('wallet', 'PrizeCredited', {
      playId,
      playerId,
      prizeCents: 200,
      creditedAt: at,
      availableCents: 5100,
    }),
    refunded: record('wallet', 'StakeRefunded', {
      playId,
      playerId,
      stakeCents: 100,
      reason: 'sale-closed',
      refundedAt: at,
      availableCents: 5000,
    }),
  };
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly due: number; readonly work: () => void }>();

  now(): number {
    return this.#now;
  }

  after(wait_ms: number, work: () => void): () => void {
    const timer = { due: this.#now + wait_ms, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves the clock, and runs what falls due in its order. */
  advance(by_ms: number): void {
    const until = this.#now + by_ms;
    for (;;) {
      const next = [...this.#timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#now = next.due;
      this.#timers.delete(next);
      next.work();
    }
    this.#now = until;
  }

  /** Likewise, and lets what was started run until it waits for something else. */
  async pass(by_ms: number): Promise<void> {
    this.advance(by_ms);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
