/** A statement that a connection plans once and then knows by its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** What these statements need of a `pg` client or pool. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: rows are typed where they are read.
  query(statement: string | PreparedStatement, values?: unknown[]): Promise<{ rows: any[]; rowCount: number | null }>;
}
