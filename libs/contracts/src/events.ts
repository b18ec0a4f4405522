import { z } from 'zod';
import type { Cents } from '#money';

/* The building blocks of formats.md. */

const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const seed = z.string().regex(/^[0-9a-f]{32}$/);
const signature = z.string().regex(/^[0-9a-f]{128}$/);
const keyId = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const word = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const regulationId = z.string().regex(/^[a-z0-9-]+@\d{4}-\d\d-\d\d$/);
const mechanic = z.string().regex(/^[a-z0-9-]+\/\d+$/);
const text = z
  .string()
  .max(2_000)
  .regex(/^[^\0]*$/);
const position = z.int().min(1);
const count = z.int().min(0);

/** Amounts are branded for those who compute with them; the schema stays a plain integer. */
const amount = z.int() as unknown as z.ZodType<Cents>;
const positiveAmount = z.int().min(1) as unknown as z.ZodType<Cents>;
const amountFromZero = z.int().min(0) as unknown as z.ZodType<Cents>;

/** Two entries; as a list, because a schema of a tuple is not the same in every draft of JSON Schema. */
const twoPeople = z.array(text.min(1)).length(2) as unknown as z.ZodType<[string, string]>;

const notice = z.strictObject({ fr: text, en: text });
const unitRefusal = z.enum(['no-unit-left', 'sale-suspended', 'sale-closed', 'regulation-changed', 'set-aside']);
const mode = z.enum(['play', 'auto']).nullable();

const play = {
  playId: uuid,
  playerId: uuid,
  game: word,
  stakeCents: positiveAmount,
  regulation: regulationId,
  mode,
  placedAt: time,
};
const sale = { game: word, stakeCents: positiveAmount, regulation: regulationId, notice: notice.nullable() };

const contribution = z.strictObject({ source: z.string().regex(/^[a-z0-9:-]+$/), round: count });
const signed = { keyId, signature };

/** `enjeu-commitment/1`, the public object that is also the event. */
const commitment = z.strictObject({
  format: z.literal('enjeu-commitment/1'),
  blockId: uuid,
  entry: count,
  previous: hash.nullable(),
  regulation: regulationId,
  regulationDigest: hash,
  stakeCents: positiveAmount,
  size: z.int().min(1),
  tableDigest: hash,
  mechanic,
  root: hash,
  contribution: contribution.nullable(),
  committedAt: time,
  ...signed,
});

/** `enjeu-opening/1`. */
const opening = z.strictObject({
  format: z.literal('enjeu-opening/1'),
  blockId: uuid,
  contribution: z.strictObject({
    source: z.string().regex(/^[a-z0-9:-]+$/),
    round: count,
    value: z.string().regex(/^([0-9a-f]{2})+$/),
  }),
  start: count,
  openedAt: time,
  ...signed,
});

/** The service in whose log an event is recorded; an incident may be in anyone's. */
export type EventOwner = 'wallet' | 'issuance' | 'any';

type Upcaster = (older: unknown) => unknown;

interface EventDefinition {
  readonly owner: EventOwner;
  /** In one sentence, for the generated documents. */
  readonly meaning: string;
  /** Version 1 first. What was published keeps its meaning: a change is one more schema here and one more upcaster. */
  readonly versions: readonly [z.ZodType, ...z.ZodType[]];
  /** `upcasters[0]` makes a body of version 2 from one of version 1, and so on. */
  readonly upcasters?: readonly ((body: never) => unknown)[];
}

/** Every public event, once. */
export const events = {
  AccountOpened: {
    owner: 'wallet',
    meaning: 'A player has an account and may be credited.',
    versions: [z.strictObject({ playerId: uuid, openedAt: time })],
  },
  RegulationAccepted: {
    owner: 'wallet',
    meaning: 'A player accepted one version of a regulation.',
    versions: [z.strictObject({ playerId: uuid, regulation: regulationId, acceptedAt: time })],
  },
  AccountAdjusted: {
    owner: 'wallet',
    meaning: 'An operator corrected a balance, up or down.',
    versions: [
      z.strictObject({
        adjustmentId: uuid,
        playerId: uuid,
        amountCents: amount,
        reason: text.min(1),
        adjustedAt: time,
        availableCents: amountFromZero,
      }),
    ],
  },
  StakeDebited: {
    owner: 'wallet',
    meaning: 'The stake of a play left the balance; from here on the play exists.',
    versions: [z.strictObject({ ...play, availableCents: amountFromZero })],
  },
  PrizeCredited: {
    owner: 'wallet',
    meaning: 'The prize of a won play reached the balance.',
    versions: [
      z.strictObject({
        playId: uuid,
        playerId: uuid,
        prizeCents: positiveAmount,
        creditedAt: time,
        availableCents: amountFromZero,
      }),
    ],
  },
  StakeRefunded: {
    owner: 'wallet',
    meaning: 'The stake of a refused play came back to the balance.',
    versions: [
      z.strictObject({
        playId: uuid,
        playerId: uuid,
        stakeCents: positiveAmount,
        reason: unitRefusal,
        refundedAt: time,
        availableCents: amountFromZero,
      }),
    ],
  },
  UnitIssued: {
    owner: 'issuance',
    meaning: 'A play got the next sealed unit of its block; a prize of 0 is a lost play.',
    versions: [
      z.strictObject({
        ...play,
        blockId: uuid,
        sequence: count,
        unitIndex: count,
        prizeCents: amountFromZero,
        seed,
        mechanic,
        scriptDigest: hash.nullable(),
        issuedAt: time,
      }),
    ],
  },
  UnitRefused: {
    owner: 'issuance',
    meaning: 'A play that was in flight gets no unit and is to be refunded.',
    versions: [z.strictObject({ ...play, reason: unitRefusal, refusedAt: time })],
  },
  SaleOpened: {
    owner: 'issuance',
    meaning: 'Units of a game can be bought at this stake under this regulation.',
    versions: [z.strictObject(sale)],
  },
  SaleSuspended: {
    owner: 'issuance',
    meaning: 'A sale is interrupted; the notice says why.',
    versions: [z.strictObject(sale)],
  },
  SaleResumed: {
    owner: 'issuance',
    meaning: 'An interrupted sale goes on.',
    versions: [z.strictObject(sale)],
  },
  SaleClosed: {
    owner: 'issuance',
    meaning: 'A sale has ended: used up, or closed by an operator.',
    versions: [z.strictObject(sale)],
  },
  EmissionApproved: {
    owner: 'issuance',
    meaning: 'Two operators decided to sell a number of blocks of a game at one stake.',
    versions: [
      z.strictObject({
        emissionId: uuid,
        regulation: regulationId,
        stakeCents: positiveAmount,
        blocks: z.int().min(1),
        approvedBy: twoPeople,
        approvedAt: time,
      }),
    ],
  },
  EmissionClosed: {
    owner: 'issuance',
    meaning:
      'Two operators ended an emission early: of these blocks, sold in part or not at all, nothing more is sold.',
    versions: [
      z.strictObject({ emissionId: uuid, blockIds: z.array(uuid), closedBy: twoPeople, notice, closedAt: time }),
    ],
  },
  BlockCommitted: {
    owner: 'issuance',
    meaning: 'The contents of a block are fixed and stand in the public list.',
    versions: [commitment],
  },
  BlockOpened: {
    owner: 'issuance',
    meaning: 'A block is drawn, where it has a public contribution, and can be sold.',
    versions: [z.strictObject({ blockId: uuid, start: count, opening: opening.nullable(), openedAt: time })],
  },
  BlockExhausted: {
    owner: 'issuance',
    meaning: 'Every unit of a block is sold.',
    versions: [z.strictObject({ blockId: uuid, exhaustedAt: time })],
  },
  BlockDisclosed: {
    owner: 'issuance',
    meaning: 'The secret of a block and the list of its issued units are public.',
    versions: [
      z.strictObject({
        blockId: uuid,
        digest: hash,
        closed: z.strictObject({ notice, closedAt: time }).nullable(),
        disclosedAt: time,
      }),
    ],
  },
  LogHeadSigned: {
    owner: 'any',
    meaning: 'The head of this log, before this event, under the signature of its owner.',
    versions: [
      z.strictObject({
        format: z.literal('enjeu-head/1'),
        logId: uuid,
        epoch: position,
        position: count,
        chain: hash,
        signedAt: time,
        ...signed,
      }),
    ],
  },
  IncidentRaised: {
    owner: 'any',
    meaning: 'Something happened that somebody has to look into.',
    versions: [z.strictObject({ incidentId: uuid, kind: word, subject: text, detail: text, raisedAt: time })],
  },
} as const satisfies Record<string, EventDefinition>;

export type EventType = keyof typeof events;

type Newest<Versions extends readonly unknown[]> = Versions extends readonly [...unknown[], infer Last] ? Last : never;

/** The data of an event in its newest version: `EventBody<'StakeDebited'>`. */
export type EventBody<Type extends EventType> = z.infer<Newest<(typeof events)[Type]['versions']>>;

/** An event inside a service: its type, and beside it its data. `EventOf<'StakeDebited' | 'PrizeCredited'>` is a union. */
export type EventOf<Type extends EventType> = { [T in Type]: { readonly type: T } & EventBody<T> }[Type];

/** Why issuance refuses a unit to a play. */
export type UnitRefusal = z.infer<typeof unitRefusal>;
export type PlayMode = z.infer<typeof mode>;
export type SaleNotice = z.infer<typeof notice>;
export type Commitment = z.infer<typeof commitment>;
export type Opening = z.infer<typeof opening>;

/** The version in which an event is written today. */
export function schemaVersionOf(type: EventType): number {
  return events[type].versions.length;
}

/** A record of the bus is not the event that it says it is. */
export class EventFormError extends Error {
  constructor(
    readonly type: string,
    readonly schemaVersion: number,
    message: string,
  ) {
    super(`${type} version ${schemaVersion}: ${message}`);
    this.name = 'EventFormError';
  }
}

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(events, type);
}

/**
 * Checks an event's data against its schema, and brings an older version up to the newest.
 * @param body the data, parsed
 * @throws EventFormError for an unknown type or version, a member that is missing, unknown or of another form
 */
export function parseEvent<Type extends EventType>(type: Type, schemaVersion: number, body: unknown): EventBody<Type> {
  const definition = (isEventType(type) ? events[type] : null) as EventDefinition | null;
  const schema = definition?.versions[schemaVersion - 1];
  if (!definition || !schema) throw new EventFormError(type, schemaVersion, 'no such event is known here');
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new EventFormError(type, schemaVersion, complaintsOf(parsed.error));
  const upcasters = (definition.upcasters ?? []) as readonly Upcaster[];
  return upcasters.slice(schemaVersion - 1).reduce((older, upcast) => upcast(older), parsed.data) as EventBody<Type>;
}

function complaintsOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'data'}: ${issue.message}`).join('; ');
}
