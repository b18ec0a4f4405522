import { ApiProperty } from '@nestjs/swagger';

export class WalletView {
  @ApiProperty({ type: 'integer', description: 'What can be staked.', example: 4850 })
  readonly availableCents!: number;
  @ApiProperty({ type: 'integer', description: 'What is set aside, for a withdrawal for example.', example: 0 })
  readonly reservedCents!: number;
  @ApiProperty({ enum: ['EUR'] })
  readonly currency!: 'EUR';
}

export class WalletEntry {
  @ApiProperty({ enum: ['StakeDebited', 'StakeRefunded', 'PrizeCredited', 'AccountAdjusted'] })
  readonly type!: 'StakeDebited' | 'StakeRefunded' | 'PrizeCredited' | 'AccountAdjusted';
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  readonly playId!: string | null;
  @ApiProperty({ type: 'integer', description: 'Signed: a stake is negative.', example: -100 })
  readonly amountCents!: number;
  @ApiProperty({ type: 'integer', description: 'The available balance after it.', example: 4850 })
  readonly availableCents!: number;
  @ApiProperty({ type: String, nullable: true, description: 'Of an adjustment or a refund.' })
  readonly reason!: string | null;
  @ApiProperty({ format: 'date-time' })
  readonly at!: string;
}

export class WalletEntriesPage {
  @ApiProperty({ type: [WalletEntry], description: 'Newest first.' })
  readonly items!: readonly WalletEntry[];
  @ApiProperty({ type: String, nullable: true, description: '`cursor` of the next page.' })
  readonly next!: string | null;
}
