import { Controller, Get } from '@nestjs/common';
import type { RegulationsResponse } from '#contracts';
import { RegulationRegistry } from './regulations-registry.ts';

/** What a service knows by now, for whoever has added something and waits until it is known. */
@Controller('internal/v1/regulations')
export class RegulationsController {
  constructor(private readonly registry: RegulationRegistry) {}

  @Get()
  regulations(): RegulationsResponse {
    return { regulations: this.registry.all.map(({ id }) => ({ id, digest: this.registry.digestOf(id)! })) };
  }
}
