import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsIn, Matches } from 'class-validator';
import type { RaiseIncidentRequest, RaiseIncidentResponse } from '#contracts';
import type { Incident, Work } from '#event-sourcing';
import { EventSourced, reportIncident, UUID } from '#service';
import { runInLane } from '../in-lane.ts';
import { incidentIdOf } from './incident-id.ts';
import { raisedIncidents, raiseOnce } from './raised-incidents.ts';

/** Raises what another service has noticed, once for its kind and subject, whoever tells it again. */
export function raisingWork(told: RaiseIncidentRequest): Work<RaiseIncidentResponse> {
  const { kind, subject, detail } = told;
  const incident: Incident = { incidentId: incidentIdOf(kind, subject), kind, subject, detail };
  const { incidentId } = incident;
  return {
    states: [{ subject: raisedIncidents, id: incidentId }],
    decide(draft) {
      const events = raiseOnce(draft.state(raisedIncidents, incidentId), incident, draft.at);
      for (const event of events) draft.emit(raisedIncidents, incidentId, event);
      return { answer: { kind: events.length > 0 ? 'raised' : 'repeated' } };
    },
  };
}

export class RaiseIncident extends Command<RaiseIncidentResponse> {
  constructor(readonly told: RaiseIncidentRequest) {
    super();
  }
}

@CommandHandler(RaiseIncident)
export class RaiseIncidentHandler implements ICommandHandler<RaiseIncident> {
  constructor(private readonly issuance: EventSourced) {}

  async execute({ told }: RaiseIncident): Promise<RaiseIncidentResponse> {
    const answer = await runInLane(this.issuance.lane, raisingWork(told));
    if (answer.kind === 'raised') reportIncident('issuance', told);
    return answer;
  }
}

/** Only what others may tell of: what issuance itself decides on a play has its id from the same kind and subject. */
const KINDS: readonly RaiseIncidentRequest['kind'][] = ['script-differs'];

class IncidentBody implements RaiseIncidentRequest {
  @IsIn(KINDS)
  kind!: RaiseIncidentRequest['kind'];

  @Matches(UUID, { message: 'subject must be a lower-case UUID' })
  subject!: string;

  @Matches(/^[^\p{Cc}\p{Cs}]{1,1000}$/u, { message: 'detail must be one line of 1 to 1,000 characters' })
  detail!: string;
}

@Controller('internal/v1/incidents')
export class RaiseIncidentController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  raise(@Body() { kind, subject, detail }: IncidentBody): Promise<RaiseIncidentResponse> {
    return this.commands.execute(new RaiseIncident({ kind, subject, detail }));
  }
}
