import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Matches, Max, Min, ValidateIf } from 'class-validator';

export class PlaceStake {
  @ApiProperty({ example: 'sudoku' })
  @Matches(/^[a-z0-9-]{1,40}$/, { message: 'must be the name of a game' })
  readonly game!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_000_000, example: 100 })
  @IsInt({ message: 'must be a whole number of cents' })
  @Min(1, { message: 'must be at least 1 cent' })
  @Max(1_000_000, { message: 'must be at most 1,000,000 cents' })
  readonly stakeCents!: number;

  @ApiProperty({ enum: ['play', 'auto'], required: false, description: 'Where the game has both; `play` by default.' })
  @ValidateIf((body: PlaceStake) => body.mode !== undefined)
  @IsIn(['play', 'auto'], { message: 'must be play or auto' })
  readonly mode?: 'play' | 'auto';
}

export class PlayView {
  @ApiProperty({ format: 'uuid' })
  readonly playId!: string;
  @ApiProperty({ example: 'sudoku' })
  readonly game!: string;
  @ApiProperty({ example: 'sudoku@2009-01-26' })
  readonly regulation!: string;
  @ApiProperty({ type: 'integer', example: 100 })
  readonly stakeCents!: number;
  @ApiProperty({ enum: ['play', 'auto'], nullable: true, type: String })
  readonly mode!: string | null;
  @ApiProperty({ enum: ['pending', 'lost', 'won', 'refunded'] })
  readonly status!: 'pending' | 'lost' | 'won' | 'refunded';
  @ApiProperty({
    type: 'integer',
    required: false,
    description: '0 when lost; absent while pending and when refunded.',
  })
  readonly prizeCents?: number;
  @ApiProperty({ format: 'uuid', required: false })
  readonly blockId?: string;
  @ApiProperty({ type: 'integer', required: false })
  readonly unitIndex?: number;
  @ApiProperty({ required: false, example: 'sudoku/1' })
  readonly mechanic?: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What the unit shows; null where it has nothing to show.',
  })
  readonly script?: Record<string, unknown> | null;
  @ApiProperty({ required: false, description: 'Why the stake was refunded.', example: 'no-unit-left' })
  readonly reason?: string;
  @ApiProperty({ format: 'date-time' })
  readonly placedAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it was issued or refused.' })
  readonly settledAt!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When a client showed it to its end.',
  })
  readonly seenAt!: string | null;
}

export class PlaysPage {
  @ApiProperty({ type: [PlayView], description: 'Newest first.' })
  readonly items!: readonly PlayView[];
  @ApiProperty({ type: String, nullable: true, description: '`cursor` of the next page.' })
  readonly next!: string | null;
}

export class PlaySeen {
  @ApiProperty({ format: 'date-time' })
  readonly seenAt!: string;
}
