import pg from 'pg';

const SCHEMA = `
  create table events (
    position bigint generated always as identity primary key,
    stream text not null,
    type text not null,
    correlation uuid not null,
    data json not null,
    occurred_at timestamptz not null default now()
  );
  create index on events (stream, position);
  create table balances (player_id text primary key, available_cents bigint not null check (available_cents >= 0));
  create table counters (name text primary key, sold bigint not null)`;

const statement = (name: string, text: string) => (values: unknown[]) => ({ name, text, values });
const INSERT_EVENT = statement('event', 'insert into events (stream, type, correlation, data) values ($1, $2, $3, $4)');
const UPDATE_BALANCE = statement(
  'balance',
  'update balances set available_cents = available_cents - $2 where player_id = $1 returning available_cents',
);
const BUMP_COUNTER = statement('counter', 'update counters set sold = sold + 1 where name = $1 returning sold');

/** Nobody is stopped by an empty purse: the baseline measures writes, not refusals. */
const PLENTY_CENTS = 1_000_000_000;
const CONNECTIONS = 32;

/** The plain way: one transaction a play, over a pool, without batches, and the prize of the next unit known at once. */
export class OneTransactionAPlay {
  #known = new Set<string>();

  private constructor(private readonly pool: pg.Pool) {}

  static async open(url: string): Promise<OneTransactionAPlay> {
    const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
    await pool.query(SCHEMA);
    return new OneTransactionAPlay(pool);
  }

  async place(
    playerId: string,
    playId: string,
    game: string,
    stakeCents: number,
  ): Promise<{ prizeCents: number; unit: number }> {
    if (!this.#known.has(playerId)) {
      await this.pool.query('insert into balances values ($1, $2) on conflict do nothing', [playerId, PLENTY_CENTS]);
      await this.pool.query('insert into counters values ($1, 0) on conflict do nothing', [`${game}-${stakeCents}`]);
      this.#known.add(playerId);
    }
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const account = `account-${playerId}`;
      await client.query(
        INSERT_EVENT([account, 'StakeDebited', playId, JSON.stringify({ playId, playerId, game, stakeCents })]),
      );
      await client.query(UPDATE_BALANCE([playerId, stakeCents]));
      const { rows } = await client.query<{ sold: string }>(BUMP_COUNTER([`${game}-${stakeCents}`]));
      const unit = Number(rows[0]?.sold);
      const prizeCents = unit % 4 === 0 ? stakeCents : 0;
      await client.query(
        INSERT_EVENT([
          `block-${game}`,
          'UnitIssued',
          playId,
          JSON.stringify({ playId, playerId, game, stakeCents, unit, prizeCents }),
        ]),
      );
      await client.query(
        INSERT_EVENT([account, 'PrizeCredited', playId, JSON.stringify({ playId, playerId, prizeCents })]),
      );
      await client.query('commit');
      return { prizeCents, unit };
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
