/** Stores by their addresses: filled by a follower of a script, and read after their state is derived. */
import { Effect } from "effect";
import { Follower, PageSource, type StreamKey } from "../../src/index.ts";
import { SqliteState } from "../../src/sqlite/index.ts";
import * as StoreUrl from "../../src/StoreUrl.ts";
import { HOURS, KEY } from "./Run.ts";
import { type Script, scripted } from "./ScriptedSource.ts";

export const sqliteAt = (path: string) => ({ kind: "sqlite", path }) as const;

/** Follows a script into a store, to its end. */
export const followedInto = (
  url: StoreUrl.StoreUrl,
  script: Script,
  options: Partial<Follower.StashRun> | Follower.ExchangeRun = {},
  keep: StoreUrl.StoreOptions = {},
) =>
  Follower.run({ source: "stashes", until: "caughtUp", ...options } as Follower.StashRun).pipe(
    Effect.provide(StoreUrl.layer(url, keep)),
    Effect.provideService(PageSource.PageSource, scripted(script).source),
  );

/** Derives the state of a stream. */
export const derived = (url: StoreUrl.StoreUrl, key: StreamKey = KEY) =>
  StoreUrl.indexState(url, { key, until: "caughtUp" });

/** Derives the state of the streams of the tests. */
export const indexedAt = async (url: StoreUrl.StoreUrl): Promise<void> => {
  for (const key of [KEY, HOURS]) await Effect.runPromise(derived(url, key));
};
export const indexed = (path: string): Promise<void> => indexedAt(sqliteAt(path));

/** Stash id to document, `null` for a tombstone. */
export const stashesOf = async (path: string): Promise<Map<string, string | null>> => {
  await indexed(path);
  const read = Effect.gen(function* () {
    const state = yield* SqliteState.make({ path });
    const feed = yield* state.changes({ realm: "pc", since: 0n, limit: 1_000_000 });
    const documents = yield* Effect.forEach(feed, ({ id }) =>
      Effect.map(state.document(id), (json) => [id, json ?? null] as const),
    );
    return new Map(documents);
  });
  return Effect.runPromise(Effect.scoped(read));
};

/** A listed stash as the service sends it. */
export const listed = (
  id: string,
  name: string,
  items: ReadonlyArray<Readonly<Record<string, unknown>>> = [],
  more = {},
) => ({
  ...{ id: id.padStart(64, "0"), public: true, accountName: "Exile#1", stash: name },
  ...{ stashType: "PremiumStash", league: "Standard", items, ...more },
});
