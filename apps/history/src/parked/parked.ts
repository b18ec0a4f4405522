import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SendAgainResponse } from '#contracts';
import { type SourceRecord, sendAgain } from '#event-sourcing';
import type { ParkedRecords } from '#service';
import { type History, SOURCES } from '../history.ts';

/** A record that could not be handled, or that waits behind one of its key. */
@Entity('parked')
export class ParkedRow {
  @PrimaryColumn('text')
  source!: string;

  @PrimaryColumn('bigint', { transformer: { from: Number, to: String } })
  position!: number;

  @Column('text')
  key!: string;

  @Column('json')
  record!: SourceRecord;

  @Column('text')
  error!: string;

  @Column('timestamptz', { name: 'parked_at' })
  parkedAt!: Date;
}

/** What is parked, and handling it again. */
export class Parked implements ParkedRecords {
  constructor(private readonly history: Pick<History, 'dataSource' | 'projection'>) {}

  async parked({ key, limit }: { readonly key?: string; readonly limit: number }) {
    const rows = await this.history.dataSource.getRepository(ParkedRow).find({
      where: key === undefined ? {} : { key },
      order: { source: 'ASC', position: 'ASC' },
      take: limit,
    });
    return rows.map((row) => ({ ...row, parkedAt: row.parkedAt.toISOString() }));
  }

  /** A key's records in order, of each source page by page, until none is left or one fails again. */
  sendAgain(key: string): Promise<SendAgainResponse> {
    const { projection } = this.history;
    const sink = { handleAgain: ({ source }: { source: string }, of: string) => projection.handleAgain(source, of) };
    return sendAgain(
      this,
      sink,
      SOURCES.map((source) => ({ source })),
      key,
    );
  }
}
