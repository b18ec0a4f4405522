import { ApiProperty } from '@nestjs/swagger';

export class FieldProblem {
  @ApiProperty({ description: 'The member, dotted; empty for the body itself.', example: 'stakeCents' })
  readonly path!: string;
  @ApiProperty({ example: 'must be a whole number of cents' })
  readonly message!: string;
}

/** RFC 9457. The names behind `urn:enjeu:problem:` are listed in the API's description. */
export class ProblemDetails {
  @ApiProperty({ example: 'urn:enjeu:problem:balance-too-low' })
  readonly type!: string;
  @ApiProperty({ example: 'Conflict' })
  readonly title!: string;
  @ApiProperty({ type: 'integer', example: 409 })
  readonly status!: number;
  @ApiProperty({ description: 'What to do about it.' })
  readonly detail!: string;
  @ApiProperty({ type: [FieldProblem], required: false, description: 'Of `body-invalid`: what is wrong where.' })
  readonly errors?: readonly FieldProblem[];
}
