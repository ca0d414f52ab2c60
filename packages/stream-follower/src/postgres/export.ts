/** Rows of a PostgreSQL store for exports: one statement, read through a cursor. */
import * as Arr from "effect/Array";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { SqlError } from "effect/sql/SqlError";
import type { SinkError } from "../Errors.ts";
import {
  type ExportFilter,
  type ExportKind,
  type ExportRow,
  type ExportStash,
  rowsOfStash,
} from "../core/exportRows.ts";
import { connectToRead, type PostgresConnection, toSinkError } from "./schema.ts";

/** The rows of a database, as they stood when the stream began. */
export const rows = (
  options: PostgresConnection,
  kind: ExportKind,
  filter: ExportFilter,
): Stream.Stream<ExportRow, SinkError> =>
  Stream.unwrap(
    Effect.map(connectToRead(options), (sql): Stream.Stream<ExportRow, SinkError> => {
      if (sql === undefined) return Stream.empty;
      const { league = null, realm, since = 0n } = filter;
      const inLeague = sql`(${league}::text IS NULL OR league = ${league}::text)`;
      if (kind === "markets") {
        const markets = sql<MarketRecord>`
          SELECT realm, hour, league, market_id AS market, doc AS json FROM market
          WHERE realm = ${realm} AND ${inLeague} AND seq > ${since} ORDER BY hour, league, market_id`;
        return markets.stream.pipe(
          Stream.map(({ hour, ...market }) => ({ ...market, hour: Number(hour) })),
          failing,
        );
      }
      const stashes = sql<StashRecord>`
        SELECT id, realm, seq, account, name, type, league, items, first_seen AS "firstSeen", last_seen AS "lastSeen", doc
        FROM stash WHERE realm = ${realm} AND public AND ${inLeague} AND seq > ${since} ORDER BY key`;
      return stashes.stream.pipe(
        Stream.map(({ firstSeen, lastSeen, seq, ...stash }) =>
          rowsOfStash(kind, {
            ...stash,
            seq: Number(seq),
            firstSeen: Number(firstSeen),
            lastSeen: Number(lastSeen),
          }),
        ),
        Stream.filter(Arr.isReadonlyArrayNonEmpty),
        Stream.flattenArray,
        failing,
      );
    }),
  );

type StashRecord = Omit<ExportStash, "seq" | "firstSeen" | "lastSeen"> & {
  readonly seq: bigint;
  readonly firstSeen: bigint;
  readonly lastSeen: bigint;
};

interface MarketRecord {
  readonly realm: string;
  readonly hour: bigint;
  readonly league: string;
  readonly market: string;
  readonly json: string;
}

const failing = <A>(found: Stream.Stream<A, SqlError>): Stream.Stream<A, SinkError> =>
  Stream.mapError(found, (error) => toSinkError("export", error));
