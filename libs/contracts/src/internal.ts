/**
 * The services' internal HTTP API, version 1: every route stands under `/internal/v1` and wants the service token as
 * `Authorization: Bearer …`. Bodies are JSON; a failure is a problem (RFC 9457). Ids are lower-case UUIDs.
 */

/* ----------------------------------------------------- wallet and issuance */

/** GET /regulations — those that the service knows by now, in order of id. */
export interface RegulationsResponse {
  readonly regulations: readonly {
    readonly id: string;
    /** SHA-256 of its canonical bytes, hex. */
    readonly digest: string;
  }[];
}

/* ------------------------------------------------------------------ wallet */

/** POST /stakes — many plays in one call; one decision each, in order. */
export interface StakesRequest {
  readonly stakes: readonly StakeToDebit[];
}

export interface StakeToDebit {
  /** Made by the gateway; on a repeated key the stored one wins. */
  readonly playId: string;
  readonly playerId: string;
  readonly game: string;
  readonly stakeCents: number;
  readonly mode: string | null;
  readonly idempotencyKey: string;
  /** SHA-256 of route and canonical body. */
  readonly requestHash: string;
}

export interface StakesResponse {
  readonly decisions: readonly StakeDecision[];
}

export type StakeDecision =
  /** `repeated` when the key had been used for this same request before. */
  | { readonly kind: 'debited'; readonly playId: string; readonly repeated: boolean }
  | { readonly kind: 'refused'; readonly reason: StakeRefusal; readonly detail: string }
  | { readonly kind: 'key-reused' }
  /** Nothing was debited and the key is not spent: the player may try again. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Why a stake is refused before any debit. `detail` names the regulation missing, or holds the sale's notice as JSON. */
export type StakeRefusal =
  | 'sale-not-open'
  | 'sale-suspended'
  | 'sale-closed'
  | 'regulation-not-accepted'
  | 'balance-too-low'
  | 'account-unknown';

/** POST /accounts — opens the account of this holder, or finds it. */
export interface OpenAccountRequest {
  readonly issuer: string;
  readonly subject: string;
}
export interface OpenAccountResponse {
  readonly playerId: string;
  /** False when it was open already. */
  readonly opened: boolean;
}

/** POST /holders/find — 404 `no-account` where there is none. */
export type FindHolderRequest = OpenAccountRequest;
export interface FindHolderResponse {
  readonly playerId: string;
}

/** GET /accounts/:playerId */
export interface AccountView {
  readonly playerId: string;
  readonly openedAt: string;
  readonly availableCents: number;
  readonly reservedCents: number;
  /** Ids of the regulations accepted, in the order of acceptance. */
  readonly accepted: readonly { readonly regulation: string; readonly acceptedAt: string }[];
  /** The wallet log's head when this was read. */
  readonly position: number;
}

/** POST /acceptances — accepting twice is answered like once. 409 `regulation-unknown` for one that is not on record. */
export interface AcceptRequest {
  readonly playerId: string;
  readonly regulation: string;
  readonly idempotencyKey: string | null;
  readonly requestHash: string | null;
}
export interface AcceptResponse {
  readonly kind: 'accepted' | 'key-reused' | 'refused';
  readonly reason?: 'regulation-unknown' | 'account-unknown';
}

/** POST /adjustments — an operator's correction; exactly once per adjustmentId. */
export interface AdjustRequest {
  readonly adjustmentId: string;
  readonly playerId: string;
  /** Signed. */
  readonly amountCents: number;
  readonly reason: string;
}
export interface AdjustResponse {
  readonly kind: 'adjusted' | 'repeated' | 'refused';
  readonly reason?: 'account-unknown' | 'balance-too-low';
}

/** GET /accounts/:playerId/entries?before=<position>&limit=<1..200> — newest first. */
export interface EntriesResponse {
  readonly items: readonly StatementEntry[];
  /** `before` of the next page, or null. */
  readonly next: number | null;
}
export interface StatementEntry {
  readonly position: number;
  readonly type: 'StakeDebited' | 'StakeRefunded' | 'PrizeCredited' | 'AccountAdjusted';
  readonly playId: string | null;
  /** Signed: a stake is negative. */
  readonly amountCents: number;
  readonly availableCents: number;
  readonly reason: string | null;
  readonly at: string;
}

/** GET /accounts/:playerId/debits?above=<position>&limit=<1..200> — StakeDebited newest first. */
export interface DebitsResponse {
  readonly items: readonly Debit[];
  /** True when there are more than `limit` above the position. */
  readonly more: boolean;
}
export interface Debit {
  readonly position: number;
  readonly playId: string;
  readonly playerId: string;
  readonly game: string;
  readonly stakeCents: number;
  readonly regulation: string;
  readonly mode: string | null;
  readonly placedAt: string;
}

/** POST /debits/find — the debits of these plays, in any order, at most 200; unknown ones are left out. */
export interface FindDebitsRequest {
  readonly playIds: readonly string[];
}
export interface FindDebitsResponse {
  readonly items: readonly Debit[];
}

/* ---------------------------------------------------------------- issuance */

export interface Notice {
  readonly fr: string;
  readonly en: string;
}

/** POST /emissions/approve — 409 where the two approvers are one, or the regulation or stake is unknown. Exactly once per emissionId. */
export interface ApproveEmissionRequest {
  readonly emissionId: string;
  readonly regulation: string;
  readonly stakeCents: number;
  readonly blocks: number;
  readonly approvedBy: readonly [string, string];
}
export interface ApproveEmissionResponse {
  readonly kind: 'approved' | 'repeated';
}

/** POST /sales/suspend {game, notice} and POST /sales/resume {game}: every stake of the game. */
export interface SuspendSaleRequest {
  readonly game: string;
  readonly notice: Notice | null;
}
export interface ResumeSaleRequest {
  readonly game: string;
}
export interface SaleOrderResponse {
  /** Stakes whose sale changed; empty when they already were as ordered. */
  readonly changed: readonly number[];
}

/** GET /sales */
export interface SalesResponse {
  readonly sales: readonly SaleView[];
}
export interface SaleView {
  readonly game: string;
  readonly stakeCents: number;
  readonly regulation: string;
  readonly status: 'open' | 'suspended' | 'closed';
  readonly notice: Notice | null;
}

/** GET /blocks?from=<entry>&limit=<1..100> — commitments as signed, in order of entry. */
export interface BlocksResponse {
  /** `enjeu-commitment/1` objects. */
  readonly items: readonly Record<string, unknown>[];
  /** `from` of the next page, or null. */
  readonly next: number | null;
}

/** GET /blocks/:id — 404 `block-unknown`. */
export interface BlockView {
  readonly commitment: Record<string, unknown>;
  /** `enjeu-opening/1`, or null without a public contribution. */
  readonly opening: Record<string, unknown> | null;
  readonly status: 'committed' | 'drawn' | 'open' | 'exhausted' | 'closed';
  /** Units sold so far. */
  readonly sold: number;
}

/** GET /blocks/:id/units/:sequence/receipt — 404 `unit-unknown` where the block has had no such sale. */
export interface ReceiptResponse {
  /** `enjeu-receipt/1`, signed for this answer. */
  readonly receipt: Record<string, unknown>;
}

/** GET /emissions — progress of the preparation, for the launcher. */
export interface EmissionsResponse {
  readonly emissions: readonly {
    readonly emissionId: string;
    readonly regulation: string;
    readonly stakeCents: number;
    readonly blocks: number;
    /** Blocks committed so far. */
    readonly committed: number;
    readonly status: 'approved' | 'open' | 'used-up' | 'closed';
  }[];
}

/**
 * POST /incidents — what another service has noticed: issuance raises it in its log once for a kind and subject, however
 * often and by how many it is told.
 */
export interface RaiseIncidentRequest {
  /** `script-differs`: the script derived again is not the one that was issued, or may not be shown any more. */
  readonly kind: 'script-differs';
  /** The play's id. */
  readonly subject: string;
  /** One line of 1 to 1,000 characters; neither prize nor seed of a unit that is not sold. */
  readonly detail: string;
}
export interface RaiseIncidentResponse {
  /** With `repeated` the detail that was told first stands. */
  readonly kind: 'raised' | 'repeated';
}

/* ----------------------------------------------------------------- history */

export type PlayStatus = 'pending' | 'lost' | 'won' | 'refunded';

/** A play as history keeps it. The gateway turns it into the public shape. */
export interface PlayRecord {
  readonly playId: string;
  readonly playerId: string;
  readonly game: string;
  readonly regulation: string;
  readonly stakeCents: number;
  readonly mode: string | null;
  readonly status: PlayStatus;
  /** Null while pending and when refunded. */
  readonly prizeCents: number | null;
  readonly blockId: string | null;
  readonly sequence: number | null;
  readonly unitIndex: number | null;
  readonly mechanic: string | null;
  readonly seed: string | null;
  /** SHA-256 of the canonical script; null also where it was withheld at issue. */
  readonly scriptDigest: string | null;
  /** Why it was refunded. */
  readonly reason: string | null;
  readonly placedAt: string;
  readonly settledAt: string | null;
  /** When the wallet credited the prize or refunded the stake. */
  readonly paidAt: string | null;
  readonly seenAt: string | null;
  /** Wallet position of its StakeDebited; null while history has only seen later events of it. */
  readonly walletPosition: number | null;
}

/** GET /players/:playerId/plays?before=<walletPosition>&limit=<1..100> — newest first, those with a wallet position. */
export interface PlaysResponse {
  readonly items: readonly PlayRecord[];
  readonly next: number | null;
  /** Wallet position that history has applied. */
  readonly walletPosition: number;
}

/** POST /plays/find — at most 200; unknown ones are left out. */
export interface FindPlaysRequest {
  readonly playIds: readonly string[];
}
export interface FindPlaysResponse {
  readonly items: readonly PlayRecord[];
  readonly walletPosition: number;
}

/** POST /plays/:playId/seen {playerId} — the first time counts; 404 `play-unknown`. */
export interface SeenRequest {
  readonly playerId: string;
}
export interface SeenResponse {
  readonly seenAt: string;
}

/* -------------------------------------------------------- every service with a log or with positions */

/** POST /publish-again — moves the relay's cursor back to `position` (Kafka; answers `moved: false` on postgres). */
export interface PublishAgainRequest {
  readonly position: number;
}
export interface PublishAgainResponse {
  readonly moved: boolean;
}

/** GET /parked?key=&limit= */
export interface ParkedResponse {
  readonly items: readonly {
    readonly source: string;
    readonly position: number;
    readonly key: string;
    readonly type: string;
    readonly error: string;
    readonly parkedAt: string;
  }[];
}

/** POST /parked/send-again {key} — the key's records in order, handled again as one batch. */
export interface SendAgainRequest {
  readonly key: string;
}
export interface SendAgainResponse {
  readonly handled: number;
  /** Records of the key still parked, with the error of the first. */
  readonly left: number;
  readonly error: string | null;
}
