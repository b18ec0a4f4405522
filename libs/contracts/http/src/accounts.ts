import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

export const REGULATION_ID = /^[a-z0-9-]{1,40}@\d{4}-\d\d-\d\d$/;

export class AccountOpened {
  @ApiProperty({ format: 'uuid' })
  readonly playerId!: string;
  @ApiProperty({ description: 'False when the account was open already.' })
  readonly opened!: boolean;
}

export class AcceptRegulation {
  @ApiProperty({ example: 'sudoku@2009-01-26', pattern: REGULATION_ID.source })
  @Matches(REGULATION_ID, { message: 'must be the id of a regulation, such as sudoku@2009-01-26' })
  readonly regulation!: string;
}

export class RegulationAcceptance {
  @ApiProperty({ example: 'sudoku@2009-01-26' })
  readonly regulation!: string;
  @ApiProperty({ format: 'date-time' })
  readonly acceptedAt!: string;
}

export class Me {
  @ApiProperty({ format: 'uuid' })
  readonly playerId!: string;
  @ApiProperty({ format: 'date-time' })
  readonly openedAt!: string;
  @ApiProperty({ type: [RegulationAcceptance] })
  readonly accepted!: readonly RegulationAcceptance[];
  @ApiProperty({ type: [String], description: 'Regulations in force that the player has not accepted yet.' })
  readonly missing!: readonly string[];
}

export class Accepted {
  @ApiProperty({ example: 'sudoku@2009-01-26' })
  readonly regulation!: string;
}
