import type { EventBody, EventOf, EventType } from '#contracts';
import type { SourceRecord } from '#event-sourcing';
import { cents } from '#money';

export const SUDOKU = 'sudoku@2009-01-26';
export const PHARAON = 'pharaon@2008-12-17';
export const GENERAL = 'general@2001-04-05';
export const AT = '2009-02-05T12:00:00.000Z';

type IssuanceEvent = EventOf<
  'UnitIssued' | 'UnitRefused' | 'SaleOpened' | 'SaleSuspended' | 'SaleResumed' | 'SaleClosed' | 'BlockExhausted'
>;

/** Issuance's log as the bus would bring it: positions from 1, in the order of the calls. */
export class IssuanceRecords {
  #position = 0;

  record(event: IssuanceEvent): SourceRecord {
    this.#position++;
    const { type, ...body } = event;
    const playId = 'playId' in body ? body.playId : null;
    const stream = 'game' in body && playId === null ? `sale-${body.game}` : `play-${playId}`;
    return {
      source: 'issuance',
      epoch: 1,
      position: this.#position,
      batch: this.#position,
      stream,
      version: 1,
      type,
      schemaVersion: 1,
      occurredAt: AT,
      correlation: playId,
      key: 'playerId' in body ? body.playerId : stream,
      body,
      offset: null,
    };
  }

  issued(play: Play, prizeCents: number, more: Partial<EventBody<'UnitIssued'>> = {}): SourceRecord {
    return this.record({
      type: 'UnitIssued',
      ...bodyOf(play),
      blockId: '0197f3c0-1234-7abc-8def-0123456789ab',
      sequence: this.#position,
      unitIndex: this.#position,
      prizeCents: cents(prizeCents),
      seed: '00112233445566778899aabbccddeeff',
      mechanic: 'sudoku/1',
      scriptDigest: null,
      issuedAt: AT,
      ...more,
    });
  }

  refused(play: Play, reason: EventBody<'UnitRefused'>['reason'] = 'no-unit-left'): SourceRecord {
    return this.record({ type: 'UnitRefused', ...bodyOf(play), reason, refusedAt: AT });
  }

  sale(type: SaleType, stakeCents: number, more: Partial<EventBody<SaleType>> = {}): SourceRecord {
    return this.record({
      type,
      game: 'sudoku',
      stakeCents: cents(stakeCents),
      regulation: SUDOKU,
      notice: null,
      ...more,
    });
  }
}

type SaleType = Extract<EventType, `Sale${string}`>;

export interface Play {
  readonly playId: string;
  readonly playerId: string;
  readonly stakeCents: number;
}

function bodyOf({ playId, playerId, stakeCents }: Play) {
  return {
    playId,
    playerId,
    game: 'sudoku',
    stakeCents: cents(stakeCents),
    regulation: SUDOKU,
    mode: null,
    placedAt: AT,
  };
}
