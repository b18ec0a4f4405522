import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsInt, Matches, Max, Min, ValidateIf } from 'class-validator';
import { SCRIPT_COMPONENTS } from './scripts.ts';

export * from './scripts.ts';

/**
 * The public HTTP API, version 1: what the gateway takes and answers under `/api/v1`. Bodies are validated by these
 * classes; money is whole cents; times are UTC with three decimals; ids are lower-case UUIDs.
 */

/** The name of a game, or of a way to play it. */
export const NAME = /^[a-z][a-z0-9-]{0,31}$/;

const REGULATION_ID = /^[a-z][a-z0-9-]{0,31}@\d{4}-\d\d-\d\d$/;

const uuid = { format: 'uuid', example: '01920e4f-8a52-7c3d-9b1e-5f0c2a527d1c' } as const;
const time = { format: 'date-time', example: '2009-02-05T12:00:00.000Z' } as const;
const cents = (description: string) => ({ type: 'integer', description, example: 100 }) as const;

const anyScript = {
  oneOf: Object.values(SCRIPT_COMPONENTS).map(($ref) => ({ $ref })),
  discriminator: { propertyName: 'mechanic', mapping: SCRIPT_COMPONENTS },
};

@ApiSchema({ description: 'A play to be placed.' })
export class PlaceablePlay {
  @ApiProperty({ pattern: NAME.source, example: 'sudoku' })
  @Matches(NAME, { message: 'game must be the name of a game' })
  game!: string;

  @ApiProperty({ ...cents('One of the stakes of the game.'), minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
  @IsInt({ message: 'stakeCents must be a whole number of cents above 0' })
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  stakeCents!: number;

  @ApiPropertyOptional({
    pattern: NAME.source,
    description: 'One of the modes of the game, where it has several; then the first is the default.',
    example: 'auto',
  })
  @ValidateIf(({ mode }: PlaceablePlay) => mode !== undefined)
  @Matches(NAME, { message: 'mode must be the name of a mode' })
  mode?: string;
}

@ApiSchema({ description: 'One unit that a player has bought, from the debit of its stake on.' })
export class PlayView {
  @ApiProperty(uuid)
  playId!: string;

  @ApiProperty({ example: 'sudoku' })
  game!: string;

  @ApiProperty({ example: 'sudoku@2009-01-26', description: 'The version of the regulation that it was placed under.' })
  regulation!: string;

  @ApiProperty(cents('What it cost.'))
  stakeCents!: number;

  @ApiProperty({ type: String, nullable: true, description: 'Null where the game has one way to play.' })
  mode!: string | null;

  @ApiProperty({ enum: ['pending', 'lost', 'won', 'refunded'] })
  status!: 'pending' | 'lost' | 'won' | 'refunded';

  @ApiProperty({ ...cents('0 when it is lost; null while it is pending and when it is refunded.'), nullable: true })
  prizeCents!: number | null;

  @ApiProperty({ ...uuid, type: String, nullable: true, description: 'The block that its unit is from.' })
  blockId!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The unit within its block.' })
  unitIndex!: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'sudoku/1' })
  mechanic!: string | null;

  @ApiProperty({
    oneOf: [anyScript, { type: 'null' }],
    description:
      'How the unit is shown, always the same; null while there is no outcome, and where the script is withheld: then the ' +
      'outcome stands without it.',
  })
  script!: Record<string, unknown> | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why it was refunded.', example: 'no-unit-left' })
  reason!: string | null;

  @ApiProperty(time)
  placedAt!: string;

  @ApiProperty({ ...time, type: String, nullable: true })
  settledAt!: string | null;

  @ApiProperty({ ...time, type: String, nullable: true, description: 'When it was first shown to its end.' })
  seenAt!: string | null;
}

const next = {
  type: String,
  nullable: true,
  description: 'The cursor of the next page; null on the last one.',
} as const;

@ApiSchema({ description: 'A page of plays, newest first.' })
export class PlaysPage {
  @ApiProperty({ type: [PlayView] })
  items!: PlayView[];

  @ApiProperty(next)
  next!: string | null;
}

export class SeenView {
  @ApiProperty({ ...time, description: 'The first time counts.' })
  seenAt!: string;
}

export class LocalizedText {
  @ApiProperty()
  fr!: string;

  @ApiProperty()
  en!: string;
}

export class PrizeRowView {
  @ApiProperty({ type: 'integer', description: 'Prizes of this amount in a block.' })
  count!: number;

  @ApiProperty(cents('The amount.'))
  prizeCents!: number;
}

@ApiSchema({ description: 'A game at one stake: its sale, its prize table and what follows from it.' })
export class StakeView {
  @ApiProperty(cents('The price of a unit.'))
  stakeCents!: number;

  @ApiProperty({ enum: ['not-open', 'open', 'suspended', 'closed', 'unknown'] })
  status!: 'not-open' | 'open' | 'suspended' | 'closed' | 'unknown';

  @ApiProperty({ type: LocalizedText, nullable: true, description: 'What players are told about the sale.' })
  notice!: LocalizedText | null;

  @ApiProperty({ type: [PrizeRowView], description: 'The prize table of a block, in the regulation’s order.' })
  rows!: PrizeRowView[];

  @ApiProperty({ type: 'integer', description: 'Prizes in a block.' })
  prizes!: number;

  @ApiProperty(cents('Sum of the prizes of a block.'))
  totalCents!: number;

  @ApiProperty({ description: 'The share of the stakes that a block gives back.', example: 0.703125 })
  returnRate!: number;

  @ApiProperty({ description: 'The share of the units that win.', example: 0.25862734375 })
  winRate!: number;
}

@ApiSchema({ description: 'A game under the newest version of its regulation.' })
export class GameView {
  @ApiProperty({ example: 'sudoku' })
  game!: string;

  @ApiProperty({ type: LocalizedText })
  names!: LocalizedText;

  @ApiProperty({ example: 'sudoku@2009-01-26' })
  regulation!: string;

  @ApiProperty({ format: 'date', example: '2009-02-05' })
  opensOn!: string;

  @ApiProperty({ type: [String], description: 'Legal basis and publication of the regulation.' })
  references!: string[];

  @ApiProperty({ type: LocalizedText, nullable: true, description: 'The notice of a sale that is not open (REG-1.1).' })
  notice!: LocalizedText | null;

  @ApiProperty({ type: [String], description: 'The ways to play, the default first; empty where there is one.' })
  modes!: string[];

  @ApiProperty({ type: 'integer', description: 'Units of a block.', example: 1_280_000 })
  blockSize!: number;

  @ApiProperty({ type: [StakeView] })
  stakes!: StakeView[];
}

export class GamesView {
  @ApiProperty({ type: [GameView] })
  items!: GameView[];
}

export class OpenedAccount {
  @ApiProperty(uuid)
  playerId!: string;

  @ApiProperty({ description: 'False when it was open already.' })
  opened!: boolean;
}

export class AcceptedRegulation {
  @ApiProperty({ example: 'general@2001-04-05' })
  regulation!: string;

  @ApiProperty(time)
  acceptedAt!: string;
}

@ApiSchema({ description: 'The caller’s account.' })
export class MeView {
  @ApiProperty(uuid)
  playerId!: string;

  @ApiProperty({ enum: ['open'] })
  state!: 'open';

  @ApiProperty(time)
  openedAt!: string;

  @ApiProperty({ type: [AcceptedRegulation] })
  accepted!: AcceptedRegulation[];

  @ApiProperty({ type: [String], description: 'Regulations in force that have still to be accepted (REG-5.1).' })
  missing!: string[];
}

export class Acceptance {
  @ApiProperty({ pattern: REGULATION_ID.source, example: 'sudoku@2009-01-26' })
  @Matches(REGULATION_ID, { message: 'regulation must be the id of a regulation' })
  regulation!: string;
}

export class AcceptedView {
  @ApiProperty({ example: 'sudoku@2009-01-26' })
  regulation!: string;
}

export class WalletView {
  @ApiProperty(cents('What can be staked.'))
  availableCents!: number;

  @ApiProperty({ ...cents('What is set aside.'), example: 0 })
  reservedCents!: number;

  @ApiProperty({ enum: ['EUR'] })
  currency!: 'EUR';
}

@ApiSchema({ description: 'One movement of the balance.' })
export class EntryView {
  @ApiProperty({ enum: ['stake', 'refund', 'prize', 'adjustment'] })
  type!: 'stake' | 'refund' | 'prize' | 'adjustment';

  @ApiProperty({ ...uuid, type: String, nullable: true })
  playId!: string | null;

  @ApiProperty(cents('Signed: a stake is negative.'))
  amountCents!: number;

  @ApiProperty(cents('The balance after it.'))
  availableCents!: number;

  @ApiProperty({ type: String, nullable: true })
  reason!: string | null;

  @ApiProperty(time)
  at!: string;
}

@ApiSchema({ description: 'A page of the statement, newest first.' })
export class EntriesPage {
  @ApiProperty({ type: [EntryView] })
  items!: EntryView[];

  @ApiProperty(next)
  next!: string | null;
}

const signedObject = { type: 'object', additionalProperties: true } as const;

@ApiSchema({ description: 'A page of the public list of commitments, in order of entry.' })
export class BlocksPage {
  @ApiProperty({ type: 'array', items: signedObject, description: '`enjeu-commitment/1` objects, as signed.' })
  items!: Record<string, unknown>[];

  @ApiProperty(next)
  next!: string | null;
}

@ApiSchema({ description: 'A block as far as it is public.' })
export class PublicBlock {
  @ApiProperty({ ...signedObject, description: '`enjeu-commitment/1`, as signed.' })
  commitment!: Record<string, unknown>;

  @ApiProperty({
    ...signedObject,
    nullable: true,
    description: '`enjeu-opening/1`, as signed; null without a public contribution.',
  })
  opening!: Record<string, unknown> | null;

  @ApiProperty({ enum: ['committed', 'drawn', 'open', 'exhausted', 'closed'] })
  status!: 'committed' | 'drawn' | 'open' | 'exhausted' | 'closed';

  @ApiProperty({ type: 'integer', description: 'Units sold so far.' })
  sold!: number;
}

@ApiSchema({ description: 'A public key (RFC 8037).' })
export class PublicKeyView {
  @ApiProperty({ enum: ['OKP'] })
  kty!: string;

  @ApiProperty({ enum: ['Ed25519'] })
  crv!: string;

  @ApiProperty()
  x!: string;

  @ApiProperty({ enum: ['EdDSA'] })
  alg!: string;

  @ApiProperty({ enum: ['sig'] })
  use!: string;

  @ApiProperty({ description: 'RFC 7638 thumbprint.' })
  kid!: string;

  @ApiProperty({ enum: ['blocks', 'log', 'archive'] })
  purpose!: string;

  @ApiProperty(time)
  validFrom!: string;

  @ApiProperty({ ...time, type: String, nullable: true })
  validUntil!: string | null;
}

@ApiSchema({ description: 'All signing keys ever used.' })
export class KeySetView {
  @ApiProperty({ type: [PublicKeyView] })
  keys!: PublicKeyView[];
}

@ApiSchema({ description: 'RFC 9457: why a request failed.' })
export class ProblemView {
  @ApiProperty({ example: 'urn:enjeu:problem:balance-too-low', description: 'Stable; the rest is for people.' })
  type!: string;

  @ApiProperty({ example: 'Conflict' })
  title!: string;

  @ApiProperty({ type: 'integer', example: 409 })
  status!: number;

  @ApiProperty()
  detail!: string;
}
