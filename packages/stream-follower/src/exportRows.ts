/** The rows of an export: read from the derived tables of a store, in one snapshot. */
import * as Arr from "effect/Array";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { SqlError } from "effect/sql/SqlError";
import type { DriverMissing, SinkError } from "./Errors.ts";
import type { StreamKey } from "./Model.ts";
import { translate, decodeId, decompress } from "./sql/Database.ts";
import * as Schema from "./sql/Schema.ts";
import type { StoreUrl } from "./StoreUrl.ts";

/** The records that can be exported. */
export type ExportKind = "stashes" | "items" | "markets";

/** Selects rows. */
export interface ExportFilter {
  readonly realm: StreamKey["realm"];
  readonly league?: string | undefined;
  /** Rows that changed after this page. */
  readonly since?: bigint | undefined;
}

/** A number that a JavaScript number would change, as it came: `1e400`, `1.0`. */
export class Digits {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
  toString(): string {
    return this.source;
  }
  /** The same number in JSON. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(this.source);
  }
}

/** One row of an export; every value fits a CSV cell. */
export type ExportRow = Readonly<Record<string, string | number | boolean | Digits | null>>;

/** The columns of each kind, in order. */
export const COLUMNS: Readonly<Record<ExportKind, ReadonlyArray<string>>> = {
  stashes: "id realm seq account name type league items firstSeen lastSeen".split(" "),
  items: "id stash account league name typeLine baseType rarity ilvl frameType note seq".split(" "),
  markets: ["realm", "hour", "league", "market", "json"],
};

/** Reads the rows of a store, as they were when the stream began. A store that is not indexed has none. */
export const rows = (
  url: StoreUrl,
  kind: ExportKind,
  { league, realm, since = 0n }: ExportFilter,
): Stream.Stream<ExportRow, SinkError | DriverMissing> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const sql = yield* Schema.openToRead(url, "index");
      if (sql === undefined) return Stream.empty;
      const inLeague = league === undefined ? sql`` : sql`AND league = ${league}`;
      const doc = kind === "items" ? sql`, doc` : sql``;
      // One statement reads one snapshot in both databases.
      const found =
        kind === "markets"
          ? sql<ExportRow>`
              SELECT realm, hour, league, market_id AS market, doc AS json FROM market
              WHERE realm = ${realm} AND seq > ${since} ${inLeague} ORDER BY hour, league, market_id`
          : sql<ExportRow>`
              SELECT id, realm, seq, account, name, type, league, items,
                first_seen AS "firstSeen", last_seen AS "lastSeen" ${doc} FROM stash
              WHERE realm = ${realm} AND public = 1 AND seq > ${since} ${inLeague} ORDER BY key`;
      const makeRows = kind === "items" ? itemRows : kind === "stashes" ? stashRows : marketRows;
      return found.stream.pipe(
        Stream.map((row) => makeRows(row as StashRow)),
        Stream.filter(Arr.isReadonlyArrayNonEmpty),
        Stream.flattenArray,
        Stream.catchTag("SqlError", (error) => Stream.fromEffect(failExport(error))),
      );
    }),
  );

const failExport = (error: SqlError) => translate("export")(Effect.fail(error));

/** A stash as it is stored. Integers are bigints, and `doc` is read for items only. */
type StashRow = ExportRow & { readonly id: string };

const stashRows = ({ id, ...row }: StashRow) => marketRows({ ...row, id: decodeId(id) });

const marketRows = (row: ExportRow): ReadonlyArray<ExportRow> => [
  Object.fromEntries(
    Object.entries<unknown>(row).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value,
    ]),
  ) as ExportRow,
];

/** The members of an item that are columns. */
const ITEM_COLUMNS = "id name typeLine baseType rarity ilvl frameType note".split(" ");

const itemRows = ({ account = null, doc, id, league = null, seq }: StashRow) => {
  const text = Buffer.from(decompress(doc as unknown as Uint8Array)).toString();
  const { items } = JSON.parse(text, keepDigits) as { readonly items?: unknown };
  if (!Array.isArray(items)) return [];
  return items.map((item: Readonly<Record<string, unknown>> | null): ExportRow => {
    const own = Object.fromEntries(ITEM_COLUMNS.map((name) => [name, cell(item?.[name])]));
    return { ...own, stash: decodeId(id), account, league, seq: Number(seq) };
  });
};

/** Keeps the digits of a number that JavaScript would change. */
const keepDigits = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && String(value) !== context.source
    ? new Digits(context.source)
    : value;

const cell = (value: unknown): ExportRow[string] =>
  ["string", "number", "boolean"].includes(typeof value) || value instanceof Digits
    ? (value as ExportRow[string])
    : null;
