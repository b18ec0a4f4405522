import { type EventBody, type PlayRecord, parseEvent } from '#contracts';
import type { SourceRecord } from '#event-sourcing';

/** What one event of either log says of a play, for those who wait for it. */
export type Sighting =
  | {
      readonly kind: 'debited' | 'settled';
      readonly playId: string;
      readonly playerId: string;
      readonly play: PlayRecord;
    }
  | { readonly kind: 'paid'; readonly playId: string; readonly playerId: string; readonly paidAt: string };

/** Reads a record; null for one that is about no play. Throws an EventFormError on one that is not what it says. */
export function read(record: SourceRecord): Sighting | null {
  switch (record.type) {
    case 'StakeDebited': {
      const debit = parseEvent('StakeDebited', record.schemaVersion, record.body);
      return { kind: 'debited', playId: debit.playId, playerId: debit.playerId, play: pending(debit, record.position) };
    }
    case 'UnitIssued': {
      const unit = parseEvent('UnitIssued', record.schemaVersion, record.body);
      return { kind: 'settled', playId: unit.playId, playerId: unit.playerId, play: issued(unit) };
    }
    case 'UnitRefused': {
      const refusal = parseEvent('UnitRefused', record.schemaVersion, record.body);
      return { kind: 'settled', playId: refusal.playId, playerId: refusal.playerId, play: refused(refusal) };
    }
    case 'PrizeCredited': {
      const { playId, playerId, creditedAt } = parseEvent('PrizeCredited', record.schemaVersion, record.body);
      return { kind: 'paid', playId, playerId, paidAt: creditedAt };
    }
    case 'StakeRefunded': {
      const { playId, playerId, refundedAt } = parseEvent('StakeRefunded', record.schemaVersion, record.body);
      return { kind: 'paid', playId, playerId, paidAt: refundedAt };
    }
    default:
      return null;
  }
}

/** What every debit says of its play. */
type Ordered = Pick<PlayRecord, 'playId' | 'playerId' | 'game' | 'stakeCents' | 'regulation' | 'mode' | 'placedAt'>;

/** A play of which only the debit is known. @param walletPosition of its StakeDebited */
export function pending(order: Ordered, walletPosition: number | null): PlayRecord {
  return {
    playId: order.playId,
    playerId: order.playerId,
    game: order.game,
    regulation: order.regulation,
    stakeCents: order.stakeCents,
    mode: order.mode,
    status: 'pending',
    prizeCents: null,
    blockId: null,
    sequence: null,
    unitIndex: null,
    mechanic: null,
    seed: null,
    scriptDigest: null,
    reason: null,
    placedAt: order.placedAt,
    settledAt: null,
    paidAt: null,
    seenAt: null,
    walletPosition,
  };
}

function issued(unit: EventBody<'UnitIssued'>): PlayRecord {
  return {
    ...pending(unit, null),
    status: unit.prizeCents > 0 ? 'won' : 'lost',
    prizeCents: unit.prizeCents,
    blockId: unit.blockId,
    sequence: unit.sequence,
    unitIndex: unit.unitIndex,
    mechanic: unit.mechanic,
    seed: unit.seed,
    scriptDigest: unit.scriptDigest,
    settledAt: unit.issuedAt,
  };
}

function refused(refusal: EventBody<'UnitRefused'>): PlayRecord {
  return { ...pending(refusal, null), status: 'refunded', reason: refusal.reason, settledAt: refusal.refusedAt };
}
