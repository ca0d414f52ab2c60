/**
 * Rows of a SQLite store for exports: one snapshot, row by row, never the whole table in memory.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { zstdDecompressSync } from "node:zlib";
import type { SinkError } from "../Errors.ts";
import type { StreamKey } from "../Model.ts";
import { idOfKey } from "../core/stashKey.ts";
import { attempt, indexPath, INDEX, openToRead } from "./schema.ts";

/** What can be exported. */
export type ExportKind = "stashes" | "items" | "markets";

/** Which rows. */
export interface ExportFilter {
  readonly realm: StreamKey["realm"];
  readonly league?: string | undefined;
  /** Rows that changed after this page. */
  readonly since?: bigint | undefined;
}

/** One row of an export; every value fits a CSV cell. */
export type ExportRow = Readonly<Record<string, string | number | boolean | null>>;

/** The columns of each kind, in order. */
export const COLUMNS: Readonly<Record<ExportKind, ReadonlyArray<string>>> = {
  stashes: "id realm seq account name type league items firstSeen lastSeen".split(" "),
  items: "id stash account league name typeLine baseType rarity ilvl frameType note seq".split(" "),
  markets: ["realm", "hour", "league", "market", "json"],
};

/** The rows of a store, in a read transaction that ends with the scope. */
export const rows = (
  path: string,
  kind: ExportKind,
  filter: ExportFilter,
): Effect.Effect<Iterable<ExportRow>, SinkError, Scope.Scope> =>
  Effect.flatMap(openToRead(indexPath(path), INDEX), (db) =>
    attempt("export", () => {
      if (db === undefined) return [];
      db.exec("BEGIN");
      const { league = null, realm, since = 0n } = filter;
      if (kind === "markets") {
        const found = db
          .prepare(
            `SELECT realm, hour, league, market_id AS market, doc AS json FROM market
             WHERE realm = ? AND (? IS NULL OR league = ?) AND seq > ? ORDER BY hour, league, market_id`,
          )
          .iterate(realm, league, league, since);
        return found as unknown as Iterable<ExportRow>;
      }
      const stashes = db
        .prepare(
          `SELECT key, odd_id, realm, seq, account, name, type, league, items, first_seen, last_seen, doc
           FROM stash JOIN stash_doc USING (no)
           WHERE realm = ? AND (? IS NULL OR league = ?) AND seq > ? ORDER BY no`,
        )
        .iterate(realm, league, league, since) as unknown as Iterable<StashRecord>;
      return kind === "stashes" ? stashRows(stashes) : itemRows(stashes);
    }),
  );

interface StashRecord {
  readonly key: Uint8Array;
  readonly odd_id: string | null;
  readonly realm: string;
  readonly seq: number;
  readonly account: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly league: string | null;
  readonly items: number;
  readonly first_seen: number;
  readonly last_seen: number;
  readonly doc: Uint8Array;
}

function* stashRows(stashes: Iterable<StashRecord>): Generator<ExportRow> {
  for (const row of stashes) {
    const { account, items, league, name, realm, seq, type } = row;
    const seen = { firstSeen: row.first_seen, lastSeen: row.last_seen };
    const id = idOfKey(row.key, row.odd_id);
    yield { id, realm, seq, account, name, type, league, items, ...seen };
  }
}

function* itemRows(stashes: Iterable<StashRecord>): Generator<ExportRow> {
  for (const row of stashes) {
    const { account, league, seq } = row;
    const stash = idOfKey(row.key, row.odd_id);
    const doc = JSON.parse(zstdDecompressSync(row.doc).toString("utf8")) as {
      readonly items?: unknown;
    };
    for (const item of Array.isArray(doc.items) ? (doc.items as Array<unknown>) : []) {
      const of = (name: string) => cell((item as Record<string, unknown> | null)?.[name]);
      const texts = { name: of("name"), typeLine: of("typeLine"), baseType: of("baseType") };
      const figures = { rarity: of("rarity"), ilvl: of("ilvl"), frameType: of("frameType") };
      yield { id: of("id"), stash, account, league, ...texts, ...figures, note: of("note"), seq };
    }
  }
}

const cell = (value: unknown): string | number | boolean | null =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;

/** A line of CSV (RFC 4180). */
export const csvLine = (
  values: ReadonlyArray<string | number | boolean | null | undefined>,
): string => `${values.map((value) => csvCell(value)).join(",")}\r\n`;

const csvCell = (value: string | number | boolean | null | undefined): string => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
