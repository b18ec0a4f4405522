import { ApiProperty } from '@nestjs/swagger';

export class BlocksPage {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Signed commitments (`enjeu-commitment/1`), in order of entry.',
  })
  readonly items!: readonly Record<string, unknown>[];
  @ApiProperty({ type: String, nullable: true, description: '`cursor` of the next page.' })
  readonly next!: string | null;
}

export class BlockDetails {
  @ApiProperty({ type: 'object', additionalProperties: true, description: '`enjeu-commitment/1`, as signed.' })
  readonly commitment!: Record<string, unknown>;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: '`enjeu-opening/1`, as signed; null without a public contribution.',
  })
  readonly opening!: Record<string, unknown> | null;
  @ApiProperty({ enum: ['committed', 'open', 'exhausted', 'closed'] })
  readonly status!: 'committed' | 'open' | 'exhausted' | 'closed';
}
