/** An index over pages that a test makes, without a follower. */
import { Indexer, PageLog } from "@game-data/stream-follower";
import { Effect, Exit, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexFile, openIndex } from "../../src/index/searchIndex.ts";
import { Reader } from "../../src/search/Reader.ts";

type Page = PageLog.LoggedPage;

const loggedPage = (source: Page["key"]["source"], seq: number, content: object): Page => {
  const body = Buffer.from(JSON.stringify(content));
  return {
    ...{ key: { source, realm: "pc" }, seq: BigInt(seq), requestedId: "", nextId: `${seq}` },
    ...{ receivedAt: seq * 1000, encoding: "identity", checksum: "", rowCount: 0 },
    ...{ body, rawBytes: body.length, followsGap: false },
  };
};

/** A page of the stash stream, which arrived `seq` seconds after 1970. */
export const stashPage = (seq: number, stashes: ReadonlyArray<unknown>): Page =>
  loggedPage("stashes", seq, { next_change_id: `${seq}`, stashes });

/** An hour of the exchange. */
export const hourPage = (hour: number, markets: ReadonlyArray<unknown>): Page =>
  loggedPage("exchange", hour, { next_change_id: hour + 3600, markets });

/** Opens an index, at a path of its own or at `path`. */
export const openTestIndex = async (path?: string) => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  const at = path ?? join(folder, "pages.db");
  const scope = Scope.makeUnsafe();
  const indexer = await Effect.runPromise(Scope.provide(openIndex(at), scope));
  const reader = new Reader(indexFile(at));
  const applyPage = Effect.fnUntraced(function* (page: Page) {
    const rows = yield* PageLog.pageRows(page);
    yield* indexer.sql.withTransaction(Indexer.applyPage(indexer, { ...page, rows }));
  });
  return {
    ...{ indexer, file: indexFile(at), reader },
    apply: (pages: ReadonlyArray<Page>) =>
      Effect.runPromise(Effect.forEach(pages, applyPage, { discard: true })),
    close: async () => {
      reader.close();
      await Effect.runPromise(Scope.close(scope, Exit.void));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
export type TestIndex = Awaited<ReturnType<typeof openTestIndex>>;

/** A market whose trades were all near one rate. */
export const market = (league: string, pair: string, rate: number) => {
  const both = (...amounts: ReadonlyArray<number>) =>
    Object.fromEntries(pair.split("|").map((code, at) => [code, amounts[at]]));
  return {
    league,
    market_id: pair,
    volume_traded: both(100, 100 * rate),
    lowest_ratio: both(1, rate * 0.9),
    highest_ratio: both(1, rate * 1.1),
  };
};

/** An item with an id of its own. */
export const item = (no: number, more: object = {}) => ({
  ...{ id: no.toString(16).padStart(64, "0"), typeLine: "Alder Rod", baseType: "Alder Rod" },
  ...{ name: "", frameType: 2, ilvl: 10, ...more },
});

/** A public stash. */
export const stash = (items: unknown, more: object = {}) => ({
  ...{ id: "ab".padEnd(64, "0"), public: true, accountName: "Ada#1", stash: "Tab" },
  ...{ stashType: "PremiumStash", league: "Standard", items, ...more },
});
