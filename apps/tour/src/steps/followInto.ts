/**
 * Follows a stream into the tour's SQLite file, and reads back what the file holds.
 */
import { CountingSink, Follower, Lease, PageSource, Sink } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { SinkSqlite } from "@game-data/stream-follower/sqlite";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect } from "effect";
import type { ApplicationSession } from "../sessions.ts";

/** Follows until caught up, or for `maxPages`. Returns the counts of the pages and of the file. */
export const followInto = Effect.fnUntraced(function* (
  path: string,
  { api }: ApplicationSession,
  run: Omit<Follower.StashRun, "until"> | Omit<Follower.ExchangeRun, "until">,
  onPage: (counts: CountingSink.Counts) => void,
  maxPages = Infinity,
) {
  const { after, counts, sink } = CountingSink.make(yield* SinkSqlite.make({ path }), onPage);
  const { ended } = yield* Follower.run({
    ...run,
    until: "caughtUp",
    stopWhen: after(maxPages),
  } as const).pipe(
    Effect.provideService(Sink.Sink, sink),
    Effect.provideService(PageSource.PageSource, GameApiSource.make(api)),
    Effect.provide(Lease.none),
  );
  // The file holds the pages; stashes and markets are derived from them.
  const followed = { source: run.source, realm: run.realm ?? "pc" } as const;
  yield* StoreUrl.indexState({ kind: "sqlite", path }, { key: followed, until: "caughtUp" });
  const statuses = yield* StoreUrl.statuses({ kind: "sqlite", path });
  return { ...counts(), ended, stored: statuses.find(({ key }) => key.source === run.source) };
}, Effect.scoped);
