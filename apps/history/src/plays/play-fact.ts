import { parseEvent } from '#contracts';
import type { SourceRecord } from '#event-sourcing';
import type { Order, PlayFact } from './play.ts';

/**
 * What a record says of a play; null for one that is about no play. Throws an EventFormError on one that is not what it
 * says it is.
 */
export function factOf({ type, schemaVersion, position, body }: SourceRecord): PlayFact | null {
  switch (type) {
    case 'StakeDebited': {
      const debit = parseEvent(type, schemaVersion, body);
      return { ...ids(debit), order: orderOf(debit), walletPosition: position };
    }
    case 'UnitIssued': {
      const unit = parseEvent(type, schemaVersion, body);
      const { blockId, sequence, unitIndex, prizeCents, seed, mechanic, scriptDigest, issuedAt } = unit;
      const outcome = { blockId, sequence, unitIndex, prizeCents, seed, mechanic, scriptDigest, issuedAt };
      return { ...ids(unit), order: orderOf(unit), outcome: { kind: 'issued', ...outcome } };
    }
    case 'UnitRefused': {
      const refusal = parseEvent(type, schemaVersion, body);
      const { reason, refusedAt } = refusal;
      return { ...ids(refusal), order: orderOf(refusal), outcome: { kind: 'refused', reason, refusedAt } };
    }
    case 'PrizeCredited': {
      const credit = parseEvent(type, schemaVersion, body);
      return { ...ids(credit), payment: { kind: 'prize', amountCents: credit.prizeCents, paidAt: credit.creditedAt } };
    }
    case 'StakeRefunded': {
      const refund = parseEvent(type, schemaVersion, body);
      return { ...ids(refund), payment: { kind: 'refund', amountCents: refund.stakeCents, paidAt: refund.refundedAt } };
    }
    default:
      return null;
  }
}

function ids({ playId, playerId }: { readonly playId: string; readonly playerId: string }) {
  return { playId, playerId };
}

function orderOf({ game, stakeCents, regulation, mode, placedAt }: Order): Order {
  return { game, stakeCents, regulation, mode, placedAt };
}
