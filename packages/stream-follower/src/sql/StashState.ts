/**
 * Derives the current stashes, each with its document as the service sent it (zstd), and the
 * markets of each hour. An unlisted stash stays as a tombstone without a document. Read the tables
 * with SQL: `seq` is the page that changed a row last, so `WHERE realm = … AND seq > …` is the feed
 * of changes.
 */
import * as Arr from "effect/Array";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { SqlError } from "effect/sql/SqlError";
import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import { hourOf, type StashChange } from "../Model.ts";
import type { IndexedPage, IndexerDefinition, IndexTools } from "./Indexer.ts";
import { displayText, encodeId } from "./Database.ts";

/** Defines the tables of current stashes and markets. */
export const definition: IndexerDefinition = {
  name: "state",
  version: 1,
  tables: ({ blob, integer }) => ({
    stash: [
      `CREATE TABLE stash (
        key ${blob} PRIMARY KEY, id text NOT NULL, realm text NOT NULL, seq ${integer} NOT NULL,
        public ${integer} NOT NULL, account text, name text, type text, league text,
        items ${integer} NOT NULL, first_seen ${integer} NOT NULL, last_seen ${integer} NOT NULL,
        doc ${blob})`,
      "CREATE INDEX stash_changed ON stash (realm, seq)",
      "CREATE INDEX stash_account ON stash (account, league)",
      "CREATE INDEX stash_listed ON stash (realm, items) WHERE public = 1",
    ],
    market: [
      `CREATE TABLE market (
        realm text NOT NULL, hour ${integer} NOT NULL, league text NOT NULL, market_id text NOT NULL,
        seq ${integer} NOT NULL, doc text NOT NULL, PRIMARY KEY (realm, hour, league, market_id))`,
    ],
  }),
  apply: (page, tools) =>
    page.key.source === "stashes" ? applyStashes(page, tools) : applyMarkets(page, tools),
};

const ROWS_PER_STATEMENT = 20;

/** Writes 20 rows in each statement. Other fibers get their turn after each statement. */
const inStatements = <A>(
  rows: Iterable<A>,
  write: (some: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<unknown, SqlError>,
) =>
  // A page may have 100,000 rows, which `Array.chunksOf` takes minutes to split.
  Stream.fromIterable(rows, { chunkSize: ROWS_PER_STATEMENT }).pipe(
    Stream.runForEachArray((some) => Effect.andThen(write(some), Effect.yieldNow)),
  );

const applyStashes = Effect.fnUntraced(function* (page: IndexedPage, { sql }: IndexTools) {
  // PostgreSQL refuses a statement with the same key twice, so keep the last appearance of each stash.
  const latest = new Map<string, StashChange>();
  for (const { stash } of page.rows) if (stash !== undefined) latest.set(stash.id, stash);
  yield* inStatements(
    latest.values(),
    (stashes) => sql`
      INSERT INTO stash ${sql.insert(Arr.map(stashes, (stash) => stashRow(page, stash)))}
      ON CONFLICT (key) DO UPDATE SET realm = excluded.realm, seq = excluded.seq,
        public = excluded.public, account = excluded.account, name = excluded.name,
        type = excluded.type, league = excluded.league, items = excluded.items,
        last_seen = excluded.last_seen, doc = excluded.doc
      WHERE excluded.seq >= stash.seq`,
  );
});

const MAX_TEXT_LENGTH = 256;

const stashRow = ({ key, receivedAt, seq }: IndexedPage, stash: StashChange) => {
  const { isPublic } = stash;
  const shown = (text: string | null) =>
    isPublic && text !== null ? displayText(text.slice(0, MAX_TEXT_LENGTH)) : null;
  return {
    key: stashKey(stash.id),
    id: encodeId(stash.id),
    realm: key.realm,
    seq,
    public: isPublic ? 1n : 0n,
    account: shown(stash.account),
    name: shown(stash.name),
    type: shown(stash.type),
    league: shown(stash.league),
    items: BigInt(stash.itemCount),
    first_seen: BigInt(receivedAt),
    last_seen: BigInt(receivedAt),
    doc: isPublic ? zstdCompressSync(stash.json, FASTEST) : null,
  };
};

/** Returns the primary key of an id, 32 bytes. Ids of the service are 64 hexadecimal digits. */
const stashKey = (id: string): Uint8Array =>
  /^[0-9a-f]{64}$/u.test(id)
    ? Buffer.from(id, "hex")
    : createHash("sha256").update(Buffer.from(id, "utf16le")).digest();

/** Makes documents 3 % larger than the default level does, in two thirds of the time. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const applyMarkets = Effect.fnUntraced(function* (page: IndexedPage, { reject, sql }: IndexTools) {
  const hour = BigInt(hourOf(page));
  const latest = new Map<string, ReturnType<typeof marketRow>>();
  for (const [place, { json, market }] of page.rows.entries()) {
    if (market === undefined) continue;
    const { league, marketId } = market;
    // The names are a primary key, which PostgreSQL limits to 2,700 bytes.
    if (league.length + marketId.length > 2 * MAX_TEXT_LENGTH) {
      yield* reject(place, "a market with names that are too long");
      continue;
    }
    const row = marketRow(page, hour, displayText(league), displayText(marketId), json);
    latest.set(JSON.stringify([row.league, row.market_id]), row);
  }
  yield* inStatements(
    latest.values(),
    (markets) => sql`
      INSERT INTO market ${sql.insert(markets)}
      ON CONFLICT (realm, hour, league, market_id)
        DO UPDATE SET seq = excluded.seq, doc = excluded.doc WHERE excluded.seq >= market.seq`,
  );
});

const marketRow = (
  { key, seq }: IndexedPage,
  hour: bigint,
  ...[league, market_id, doc]: readonly [string, string, string]
) => ({ realm: key.realm, hour, league, market_id, seq, doc });
