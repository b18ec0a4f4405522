import type { SourceRecord } from '#event-sourcing';

const at = '2009-02-05T12:00:00.000Z';

export function uuid(kind: number, number: number): string {
  return `0192000${kind}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

export const playIdOf = (number: number): string => uuid(0, number);
export const playerIdOf = (number: number): string => uuid(1, number);

/** Two logs that grow as the services would write them; positions without gaps, each event known by its play. */
export class Logs {
  readonly wallet: SourceRecord[] = [];
  readonly issuance: SourceRecord[] = [];

  debit(play: number, player = 1): SourceRecord {
    return this.#append('wallet', 'StakeDebited', play, player, { ...order(play, player), availableCents: 4_900 });
  }

  issue(play: number, prizeCents = 0, player = 1): SourceRecord {
    const unit = {
      blockId: uuid(2, 1),
      sequence: play,
      unitIndex: play + 1,
      prizeCents,
      seed: '00112233445566778899aabbccddeeff',
      mechanic: 'sudoku/1',
      scriptDigest: play % 2 === 0 ? null : 'ab'.repeat(32),
      issuedAt: at,
    };
    return this.#append('issuance', 'UnitIssued', play, player, { ...order(play, player), ...unit });
  }

  refuse(play: number, player = 1): SourceRecord {
    const refusal = { reason: 'sale-closed', refusedAt: at };
    return this.#append('issuance', 'UnitRefused', play, player, { ...order(play, player), ...refusal });
  }

  credit(play: number, prizeCents: number, player = 1): SourceRecord {
    const credit = { ...ids(play, player), prizeCents, creditedAt: at, availableCents: 5_100 };
    return this.#append('wallet', 'PrizeCredited', play, player, credit);
  }

  refund(play: number, player = 1): SourceRecord {
    const refund = {
      ...ids(play, player),
      stakeCents: 100,
      reason: 'sale-closed',
      refundedAt: at,
      availableCents: 5_000,
    };
    return this.#append('wallet', 'StakeRefunded', play, player, refund);
  }

  /** An event that is about no play. */
  other(source: 'wallet' | 'issuance'): SourceRecord {
    return this.#append(source, 'IncidentRaised', 0, 0, {});
  }

  #append(source: 'wallet' | 'issuance', type: string, play: number, player: number, body: object): SourceRecord {
    const position = this[source].length + 1;
    const playerId = playerIdOf(player);
    const record: SourceRecord = {
      source,
      epoch: 1,
      position,
      batch: position,
      stream: `account-${playerId}`,
      version: position,
      type,
      schemaVersion: 1,
      occurredAt: at,
      correlation: playIdOf(play),
      key: playerId,
      body,
      offset: String(position),
    };
    this[source].push(record);
    return record;
  }
}

function ids(play: number, player: number) {
  return { playId: playIdOf(play), playerId: playerIdOf(player) };
}

function order(play: number, player: number) {
  return {
    ...ids(play, player),
    game: 'sudoku',
    stakeCents: 100,
    regulation: 'sudoku@2009-01-26',
    mode: null,
    placedAt: at,
  };
}
