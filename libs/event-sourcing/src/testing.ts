import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Decision, DomainEvent, Subject } from './decider.ts';

type Decide<State, Command, Event, Refusal extends string> = (
  state: State,
  command: Command,
) => Decision<Event, Refusal>;

/** What follows `when`: one expectation about the decision. Both throw an AssertionError that shows the difference. */
export interface Then<Event, Refusal extends string> {
  /** Exactly these events, in this order. */
  thenEmits(...events: readonly Event[]): void;
  /** Refused for this reason, whatever the detail. */
  thenRefused(reason: Refusal): void;
}

export interface Given<State, Event> {
  when<Command, Refusal extends string>(
    decide: Decide<State, Command, Event, Refusal>,
    command: Command,
  ): Then<Event, Refusal>;
}

/**
 * The `given` of a subject's tests: `given(opened, deposited).when(debitStake, command).thenRefused('balance-too-low')`. It
 * folds the events and runs the decision; it knows no test framework.
 */
export function scenarios<State, Event extends DomainEvent>(
  subject: Subject<State, Event>,
): (...events: readonly Event[]) => Given<State, Event> {
  return (...events) => {
    const state = events.reduce((before, event) => subject.evolve(before, event), subject.initial);
    return {
      when(decide, command) {
        const decision = decide(state, command);
        return {
          thenEmits: (...expected) => deepStrictEqual(decision, { events: expected }),
          thenRefused(reason) {
            ok('refused' in decision, `expected the refusal ${reason}, got ${JSON.stringify(decision)}`);
            deepStrictEqual(decision.refused, reason);
          },
        };
      },
    };
  };
}
