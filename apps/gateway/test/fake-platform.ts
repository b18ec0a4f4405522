import { randomUUID } from 'node:crypto';
import type { Debit, PlayRecord, SaleView, StakeDecision, StakeToDebit, StatementEntry } from '#contracts';
import type { SourceRecord } from '#event-sourcing';
import type { UnitToShow } from '#mechanics';
import { type Answer, type Asked, FakePeer, problem } from './fake-peer.ts';

/** Of every unit here. */
export const SEED = '00112233445566778899aabbccddeeff';
const AT = '2009-02-05T12:00:00.000Z';

/** What issuance makes of a stake: an outcome at once, or none until the test says so. */
export type Fate = 'lost' | 'won' | 'refused' | 'won-unpaid' | 'pending';

/** What all the fakes know together, as the real services know it through their logs. */
export class World {
  fate: Fate = 'lost';
  /** Set, every new stake is decided like this. */
  decision: StakeDecision | null = null;
  /** The digest of the script that issuance issues with a unit. */
  digestOf: (unit: UnitToShow) => string | null = () => null;
  /** Whether the tails see what happens. */
  tailed = true;
  readonly debits: Debit[] = [];
  readonly plays = new Map<string, PlayRecord>();
  walletPosition = 0;
  issuancePosition = 0;

  constructor(readonly bring: (record: SourceRecord) => void) {}

  debit(stake: Pick<StakeToDebit, 'playId' | 'playerId' | 'game' | 'stakeCents' | 'mode'>): Debit {
    const { playId, playerId, game, stakeCents, mode } = stake;
    const regulation = game === 'sudoku' ? 'sudoku@2009-01-26' : 'pharaon@2008-12-17';
    const order = { playId, playerId, game, stakeCents, regulation, mode, placedAt: AT };
    const position = this.#record('wallet', 'StakeDebited', order, { ...order, availableCents: 4_900 });
    const debit = { ...order, position };
    this.debits.unshift(debit);
    this.#settle(debit, this.fate);
    return debit;
  }

  /** Gives a pending play its outcome now. */
  settle(playId: string, fate: Fate): void {
    const debit = this.debits.find((known) => known.playId === playId);
    if (debit) this.#settle(debit, fate);
  }

  #settle({ position: _, ...order }: Debit, fate: Fate): void {
    const { playId, playerId } = order;
    if (fate === 'pending') return;
    if (fate === 'refused') {
      this.#record('issuance', 'UnitRefused', order, { ...order, reason: 'sale-closed', refusedAt: AT });
      const refund = { playId, playerId, stakeCents: order.stakeCents, reason: 'sale-closed', refundedAt: AT };
      this.#record('wallet', 'StakeRefunded', order, { ...refund, availableCents: 5_000 });
      return;
    }
    const prizeCents = fate === 'lost' ? 0 : 200;
    const unit = {
      blockId: '01920000-0000-7000-8000-00000000b10c',
      sequence: 7,
      unitIndex: 8,
      prizeCents,
      seed: SEED,
      mechanic: `${order.game}/1`,
      scriptDigest: this.digestOf({ ...order, mechanic: `${order.game}/1`, prizeCents, seed: SEED }),
      issuedAt: AT,
    };
    this.#record('issuance', 'UnitIssued', order, { ...order, ...unit });
    if (fate === 'won') {
      this.#record('wallet', 'PrizeCredited', order, {
        playId,
        playerId,
        prizeCents,
        creditedAt: AT,
        availableCents: 5_100,
      });
    }
  }

  #record(
    source: 'wallet' | 'issuance',
    type: string,
    order: { playId: string; playerId: string },
    body: object,
  ): number {
    const position = source === 'wallet' ? ++this.walletPosition : ++this.issuancePosition;
    const record: SourceRecord = {
      source,
      epoch: 1,
      position,
      batch: position,
      stream: `account-${order.playerId}`,
      version: position,
      type,
      schemaVersion: 1,
      occurredAt: AT,
      correlation: order.playId,
      key: order.playerId,
      body,
      offset: null,
    };
    if (this.tailed) this.bring(record);
    return position;
  }
}

export class FakeWallet extends FakePeer {
  readonly players = new Map<string, string>();
  readonly keys = new Map<string, { readonly requestHash: string; readonly decision: StakeDecision }>();
  readonly accepted: { regulation: string; acceptedAt: string }[] = [];
  entries: StatementEntry[] = [];

  constructor(private readonly world: World) {
    super();
  }

  answer({ path, query, body }: Asked): Answer {
    const debitsPath = /^\/accounts\/([^/]+)\/(debits|entries)$/.exec(path);
    if (debitsPath?.[2] === 'debits') return this.#debits(debitsPath[1] as string, query);
    if (debitsPath?.[2] === 'entries') return this.#entries(query);
    if (path.startsWith('/accounts/')) return this.#account(path.slice('/accounts/'.length));
    switch (path) {
      case '/stakes':
        return { body: { decisions: body.stakes.map((stake: StakeToDebit) => this.#decide(stake)) } };
      case '/accounts': {
        const known = this.players.get(body.subject);
        if (known === undefined) this.players.set(body.subject, randomUUID());
        return { body: { playerId: this.players.get(body.subject), opened: known === undefined } };
      }
      case '/holders/find': {
        const playerId = this.players.get(body.subject);
        return playerId === undefined ? problem(404, 'no-account') : { body: { playerId } };
      }
      case '/acceptances': {
        const name = `${body.playerId} ${body.idempotencyKey}`;
        const known = body.idempotencyKey === null ? undefined : this.keys.get(name);
        if (known && known.requestHash !== body.requestHash) return { body: { kind: 'key-reused' } };
        this.accepted.push({ regulation: body.regulation, acceptedAt: AT });
        return { body: { kind: 'accepted' } };
      }
      case '/debits/find':
        return { body: { items: this.world.debits.filter(({ playId }) => body.playIds.includes(playId)) } };
      default:
        return problem(404, 'route-unknown');
    }
  }

  #decide(stake: StakeToDebit): StakeDecision {
    const name = `${stake.playerId} ${stake.idempotencyKey}`;
    const known = this.keys.get(name);
    if (known && known.requestHash !== stake.requestHash) return { kind: 'key-reused' };
    if (known) return known.decision.kind === 'debited' ? { ...known.decision, repeated: true } : known.decision;
    const decision = this.world.decision ?? { kind: 'debited', playId: stake.playId, repeated: false };
    this.keys.set(name, { requestHash: stake.requestHash, decision });
    if (decision.kind === 'debited') this.world.debit(stake);
    return decision;
  }

  #debits(playerId: string, query: URLSearchParams): Answer {
    const [above, limit] = [Number(query.get('above')), Number(query.get('limit'))];
    const newer = this.world.debits.filter((debit) => debit.playerId === playerId && debit.position > above);
    return { body: { items: newer.slice(0, limit), more: newer.length > limit } };
  }

  #entries(query: URLSearchParams): Answer {
    const limit = Number(query.get('limit'));
    const before = query.get('before');
    const from = before === null ? 0 : this.entries.findIndex(({ position }) => position === Number(before)) + 1;
    if (before !== null && from === 0) return problem(400, 'bad-request');
    const items = this.entries.slice(from, from + limit);
    return { body: { items, next: from + limit < this.entries.length ? items.at(-1)?.position : null } };
  }

  #account(playerId: string): Answer {
    if (![...this.players.values()].includes(playerId)) return problem(404, 'no-account');
    const account = { playerId, openedAt: AT, availableCents: 4_850, reservedCents: 0, accepted: this.accepted };
    return { body: { ...account, position: this.world.walletPosition } };
  }
}

export class FakeHistory extends FakePeer {
  readonly plays = new Map<string, PlayRecord>();
  applied = 0;

  answer({ path, query, body }: Asked): Answer {
    const page = /^\/players\/([^/]+)\/plays$/.exec(path);
    if (page) return this.#page(page[1] as string, query);
    const seen = /^\/plays\/([^/]+)\/seen$/.exec(path);
    if (seen) return this.#seen(seen[1] as string, body.playerId);
    if (path !== '/plays/find') return problem(404, 'route-unknown');
    const items = (body.playIds as string[]).flatMap((playId) => this.plays.get(playId) ?? []);
    return { body: { items, walletPosition: this.applied } };
  }

  #page(playerId: string, query: URLSearchParams): Answer {
    const [before, limit] = [Number(query.get('before') ?? Number.MAX_SAFE_INTEGER), Number(query.get('limit'))];
    const own = [...this.plays.values()]
      .filter((play) => play.playerId === playerId && (play.walletPosition ?? before) < before)
      .sort((a, b) => (b.walletPosition ?? 0) - (a.walletPosition ?? 0));
    const items = own.slice(0, limit);
    const next = own.length > limit ? items.at(-1)?.walletPosition : null;
    return { body: { items, next, walletPosition: this.applied } };
  }

  #seen(playId: string, playerId: string): Answer {
    const play = this.plays.get(playId);
    if (!play || play.playerId !== playerId || play.status === 'pending') return problem(404, 'play-unknown');
    this.plays.set(playId, { ...play, seenAt: play.seenAt ?? AT });
    return { body: { seenAt: AT } };
  }
}

export class FakeIssuance extends FakePeer {
  sales: SaleView[] = [];
  blocks: Record<string, unknown>[] = [];
  receiptOf: (blockId: string, sequence: number) => Record<string, unknown> = () => ({});

  answer({ path, query }: Asked): Answer {
    if (path === '/incidents') return { body: { kind: 'raised' } };
    const unit = /^\/blocks\/([^/]+)\/units\/(\d+)\/receipt$/.exec(path);
    if (unit) return { body: { receipt: this.receiptOf(unit[1] as string, Number(unit[2])) } };
    if (path === '/sales') return { body: { sales: this.sales } };
    if (path === '/blocks') {
      const [from, limit] = [Number(query.get('from')), Number(query.get('limit'))];
      return {
        body: {
          items: this.blocks.slice(from, from + limit),
          next: from + limit < this.blocks.length ? from + limit : null,
        },
      };
    }
    const commitment = this.blocks.find(({ blockId }) => path === `/blocks/${blockId}`);
    return commitment
      ? { body: { commitment, opening: null, status: 'open', sold: 3 } }
      : problem(404, 'block-unknown');
  }
}
