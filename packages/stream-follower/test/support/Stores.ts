/** Stores by their addresses: opened, filled by a follower of a script, and read. */
import { Context, Effect, Layer, type Scope } from "effect";
import { zstdCompressSync } from "node:zlib";
import { Follower, Lease, PageLog, PageSource, Sink, type StreamKey } from "../../src/index.ts";
import { connect } from "../../src/sql/Database.ts";
import { decodeId, decompress, openToRead } from "../../src/sql/index.ts";
import * as StoreUrl from "../../src/StoreUrl.ts";
import { HOURS, KEY } from "./Run.ts";
import { type Script, scripted } from "./ScriptedSource.ts";

export const sqliteAt = (path: string) => ({ kind: "sqlite", path }) as const;

export interface OpenStore {
  readonly sink: Sink.SinkService;
  readonly log: PageLog.PageLogService;
  readonly lease: Lease.LeaseService;
}

/** Opens a store until the end of the scope. */
export const openStore = (
  url: StoreUrl.StoreUrl,
  options: StoreUrl.StoreOptions = {},
): Effect.Effect<OpenStore, unknown, Scope.Scope> =>
  Effect.map(Layer.build(StoreUrl.layer(url, options)), (context) => ({
    sink: Context.get(context, Sink.Sink),
    log: Context.get(context, PageLog.PageLog),
    lease: Context.get(context, Lease.Lease),
  }));

/** Follows a script into a store, to its end. */
export const followedInto = (
  url: StoreUrl.StoreUrl,
  script: Script,
  options: Partial<Follower.StashRun> | Follower.ExchangeRun = {},
) =>
  Follower.run({ source: "stashes", until: "caughtUp", ...options } as Follower.StashRun).pipe(
    Effect.provide(StoreUrl.layer(url)),
    Effect.provideService(PageSource.PageSource, scripted(script).source),
  );

export const derived = (url: StoreUrl.StoreUrl, key: StreamKey = KEY) =>
  StoreUrl.indexState(url, { key, until: "caughtUp" });

export const derivedAll = async (url: StoreUrl.StoreUrl): Promise<void> => {
  for (const key of [KEY, HOURS]) await Effect.runPromise(derived(url, key));
};

export const queryIndex = <A extends object>(
  url: StoreUrl.StoreUrl,
  statement: string,
): Promise<ReadonlyArray<A>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(openToRead(url, "index"), (sql) => sql!.unsafe<A>(statement).withoutTransform),
    ),
  );

/** Replaces the bytes of a record in quarantine, as if this version could read them. */
export const setBytes = (
  url: StoreUrl.StoreUrl,
  table: "quarantine" | "skipped",
  id: number,
  text: string,
): Promise<unknown> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        connect(url, table === "skipped" ? "index" : "log"),
        (sql) => sql`UPDATE ${sql(table)} SET bytes_zstd = ${zstdCompressSync(text)}
          WHERE id = ${BigInt(id)}`,
      ),
    ),
  );

/** Derives the stashes of `pc`, and returns their documents by id, `null` for a tombstone. */
export const stashesOf = async (
  url: StoreUrl.StoreUrl,
): Promise<ReadonlyMap<string, string | null>> => {
  await derivedAll(url);
  const read = Effect.gen(function* () {
    const sql = (yield* openToRead(url, "index"))!;
    const rows = yield* sql<{ id: string; doc: Uint8Array | null }>`
      SELECT id, doc FROM stash WHERE realm = 'pc'`;
    const text = (doc: Uint8Array) => Buffer.from(decompress(doc)).toString("utf8");
    return new Map(rows.map(({ doc, id }) => [decodeId(id), doc && text(doc)]));
  });
  return Effect.runPromise(Effect.scoped(read));
};

export const listed = (
  id: string,
  name: string,
  items: ReadonlyArray<Readonly<Record<string, unknown>>> = [],
  more = {},
) => ({
  id: id.padStart(64, "0"),
  public: true,
  accountName: "Exile#1",
  stash: name,
  stashType: "PremiumStash",
  league: "Standard",
  items,
  ...more,
});
