import { type Debit, type EventBody, type EventType, parseEvent } from '#contracts';
import type { RecordHandler, SourceRecord, Work } from '#event-sourcing';
import { cents } from '#money';
import { isUuid } from '#service';
import { type SaleEvent, saleCopies } from '../sales/sale-copy.ts';
import { type Account, accounts, creditPrize, type Emitted, refundStake } from './account.ts';

/** Reads the wallet's own debits of plays, in any order; unknown plays are left out. */
export type DebitsOfPlays = (playIds: readonly string[]) => Promise<readonly Debit[]>;

/**
 * Issuance's records as the wallet handles them: a prize is credited, a refused play's stake comes back, a sale is
 * copied. Both pay what the wallet's own StakeDebited says they belong to; without it, or where player or stake differ,
 * the record throws and is parked.
 */
export class SettlePlays implements RecordHandler {
  readonly source = 'issuance';
  /** By record, so that a batch that is sent again meanwhile cannot take away what another has read. */
  readonly #debits = new WeakMap<SourceRecord, Debit>();

  constructor(private readonly debitsOfPlays: DebitsOfPlays) {}

  /** Reads the debits of every play that is to be paid, in one query. */
  async prepare(records: readonly SourceRecord[]): Promise<void> {
    const paying = records.filter(mayPay);
    if (paying.length === 0) return;
    const debits = await this.debitsOfPlays([...new Set(paying.map(({ correlation }) => correlation as string))]);
    const byPlay = new Map(debits.map((debit) => [debit.playId, debit]));
    for (const record of paying) {
      const debit = byPlay.get(record.correlation as string);
      if (debit) this.#debits.set(record, debit);
    }
  }

  work(record: SourceRecord): Work<null> | null {
    switch (record.type) {
      case 'UnitIssued':
        return this.#issued(record, bodyOf('UnitIssued', record));
      case 'UnitRefused':
        return this.#refused(record, bodyOf('UnitRefused', record));
      case 'SaleOpened':
      case 'SaleSuspended':
      case 'SaleResumed':
      case 'SaleClosed':
        return copySale({ type: record.type, ...bodyOf(record.type, record) });
      default:
        return null;
    }
  }

  #issued(record: SourceRecord, unit: EventBody<'UnitIssued'>): Work<null> | null {
    if (unit.prizeCents === 0) return null;
    const { playId, playerId } = this.#ownDebit(record, unit);
    return pay(playId, playerId, (account, at) =>
      creditPrize(account, { playId, playerId, prizeCents: unit.prizeCents, at }),
    );
  }

  #refused(record: SourceRecord, play: EventBody<'UnitRefused'>): Work<null> {
    const { playId, playerId, stakeCents } = this.#ownDebit(record, play);
    return pay(playId, playerId, (account, at) =>
      refundStake(account, { playId, playerId, stakeCents: cents(stakeCents), reason: play.reason, at }),
    );
  }

  #ownDebit(record: SourceRecord, play: EventBody<'UnitIssued' | 'UnitRefused'>): Debit {
    const debit = this.#debits.get(record);
    if (debit === undefined || debit.playId !== play.playId) {
      throw new Error(`${record.type} of the play ${play.playId}, for which no stake was debited here`);
    }
    if (debit.playerId !== play.playerId || debit.stakeCents !== play.stakeCents) {
      throw new Error(`${record.type} of the play ${play.playId} names another player or stake than its StakeDebited`);
    }
    return debit;
  }
}

/** Whether the record is going to need its own debit. What cannot be decoded is found by `work`. */
function mayPay({ type, correlation, body }: SourceRecord): boolean {
  if (!isUuid(correlation)) return false;
  if (type === 'UnitRefused') return true;
  return type === 'UnitIssued' && (body as { prizeCents?: unknown } | null)?.prizeCents !== 0;
}

function bodyOf<Type extends EventType>(type: Type, record: SourceRecord): EventBody<Type> {
  return parseEvent(type, record.schemaVersion, record.body);
}

function pay(playId: string, playerId: string, decide: (account: Account, at: string) => Emitted): Work<null> {
  return {
    states: [{ subject: accounts, id: playerId }],
    decide(draft) {
      const { events } = decide(draft.state(accounts, playerId), draft.at);
      for (const event of events) draft.emit(accounts, playerId, event, playId);
      return { answer: null };
    },
  };
}

function copySale(event: SaleEvent): Work<null> {
  return {
    states: [{ subject: saleCopies, id: event.game }],
    decide(draft) {
      draft.put(saleCopies, event.game, saleCopies.evolve(draft.state(saleCopies, event.game), event));
      return { answer: null };
    },
  };
}
