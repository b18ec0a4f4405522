import type { DataSource } from 'typeorm';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The client has shown this play to its end. In a table of its own, so that it outlives a rebuild of the plays. */
@Entity('seen')
export class SeenMark {
  @PrimaryColumn('uuid', { name: 'play_id' })
  playId!: string;

  @Column('timestamptz', { name: 'seen_at' })
  seenAt!: Date;
}

/**
 * Marks a settled play of this player and answers when it was first marked; no row where he has no such play. The empty
 * update takes the lock of the mark's row, so that of two who mark at once both read the first time.
 */
export const MARK_SEEN = `
  insert into seen (play_id, seen_at)
  select play_id, $3
    from plays
   where play_id = $1
     and player_id = $2
     and settled_at is not null
  on conflict (play_id) do update
     set seen_at = seen.seen_at
  returning seen_at`;

export class Seen {
  constructor(
    private readonly database: { readonly dataSource: DataSource },
    private readonly now: () => Date,
  ) {}

  /** When the play was first marked, UTC with three decimals; null where the player has no such settled play. */
  async mark(playId: string, playerId: string): Promise<string | null> {
    const [mark] = await this.database.dataSource.query<{ seen_at: Date }[]>(MARK_SEEN, [playId, playerId, this.now()]);
    return mark?.seen_at.toISOString() ?? null;
  }
}
