/** Content of a store, read after its state is derived. */
import { Effect } from "effect";
import type { StoreUrl as Address } from "../../src/StoreUrl.ts";
import { SqliteState } from "../../src/sqlite/index.ts";
import * as StoreUrl from "../../src/StoreUrl.ts";
import type { StreamKey } from "../../src/index.ts";

const KEYS: ReadonlyArray<StreamKey> = [
  { source: "stashes", realm: "pc" },
  { source: "exchange", realm: "game2" },
];

/** Derives the state of the streams. */
export const indexed = async (path: string): Promise<void> => indexedAt({ kind: "sqlite", path });

/** The same of any store. */
export const indexedAt = async (address: Address): Promise<void> => {
  for (const key of KEYS) {
    await Effect.runPromise(StoreUrl.indexState(address, { key, until: "caughtUp" }));
  }
};

/** Stash id to document, `null` for a tombstone. */
export const stashesOf = async (path: string): Promise<Map<string, string | null>> => {
  await indexed(path);
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const state = yield* SqliteState.make({ path });
        const feed = yield* state.changes({ realm: "pc", since: 0n, limit: 1_000_000 });
        const documents = yield* Effect.forEach(feed, ({ id }) =>
          Effect.map(state.document(id), (json) => [id, json ?? null] as const),
        );
        return new Map(documents);
      }),
    ),
  );
};
