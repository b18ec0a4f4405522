import { ApiProperty } from '@nestjs/swagger';

/** A text in the two languages of the platform. */
export class LocalizedText {
  @ApiProperty({ example: 'Sudoku' })
  readonly fr!: string;
  @ApiProperty({ example: 'Sudoku' })
  readonly en!: string;
}

export class PrizeRow {
  @ApiProperty({ type: 'integer', description: 'Units of a block with this prize.', example: 3 })
  readonly count!: number;
  @ApiProperty({ type: 'integer', example: 450_000 })
  readonly prizeCents!: number;
}

export class StakeView {
  @ApiProperty({ type: 'integer', example: 100 })
  readonly stakeCents!: number;
  @ApiProperty({ enum: ['not-open', 'open', 'suspended', 'closed'] })
  readonly status!: 'not-open' | 'open' | 'suspended' | 'closed';
  @ApiProperty({ type: LocalizedText, nullable: true, description: 'What operators tell players about this sale.' })
  readonly notice!: LocalizedText | null;
  @ApiProperty({ type: [PrizeRow], description: 'The prize table of a block, highest prize first.' })
  readonly rows!: readonly PrizeRow[];
  @ApiProperty({ type: 'integer', description: 'Winning units of a block.', example: 331_043 })
  readonly winningUnits!: number;
  @ApiProperty({ description: 'One unit wins out of this many, on average.', example: 3.867 })
  readonly oneIn!: number;
  @ApiProperty({
    description: 'Share of the stakes of a block that its prizes pay back, in percent.',
    example: 70.3125,
  })
  readonly returnPercent!: number;
}

export class GameView {
  @ApiProperty({ example: 'sudoku' })
  readonly game!: string;
  @ApiProperty({ type: LocalizedText })
  readonly names!: LocalizedText;
  @ApiProperty({ example: 'sudoku@2009-01-26', description: 'The regulation in force; see /regulations/{id}.' })
  readonly regulation!: string;
  @ApiProperty({ format: 'date', example: '2009-02-05' })
  readonly opensOn!: string;
  @ApiProperty({ type: 'integer', description: 'Units of a block.', example: 1_280_000 })
  readonly blockSize!: number;
  @ApiProperty({ type: [String], description: 'Ways to play, where there is a choice.', example: ['play', 'auto'] })
  readonly modes!: readonly string[];
  @ApiProperty({ type: [StakeView] })
  readonly stakes!: readonly StakeView[];
  @ApiProperty({ type: [String], description: 'Where the regulation is published, and its legal basis.' })
  readonly references!: readonly string[];
}

export class GamesView {
  @ApiProperty({ type: [GameView] })
  readonly items!: readonly GameView[];
}
