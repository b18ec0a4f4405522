import type { DomainEvent } from './decider.ts';
import type { Draft, Work } from './lane.ts';

/** Something that must not happen has happened, and somebody must look. */
export interface Incident {
  readonly incidentId: string;
  /** `second-outcome`, `bus-gap`, … */
  readonly kind: string;
  /** What it is about: a play id, a block id, a source. */
  readonly subject: string;
  readonly detail: string;
}

export interface IncidentRaised extends DomainEvent, Incident {
  readonly type: 'IncidentRaised';
  readonly raisedAt: string;
}

/** Appends the incident as the only event of its stream. */
export function emitIncident(draft: Pick<Draft, 'at' | 'emitOnce'>, incident: Incident): void {
  const event: IncidentRaised = { type: 'IncidentRaised', ...incident, raisedAt: draft.at };
  draft.emitOnce(`incident-${incident.incidentId}`, event);
}

/** A piece of work that raises an incident and does nothing else. */
export function raiseIncident(incident: Incident): Work<null> {
  return {
    states: [],
    decide(draft) {
      emitIncident(draft, incident);
      return { answer: null };
    },
  };
}
