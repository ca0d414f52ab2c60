/**
 * Generated stash changes, applied to an index and to a plain model of it.
 */
import { Effect, Exit, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackMods } from "../../src/indexer/facets.ts";
import { type ItemFacts, itemFacts } from "../../src/indexer/itemFacts.ts";
import { openIndexers } from "../../src/indexer/runIndexers.ts";
import type * as SqliteIndexer from "../../src/indexer/SqliteIndexer.ts";
import type { Filters } from "../../src/web/Parameters.ts";
import { Reader } from "../../src/web/Reader.ts";

export interface GeneratedChange {
  readonly id: string;
  readonly public: boolean;
  readonly accountName: string | null;
  readonly stash: string | null;
  readonly stashType: string;
  readonly league: string | null;
  readonly items: ReadonlyArray<{ readonly id: string }>;
}

const KEY = { source: "stashes", realm: "pc" } as const;

/** A page as an indexer reads it. */
export const streamPage = (
  seq: number,
  changes: ReadonlyArray<unknown>,
): SqliteIndexer.IndexedPage => ({
  ...{ key: KEY, seq: BigInt(seq), receivedAt: seq * 1000, markets: [] },
  changes: changes.map((change, place) => ({ place, json: JSON.stringify(change) })),
});

/** An hour of the exchange as an indexer reads it. */
export const hourPage = (
  hour: number,
  markets: ReadonlyArray<{ readonly league: string; readonly market_id: string }>,
): SqliteIndexer.IndexedPage => ({
  ...{ key: KEY, seq: BigInt(hour), receivedAt: hour * 1000, changes: [] },
  markets: markets.map((value) => ({
    ...{ hour, value, league: value.league, marketId: value.market_id },
  })),
});

/** A market whose trades were all near one rate. */
export const marketOf = (league: string, pair: string, rate: number) => {
  const [first = "", second = ""] = pair.split("|");
  const both = (a: number, b: number) => ({ [first]: a, [second]: b });
  return {
    league,
    market_id: pair,
    volume_traded: both(100, 100 * rate),
    lowest_ratio: both(1, rate * 0.9),
    highest_ratio: both(1, rate * 1.1),
  };
};

/** Applies pages in one transaction. */
export const applyPages = (
  indexer: SqliteIndexer.SqliteIndexer,
  pages: Iterable<SqliteIndexer.IndexedPage>,
): void => indexer.apply([...pages]);

/** Opens both indexers over a file of their own, and what reads it. */
export const openIndex = async () => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-test-"));
  const path = join(folder, "index.items");
  const scope = Scope.makeUnsafe();
  const { items, markets } = await Effect.runPromise(Scope.provide(openIndexers(path), scope));
  const reader = new Reader(path);
  const close = async () => {
    reader.close();
    await Effect.runPromise(Scope.close(scope, Exit.void));
    rmSync(folder, { recursive: true });
  };
  return { items, markets, path, reader, close };
};
export type OpenIndex = Awaited<ReturnType<typeof openIndex>>;

/** An item, told apart by its number. */
export const itemOf = (no: number, more: object = {}) => ({
  ...{ id: no.toString(16).padStart(12, "0").padEnd(64, "0"), typeLine: "Alder Rod" },
  ...{ name: "", baseType: "Alder Rod", frameType: 2, ilvl: 10, ...more },
});

/** A public stash, unless it is told otherwise. */
export const stashOf = (items: unknown, more: object = {}) => ({
  ...{ id: "ab".padEnd(64, "0"), public: true, accountName: "Ada#1", stash: "Tab" },
  ...{ stashType: "PremiumStash", league: "Standard", items, ...more },
});

/** A listing of the model. */
export interface ModelItem {
  readonly id: string;
  readonly league: string;
  readonly facts: ItemFacts;
}

/** Computes the listings that an index should hold: the last appearance of each stash. */
export const modelOf = (changes: ReadonlyArray<GeneratedChange>): ReadonlyArray<ModelItem> => {
  const last = new Map(changes.map((change) => [change.id, change]));
  return [...last.values()].flatMap((change) =>
    change.public
      ? [...new Map(change.items.map((item) => [item.id, item])).values()].map((item) => ({
          id: item.id,
          league: change.league ?? "",
          facts: itemFacts(item, change.stash),
        }))
      : [],
  );
};

/** The mods of a row, by their templates. */
export const modsByTemplate = (
  db: DatabaseSync,
  packed: string,
): Readonly<Record<string, number>> => {
  const find = db.prepare("SELECT template FROM mod WHERE no = ?");
  return Object.fromEntries(
    unpackMods(packed).map(([mod, value]) => [String(find.get(mod)?.["template"]), value]),
  );
};

/** Words as the full text has them: folded, without marks. */
const words = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether every word stands somewhere, the last one at least begun. */
const areThere = (has: ReadonlyArray<string>, wanted: ReadonlyArray<string>): boolean =>
  wanted.every((word, at) =>
    at === wanted.length - 1 ? has.some((each) => each.startsWith(word)) : has.includes(word),
  );

/** Whether a listing matches, decided without the index. */
export const isMatch = (
  { facts, league }: ModelItem,
  filters: Filters,
  value: number | undefined,
): boolean => {
  const { base, ilvl, links, mods, name, rarity, sockets } = facts;
  const isInside = (found: number | undefined, min = -Infinity, max = Infinity) =>
    found !== undefined && found >= min && found <= max;
  return (
    league === filters.league &&
    areThere(words(`${base} ${name}`), words(filters.q ?? "")) &&
    (filters.base === undefined || base === filters.base) &&
    (filters.rarity === undefined ||
      ["normal", "magic", "rare", "unique"][rarity] === filters.rarity) &&
    isInside(ilvl, filters.ilvlMin, filters.ilvlMax) &&
    isInside(sockets, filters.socketsMin) &&
    isInside(links, filters.linksMin) &&
    (filters.mod ?? []).every(({ max, min, template }) => isInside(mods.get(template), min, max)) &&
    (filters.modText === undefined ||
      [...mods.keys()].some((template) => areThere(words(template), words(filters.modText!)))) &&
    ((filters.priceMin ?? filters.priceMax) === undefined ||
      isInside(value, filters.priceMin, filters.priceMax))
  );
};
