/** The part of a PostgreSQL client that the store uses. */

/** All that is needed of a PostgreSQL client; a `Pool` of `pg` is one. */
export interface PostgresClient {
  /** Runs a statement with parameters `$1`, `$2`, … */
  readonly query: (
    text: string,
    params: Array<string | number | boolean | null>,
  ) => Promise<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }>;
}
