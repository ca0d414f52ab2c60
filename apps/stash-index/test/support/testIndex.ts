/** An index over pages that a test makes, without a follower. */
import { PageLog } from "@game-data/stream-follower";
import { Effect, Exit, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexFile, openIndex, runIndexer } from "../../src/index/searchIndex.ts";
import { Reader } from "../../src/search/Reader.ts";

type Page = PageLog.LoggedPage;

const loggedPage = (
  source: "stashes" | "exchange",
  seq: number,
  [requestedId, nextId]: readonly [string, string],
  text: string,
): Page => ({
  ...{ key: { source, realm: "pc" }, seq: BigInt(seq), requestedId, nextId, followsGap: false },
  ...{ receivedAt: seq * 1000, encoding: "identity", checksum: "", rowCount: 0 },
  ...{ body: Buffer.from(text), rawBytes: Buffer.byteLength(text) },
});

/** A page of the stash stream, which arrived `seq` seconds after 1970. */
export const stashPage = (seq: number, stashes: ReadonlyArray<unknown>): Page => {
  const ids = [`${seq - 1}`, `${seq}`] as const;
  return loggedPage("stashes", seq, ids, JSON.stringify({ next_change_id: ids[1], stashes }));
};

/** An hour of the exchange. */
export const hourPage = (hour: number, markets: ReadonlyArray<unknown>): Page => {
  const text = JSON.stringify({ next_change_id: hour + 3600, markets });
  return loggedPage("exchange", hour, [`${hour}`, `${hour + 3600}`], text);
};

/** A log of these pages, whose ends are known although other pages are gone. */
const memoryLog = (pages: ReadonlyArray<Page>, ends: ReadonlyMap<string, bigint>) =>
  ({
    positions: Effect.succeed(
      Array.from(ends, ([source, seq]) => ({ key: { source, realm: "pc" }, seq })),
    ),
    next: ({ source }: { readonly source: string }, after: bigint) =>
      Effect.succeed(pages.find(({ key, seq }) => key.source === source && seq > after)),
    acknowledge: () => Effect.void,
  }) as unknown as PageLog.PageLogService;

/** Opens an index, at a path of its own or at `path`. */
export const openTestIndex = async (path?: string) => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  const at = path ?? join(folder, "pages.db");
  const scope = Scope.makeUnsafe();
  const indexer = await Effect.runPromise(Scope.provide(openIndex(at), scope));
  const reader = new Reader(indexFile(at));
  const ends = new Map<string, bigint>();
  return {
    ...{ indexer, path: at, file: indexFile(at), reader },
    apply: (pages: ReadonlyArray<Page>) => {
      for (const { key, seq } of pages) ends.set(key.source, seq);
      return runIndexer(indexer, "pc", "caughtUp").pipe(
        Effect.provideService(PageLog.PageLog, memoryLog(pages, ends)),
        Effect.runPromise,
      );
    },
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
