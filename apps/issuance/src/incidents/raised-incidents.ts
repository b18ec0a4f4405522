import type { Incident, IncidentRaised, Subject } from '#event-sourcing';

/** Whether an incident that others tell of has been raised. */
export interface RaisedIncident {
  readonly raised: boolean;
}

/** By incident id; the event is the only one of its stream, as with every incident. */
export const raisedIncidents: Subject<RaisedIncident, IncidentRaised> = {
  name: 'incident',
  initial: { raised: false },
  evolve: () => ({ raised: true }),
};

/** The event, or none where it was raised before. @param at time of the decision */
export function raiseOnce(known: RaisedIncident, incident: Incident, at: string): IncidentRaised[] {
  return known.raised ? [] : [{ type: 'IncidentRaised', ...incident, raisedAt: at }];
}
