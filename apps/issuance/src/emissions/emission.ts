import type { EventBody, EventOf } from '#contracts';
import { type Decision, emit, refuse, type Subject } from '#event-sourcing';

/** What two operators order: this many blocks of a game at one stake. */
export type EmissionOrder = Omit<EventBody<'EmissionApproved'>, 'approvedAt'>;

/** The life of an emission, on the stream `emission-<id>`. The sales of its blocks stand on the blocks' own streams. */
export type EmissionEvent = EventOf<
  'EmissionApproved' | 'EmissionClosed' | 'BlockOpened' | 'BlockExhausted' | 'BlockDisclosed'
>;

/** That an emission was ended early, and what the public was told. */
export type Closing = Pick<EventBody<'EmissionClosed'>, 'closedBy' | 'notice' | 'closedAt'>;

export interface Emission {
  /** Null before its approval. */
  readonly order: EmissionOrder | null;
  readonly opened: number;
  readonly exhausted: number;
  /** Absent while it goes on, and where it ended with its last unit. */
  readonly closing?: Closing;
}

export const emissions: Subject<Emission, EmissionEvent> = {
  name: 'emission',
  initial: { order: null, opened: 0, exhausted: 0 },
  evolve(emission, event) {
    switch (event.type) {
      case 'EmissionApproved': {
        const { emissionId, regulation, stakeCents, blocks, approvedBy } = event;
        return { ...emission, order: { emissionId, regulation, stakeCents, blocks, approvedBy } };
      }
      case 'BlockOpened':
        return { ...emission, opened: emission.opened + 1 };
      case 'BlockExhausted':
        return { ...emission, exhausted: emission.exhausted + 1 };
      case 'EmissionClosed': {
        const { closedBy, notice, closedAt } = event;
        return { ...emission, closing: { closedBy, notice, closedAt } };
      }
      case 'BlockDisclosed':
        return emission;
    }
  },
};

export type ApprovalRefusal =
  | 'same-approver'
  | 'blocks-below-one'
  | 'regulation-unknown'
  | 'stake-unknown'
  | 'emission-already-approved';

/** What an order is checked against: the stakes in cents of the regulation that it names, null where there is none such. */
export interface ApprovalConditions {
  readonly stakes: readonly number[] | null;
  readonly at: string;
}

/**
 * Approves an emission (REG-2.1). Two different persons are needed; the regulation must be on file and sell units at this
 * stake (REG-2.2). The same order again emits nothing; another order under the same id is `emission-already-approved`.
 */
export function approveEmission(
  emission: Emission,
  order: EmissionOrder,
  { stakes, at }: ApprovalConditions,
): Decision<EmissionEvent, ApprovalRefusal> {
  if (emission.order !== null) {
    return sameOrder(emission.order, order) ? emit() : refuse('emission-already-approved', emission.order.emissionId);
  }
  if (order.approvedBy[0] === order.approvedBy[1]) return refuse('same-approver', order.approvedBy[0]);
  if (!Number.isSafeInteger(order.blocks) || order.blocks < 1) return refuse('blocks-below-one', String(order.blocks));
  if (stakes === null) return refuse('regulation-unknown', order.regulation);
  if (!stakes.includes(order.stakeCents)) return refuse('stake-unknown', String(order.stakeCents));
  return emit({ type: 'EmissionApproved', ...order, approvedAt: at });
}

export function statusOf(emission: Emission): 'approved' | 'open' | 'used-up' | 'closed' {
  if (emission.closing) return 'closed';
  if (emission.order !== null && emission.exhausted === emission.order.blocks) return 'used-up';
  return emission.opened === 0 ? 'approved' : 'open';
}

function sameOrder(a: EmissionOrder, b: EmissionOrder): boolean {
  return (
    a.regulation === b.regulation &&
    a.stakeCents === b.stakeCents &&
    a.blocks === b.blocks &&
    a.approvedBy[0] === b.approvedBy[0] &&
    a.approvedBy[1] === b.approvedBy[1]
  );
}
