/**
 * Follows a stream into the tour's SQLite file, and reads back what the file holds.
 */
import {
  Follower,
  Lease,
  type MarketHour,
  type PageCommit,
  PageSource,
} from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { SinkSqlite } from "@game-data/stream-follower/sqlite";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Deferred, Effect, Layer } from "effect";
import type { ApplicationSession } from "../sessions.ts";

/** What the pages hold that are in the file, counted as they are committed. */
interface Counts {
  pages: number;
  /** Changes of the stash stream. */
  rows: number;
  /** JSON text. */
  bytes: number;
  quarantined: number;
  readonly markets: Array<MarketHour>;
  /** Items in each stash that is listed now. */
  readonly listed: Map<string, number>;
}

/** Is told of each page, and says how many are enough. */
interface Watch {
  readonly maxPages: number;
  readonly onPage: (counts: Counts) => void;
}

/** Follows until caught up, or for `maxPages`. Returns the counts of the pages and of the file. */
export const followInto = Effect.fnUntraced(function* (
  path: string,
  { api }: ApplicationSession,
  run: Omit<Follower.StashRun, "until"> | Omit<Follower.ExchangeRun, "until">,
  { maxPages, onPage }: Watch,
) {
  const counts: Counts = {
    pages: 0,
    rows: 0,
    bytes: 0,
    quarantined: 0,
    markets: [],
    listed: new Map(),
  };
  const enough = yield* Deferred.make<void>();
  const { ended } = yield* Follower.run({
    ...run,
    until: "caughtUp",
    stopWhen: Deferred.await(enough),
    onCommitted: (pages) => {
      for (const page of pages) add(counts, page);
      onPage(counts);
      if (counts.pages >= maxPages) Deferred.doneUnsafe(enough, Effect.void);
    },
  } as const).pipe(
    Effect.provide(Layer.merge(SinkSqlite.layer({ path }), Lease.none)),
    Effect.provideService(PageSource.PageSource, GameApiSource.make(api)),
  );
  // The file holds the pages; stashes and markets are derived from them.
  const followed = { source: run.source, realm: run.realm ?? "pc" } as const;
  yield* StoreUrl.indexState({ kind: "sqlite", path }, { key: followed, until: "caughtUp" });
  const statuses = yield* StoreUrl.statuses({ kind: "sqlite", path });
  const stored = statuses.find(({ key }) => key.source === run.source);
  let items = 0;
  for (const each of counts.listed.values()) items += each;
  return { ...counts, stashes: counts.listed.size, items, ended, stored };
}, Effect.scoped);

const add = (counts: Counts, { markets, page, quarantine, stashes }: PageCommit): void => {
  counts.pages += 1;
  counts.rows += stashes.length;
  counts.bytes += page.raw.length;
  counts.quarantined += quarantine.length;
  counts.markets.push(...markets);
  for (const { id, isPublic, itemCount } of stashes) {
    if (isPublic) counts.listed.set(id, itemCount);
    else counts.listed.delete(id);
  }
};
