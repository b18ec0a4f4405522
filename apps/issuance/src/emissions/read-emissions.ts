import { Controller, Get } from '@nestjs/common';
import type { EmissionsResponse } from '#contracts';
import { streamOf } from '#event-sourcing';
import { EventSourced } from '#service';
import { lineId, type Stock, stocks } from '../blocks/stock.ts';
import { RegulationsOnFile } from '../regulations/on-file.ts';
import { storedStates } from '../stored-states.ts';
import { type Emission, emissions, statusOf } from './emission.ts';

/** Takes no lock; reads the partial index on approvals backwards, never more than its limit. */
const NEWEST_EMISSIONS = `
  select stream
    from events
   where type = 'EmissionApproved'
   order by position desc
   limit $1`;

const EMISSIONS_LIMIT = 200;

/** The emissions approved last, oldest first, with how far their blocks are prepared. */
@Controller('internal/v1/emissions')
export class ReadEmissionsController {
  constructor(
    private readonly issuance: EventSourced,
    private readonly regulations: RegulationsOnFile,
  ) {}

  @Get()
  async emissions(): Promise<EmissionsResponse> {
    const { dataSource } = this.issuance;
    const rows: { stream: string }[] = await dataSource.query(NEWEST_EMISSIONS, [EMISSIONS_LIMIT]);
    const streams = rows.map(({ stream }) => stream).reverse();
    const lines = this.regulations.lines().map((line) => streamOf(stocks, lineId(line)));
    const states = await storedStates(dataSource, [...streams, ...lines]);
    const committed = new Map(
      lines
        .flatMap((id) => (states.get(id) as Stock | undefined)?.emissions ?? [])
        .map((one) => [one.emissionId, one.committed]),
    );
    return { emissions: streams.flatMap((id) => viewOf(states.get(id) as Emission | undefined, committed)) };
  }
}

/** An emission that has left its line's stock is used up: all its blocks were committed. */
function viewOf(
  emission: Emission = emissions.initial,
  committed: ReadonlyMap<string, number>,
): EmissionsResponse['emissions'] {
  if (emission.order === null) return [];
  const { emissionId, regulation, stakeCents, blocks } = emission.order;
  const status = statusOf(emission);
  return [{ emissionId, regulation, stakeCents, blocks, committed: committed.get(emissionId) ?? blocks, status }];
}
