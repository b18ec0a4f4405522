import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Clock,
  type EventLog,
  openLane,
  projectInto,
  type RecordedEvent,
  type RecordLane,
  type SourceRecord,
  systemClock,
} from '#event-sourcing';
import { prepareBlock, signingKey } from '#fairness';
import { type MakeScripts, ScriptShelf, type Scripts } from '#mechanics';
import { cents } from '#money';
import type { GameRegulation } from '#regulation';
import type { Beacon } from './beacon/beacon.ts';
import { noBeacon } from './beacon/local.ts';
import { BlockPreparer } from './blocks/prepare-block.ts';
import type { PrepareBlock } from './blocks/prepare-in-worker.ts';
import type { BlockToSeal, SealedStore } from './blocks/sealed-block.ts';
import { Vault } from './blocks/vault.ts';
import { type ApprovalAnswer, approvalWork } from './emissions/approve-emission.ts';
import type { EmissionOrder } from './emissions/emission.ts';
import { runInLane } from './in-lane.ts';
import { RegulationsOnFile } from './regulations/on-file.ts';
import { resumptionWork, suspensionWork } from './sales/order-sales.ts';
import { type IssueContext, issueUnits, type PlayToSettle } from './units/issue-units.ts';

export const blocksKey = signingKey(createHash('sha256').update('a key for tests').digest());

/** Sealed blocks in memory, unencrypted: for tests of what happens around them. */
export class MemorySeals implements SealedStore {
  readonly rows = new Map<string, { block: BlockToSeal; entry: number | null }>();

  async check(): Promise<void> {}

  async store(block: BlockToSeal): Promise<void> {
    const { deck } = block.prepared;
    const copy = { ...block, secret: block.secret.slice(), prepared: { ...block.prepared, deck: deck.slice() } };
    this.rows.set(block.blockId, { block: copy, entry: null });
  }

  async open(blockIds: readonly string[]) {
    return blockIds.flatMap((blockId) => {
      const row = this.rows.get(blockId);
      return row ? [{ blockId, secret: row.block.secret.slice(), deck: row.block.prepared.deck.slice() }] : [];
    });
  }

  async withoutDeck(): Promise<[]> {
    return [];
  }

  async sealDeck(): Promise<void> {}

  async withoutEntry(limit: number): Promise<string[]> {
    return [...this.rows]
      .filter(([, { entry }]) => entry === null)
      .map(([blockId]) => blockId)
      .slice(0, limit);
  }

  async setEntry(blockId: string, entry: number): Promise<void> {
    const row = this.rows.get(blockId);
    if (row) row.entry = entry;
  }

  async discard(blockId: string): Promise<void> {
    if (this.rows.get(blockId)?.entry === null) this.rows.delete(blockId);
  }
}

/** A store that does some things differently: where a test lets the process die. */
export function sealsWith(sealed: SealedStore, changes: Partial<SealedStore>): SealedStore {
  return {
    check: () => sealed.check(),
    store: (block) => sealed.store(block),
    open: (blockIds) => sealed.open(blockIds),
    withoutEntry: (limit) => sealed.withoutEntry(limit),
    setEntry: (blockId, entry) => sealed.setEntry(blockId, entry),
    discard: (blockId) => sealed.discard(blockId),
    withoutDeck: (limit) => sealed.withoutDeck(limit),
    sealDeck: (blockId, deck) => sealed.sealDeck(blockId, deck),
    ...changes,
  };
}

/** The same preparation as the worker's, on the test's own thread. */
export const prepareHere: PrepareBlock = async ({ tables, stakeCents, blockId, secret }) =>
  prepareBlock(tables, stakeCents, blockId, secret);

export interface IssuanceParts {
  readonly log: EventLog;
  readonly sealed: SealedStore;
  readonly regulations: readonly GameRegulation[];
  readonly prepare?: PrepareBlock;
  readonly clock?: Clock;
  readonly random?: (bytes: number) => Uint8Array;
  readonly report?: (line: string) => void;
  /** How units are shown. Default: as what they are, to a referee who believes it. */
  readonly scripts?: MakeScripts;
  /** Where scripts look for a regulation. Default: among `regulations`. */
  readonly findForScripts?: (id: string) => GameRegulation | null;
  readonly withheld?: IssueContext['withheld'];
  readonly beacon?: Beacon;
  /** Resolves when the bus has taken everything. */
  readonly acknowledged?: () => Promise<void>;
}

export interface TestIssuance {
  readonly lane: RecordLane;
  readonly vault: Vault;
  readonly preparer: BlockPreparer;
  /** Puts a regulation on file while issuance runs. */
  take(regulation: GameRegulation): void;
  approve(changes?: Partial<EmissionOrder>): Promise<ApprovalAnswer>;
  suspend(game: string, notice?: { fr: string; en: string } | null): Promise<number[]>;
  resume(game: string): Promise<number[]>;
  /** Hands records to the handler as one batch and waits until what they led to is stored. */
  deliver(records: readonly SourceRecord[]): Promise<void>;
  /** Every event of these types, in order. */
  events(...types: string[]): Promise<(RecordedEvent & { readonly body: Record<string, unknown> })[]>;
  /** Resolves when the log holds this many events of a type. */
  until(type: string, count: number): Promise<void>;
  /** What the service does first of all when it stops. */
  unfollow(): void;
  stop(): Promise<void>;
}

/** Issuance's own parts, put together as they are in the service, over any log. */
export async function openIssuance(parts: IssuanceParts): Promise<TestIssuance> {
  const { log, sealed, clock = systemClock, prepare = prepareHere, report = () => {} } = parts;
  const random = parts.random ?? ((bytes) => globalThis.crypto.getRandomValues(new Uint8Array(bytes)));
  const regulations = new RegulationsOnFile(parts.regulations);
  const opensOn = (id: string) => regulations.get(id).opensOn;
  const lane = await openLane(log, { newId: randomUUID, clock });
  const vault = new Vault();
  const beacon = parts.beacon ?? noBeacon;
  const opened = { lane, acknowledged: parts.acknowledged ?? (async () => {}) };
  const preparer = new BlockPreparer({
    opened,
    sealed,
    vault,
    key: blocksKey,
    opensOn,
    beacon,
    regulations,
    prepare,
    clock,
    random,
    report,
  });
  await preparer.start();
  const { scriptOf } = new ScriptShelf(
    parts.findForScripts ?? ((id) => regulations.find(id)),
    parts.scripts ?? plainScripts,
  );
  const handler = issueUnits({ vault, supply: preparer, opensOn, scriptOf, withheld: parts.withheld ?? (() => {}) });
  const projector = projectInto(lane, handler, { name: 'issuance', newId: randomUUID, onGap: () => {}, clock });

  const events: TestIssuance['events'] = async (...types) => {
    const all: RecordedEvent[] = [];
    for (let page = await log.read(0, 1_000); page.length > 0; page = await log.read(all.length, 1_000))
      all.push(...page);
    return all
      .filter(({ type }) => types.length === 0 || types.includes(type))
      .map((event) => ({ ...event, body: JSON.parse(event.data) }));
  };

  return {
    lane,
    vault,
    preparer,
    events,
    take: (regulation) => regulations.take(regulation),
    async approve(changes = {}) {
      const order = { ...anOrder(parts.regulations[0]!), emissionId: randomUUID(), ...changes };
      const answer = await runInLane(lane, approvalWork(order, regulations));
      preparer.wake();
      return answer;
    },
    suspend: (game, notice = null) => runInLane(lane, suspensionWork(game, notice, regulations)),
    resume: (game) => runInLane(lane, resumptionWork(game, regulations)),
    async deliver(records) {
      await projector.handle(records, true);
      await runInLane(lane, { states: [], decide: () => ({ answer: null }) });
    },
    async until(type, count) {
      for (const deadline = Date.now() + 10_000; (await events(type)).length < count; await pause(2)) {
        if (Date.now() > deadline) throw new Error(`the log never held ${count} of ${type}`);
      }
    },
    unfollow: () => projector.stop(),
    async stop() {
      projector.stop();
      await preparer.stop();
      await lane.stop();
    },
  };
}

/** Scripts that say what they show. */
export function plainScripts({ mechanic }: GameRegulation, stakeCents: number): Scripts {
  return {
    render: (prizeCents, seed) => ({ mechanic, stakeCents, prizeCents, drawn: seed.slice(0, 8) }),
    judge: (script) => ({ prizeCents: cents((script as { prizeCents: number }).prizeCents) }),
  };
}

function anOrder(regulation: GameRegulation): Omit<EmissionOrder, 'emissionId'> {
  const stakeCents = regulation.stakes[0]!.stakeCents;
  return { regulation: regulation.id, stakeCents, blocks: 1, approvedBy: ['operator-1', 'supervisor-2'] };
}

/** A wallet's log as far as issuance sees it: StakeDebited records, one position after the other. */
export class Stakes {
  #position = 0;

  constructor(private readonly regulation: GameRegulation) {}

  records(count: number, changes: Partial<PlayToSettle> = {}): SourceRecord[] {
    return Array.from({ length: count }, () => this.#record(changes));
  }

  #record(changes: Partial<PlayToSettle>): SourceRecord {
    const { id, game, stakes } = this.regulation;
    const placedAt = '2020-02-01T12:00:00.000Z';
    const play = {
      playId: randomUUID(),
      playerId: randomUUID(),
      game,
      stakeCents: stakes[0]!.stakeCents,
      regulation: id,
      mode: null,
      placedAt,
      ...changes,
    };
    this.#position++;
    return {
      source: 'wallet',
      epoch: 1,
      position: this.#position,
      batch: this.#position,
      stream: `account-${play.playerId}`,
      version: 1,
      type: 'StakeDebited',
      schemaVersion: 1,
      occurredAt: placedAt,
      correlation: play.playId,
      key: play.playerId,
      body: { ...play, availableCents: 0 },
      offset: null,
    };
  }
}
