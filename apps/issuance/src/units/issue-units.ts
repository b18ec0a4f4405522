import { type EventBody, parseEvent, type UnitRefusal } from '#contracts';
import {
  type Draft,
  emitIncident,
  type Incident,
  type RecordHandler,
  type SourceRecord,
  type Work,
} from '#event-sourcing';
import type { JudgeScript } from '#mechanics';
import { blocks, isExhausted, nextUnit } from '../blocks/block.ts';
import { endBlock, type OpeningDates } from '../blocks/open-block.ts';
import { type Line, lineId, type Stock, stocks, unitsLeft } from '../blocks/stock.ts';
import type { Vault } from '../blocks/vault.ts';
import { incidentIdOf } from '../incidents/incident-id.ts';
import { type Sale, sales, stakeSale } from '../sales/sale.ts';

/** The members of StakeDebited that describe the play: UnitIssued and UnitRefused repeat them. */
export type PlayToSettle = Omit<EventBody<'StakeDebited'>, 'availableCents'>;

/** Keeps the lines supplied with blocks. */
export interface Supply {
  /** Resolves when this many more units of the line can be issued, or when no block will come that could provide them. */
  ready(line: Line, units: number): Promise<void>;
  /** Told, as units are decided, how many can be issued before another block is committed. */
  left(line: Line, units: number): void;
  /** A block has ended: its line may want another. */
  wake(): void;
}

export interface IssueContext {
  readonly vault: Vault;
  readonly supply: Supply;
  readonly opensOn: OpeningDates;
  readonly scriptOf: JudgeScript;
  /** Told, as units are decided, of each that is issued without a script; again where a batch is decided again. */
  readonly withheld: (incident: Incident) => void;
}

type NextUnit = NonNullable<ReturnType<typeof nextUnit>>;

/** No committed block has a unit left, though more blocks were approved: the stake waits, parked, and loses nothing. */
export class NoBlockReady extends Error {
  constructor(line: Line) {
    super(`no block of ${lineId(line)} is ready; send it again once one is committed`);
    this.name = 'NoBlockReady';
  }
}

/** StakeDebited → the next unit of the open block, or UnitRefused with its reason: one outcome a play. */
export function issueUnits(context: IssueContext): RecordHandler {
  return {
    source: 'wallet',
    async prepare(records) {
      for (const { line, units } of unitsByLine(records)) await context.supply.ready(line, units);
    },
    work(record) {
      if (record.type !== 'StakeDebited') return null;
      const { availableCents: _, ...play } = parseEvent('StakeDebited', record.schemaVersion, record.body);
      return issueUnit(play, context);
    },
  };
}

function issueUnit(play: PlayToSettle, context: IssueContext): Work<null> {
  const line: Line = { game: play.game, stakeCents: play.stakeCents };
  return {
    get states() {
      return context.vault.states(line);
    },
    decide(draft) {
      const reason = refusalOf(play, draft.state(sales, line.game), draft.state(stocks, lineId(line)));
      if (reason === null) issueNext(draft, play, line, context);
      else refuseUnit(draft, play, reason);
      return { answer: null };
    },
  };
}

/** Why this play gets no unit now, or null. What was closed after it had begun is used up (REG-2.1). */
export function refusalOf(play: PlayToSettle, sale: Sale, stock: Stock): UnitRefusal | null {
  const now = stakeSale(sale, play.stakeCents);
  if (now === null) return 'sale-closed';
  if (now.status === 'closed') return now.begun ? 'no-unit-left' : 'sale-closed';
  if (now.status === 'suspended') return 'sale-suspended';
  if (play.regulation !== (stock.open?.regulation ?? now.regulation)) return 'regulation-changed';
  return null;
}

function refuseUnit(draft: Draft, play: PlayToSettle, reason: UnitRefusal): void {
  const refusal = { type: 'UnitRefused', ...play, reason, refusedAt: draft.at };
  draft.emitOnce(`play-${play.playId}`, refusal, play.playId);
}

function issueNext(draft: Draft, play: PlayToSettle, line: Line, context: IssueContext): void {
  const stock = draft.state(stocks, lineId(line));
  if (stock.open === null) throw new NoBlockReady(line);
  const { blockId } = stock.open;
  const next = nextUnit(draft.state(blocks, blockId), stock.open);
  if (next === null) throw new NoBlockReady(line);
  issueUnitOf(blockId, next, draft, play, context);
  const sold = draft.state(blocks, blockId);
  context.supply.left(line, unitsLeft(stock, sold.sold));
  if (!isExhausted(sold, stock.open)) return;
  endBlock(draft, line, context.opensOn);
  context.supply.wake();
}

/**
 * The sealed prize stands, whatever the referee says of its script: a rejected one is withheld, and somebody has to look
 * (REG-4.3). What is reported of it holds no seed.
 */
function issueUnitOf(blockId: string, next: NextUnit, draft: Draft, play: PlayToSettle, context: IssueContext): void {
  const { regulation, stakeCents, playId } = play;
  const { sequence, unitIndex } = next;
  const { prizeCents, seed, mechanic } = context.vault.unit(blockId, unitIndex);
  const judged = context.scriptOf({ regulation, mechanic, stakeCents, prizeCents, seed });
  const scriptDigest = 'digest' in judged ? judged.digest : null;
  const unit = { blockId, sequence, unitIndex, prizeCents, seed, mechanic, scriptDigest, issuedAt: draft.at };
  draft.emit(blocks, blockId, { type: 'UnitIssued', ...play, ...unit }, playId);
  if (!('rejected' in judged)) return;
  const kind = 'script-rejected';
  const detail = `${mechanic}, unit ${unitIndex} of block ${blockId}: ${judged.rejected}`;
  const incident = { incidentId: incidentIdOf(kind, playId), kind, subject: playId, detail };
  emitIncident(draft, incident);
  context.withheld(incident);
}

/** What each line is asked for. What is not a StakeDebited, or not a well-formed one, asks for nothing. */
function unitsByLine(records: readonly SourceRecord[]): Iterable<{ line: Line; units: number }> {
  const lines = new Map<string, { line: Line; units: number }>();
  for (const { type, body } of records) {
    if (type !== 'StakeDebited' || typeof body !== 'object' || body === null) continue;
    const { game, stakeCents } = body as Line;
    const id = `${game}-${stakeCents}`;
    const asked = lines.get(id);
    if (asked === undefined) lines.set(id, { line: { game, stakeCents }, units: 1 });
    else asked.units++;
  }
  return lines.values();
}
