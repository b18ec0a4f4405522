/** What a decision function answers: events to append, or a named refusal with what the caller needs to act on it. */
export type Decision<Event, Refusal extends string> =
  | { readonly events: readonly Event[] }
  | { readonly refused: Refusal; readonly detail: string };

export function emit<Event>(...events: readonly Event[]): { readonly events: readonly Event[] } {
  return { events };
}

export function refuse<Refusal extends string>(
  refused: Refusal,
  detail = '',
): { readonly refused: Refusal; readonly detail: string } {
  return { refused, detail };
}

/** An event inside a service: its type, and beside it the members that formats.md lists as the event's data. */
export interface DomainEvent {
  readonly type: string;
}

/**
 * A subject of decisions: what its streams are called, what it is before its first event, and how an event changes it.
 * State is plain JSON. The stream and the state of the account 7 are both called `account-7`; a subject that exists
 * once (`commitments`, `log`) has the id `''` and its bare name.
 */
export interface Subject<State, Event extends DomainEvent> {
  readonly name: string;
  readonly initial: State;
  evolve(state: State, event: Event): State;
}

export function streamOf(subject: { readonly name: string }, id: string): string {
  return id === '' ? subject.name : `${subject.name}-${id}`;
}
