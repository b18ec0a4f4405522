import pg from 'pg';

/** One maker at a time: two that make, or change, the same role at once would fail. The lock goes with the session. */
const ONE_MAKER_AT_A_TIME = "select pg_advisory_lock(hashtext('enjeu.ensure'))";

/** The same server and password, another database. */
export function inDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/** The same server and database, another role. */
export function asRole(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(role);
  changed.password = encodeURIComponent(password);
  return changed.href;
}

/**
 * Makes the database where it is missing; `owner` is a role that exists and gets it, found or made.
 *
 * @param url of a role that may create databases; all who may make the same name at once connect to the same database
 * @returns the url of that database, for the same role as `url`
 */
export async function ensureDatabase(url: string, database: string, owner?: string): Promise<string> {
  const name = pg.escapeIdentifier(database);
  await withClient(url, async (client) => {
    const found = await client.query('select from pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${name}`);
    if (owner !== undefined) await client.query(`alter database ${name} owner to ${pg.escapeIdentifier(owner)}`);
  });
  return inDatabase(url, database);
}

/**
 * Makes the role where it is missing, able to log in with this password and to do nothing else.
 *
 * @returns the url of `url`'s database for that role
 */
export async function ensureRole(url: string, role: string, password: string): Promise<string> {
  const name = pg.escapeIdentifier(role);
  await withClient(url, async (client) => {
    const found = await client.query('select from pg_roles where rolname = $1', [role]);
    if (found.rowCount === 0) await client.query(`create role ${name}`);
    await client.query(`alter role ${name} login password ${pg.escapeLiteral(password)}`);
  });
  return asRole(url, role, password);
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(ONE_MAKER_AT_A_TIME);
    await work(client);
  } finally {
    await client.end();
  }
}
