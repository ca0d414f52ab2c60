/**
 * Operations on a store besides following: quarantine, checkpoint, pruning, rebuilding, exporting.
 * Those that only read create nothing.
 */
import { jump, PageLog, Quarantine, type StreamKey, Verify } from "@game-data/stream-follower";
import * as Export from "@game-data/stream-follower/Export";
import { Store } from "@game-data/stream-follower/Sink";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { write as writeTo } from "@game-data/terminal/Output";
import { Effect, Stream } from "effect";
import sea from "node:sea";

/** An existing store, or the failure that nothing was followed into it. */
const existing = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const url = yield* StoreUrl.parse(store);
  yield* StoreUrl.statusOf(key, url);
  return url;
});

/** An existing store that keeps pages and the rows derived from them. */
const withRows = Effect.fnUntraced(function* (store: string, key: StreamKey, what: string) {
  const url = yield* existing(store, key);
  if (url.kind === "sqlite" || url.kind === "postgres") return url;
  return yield* failure("usage", `${what} needs a SQLite or PostgreSQL store.`, {
    next: "name it as sqlite:FILE or postgres://user:password@host/database",
  });
});

const records = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const url = yield* existing(store, key);
  const all = yield* Effect.provide(
    Effect.flatMap(Store, ({ quarantine }) => quarantine),
    StoreUrl.layer(url),
  );
  return all.filter((each) => each.key.realm === key.realm && each.key.source === key.source);
});

/** The open records of a stream, without their bytes. */
export const listQuarantine = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  return (yield* records(store, key)).map(({ bytes, key: { realm }, seq, ...record }) => ({
    id: nameOf(record),
    realm,
    seq: Number(seq),
    kind: record.kind,
    ...(record.place === undefined ? {} : { place: record.place }),
    indexer: record.indexer ?? null,
    requestedId: record.requestedId ?? null,
    nextId: record.nextId,
    errorTag: record.errorTag,
    message: record.message,
    bytes: bytes.length,
    tries: record.tries,
    firstSeen: new Date(record.firstSeen).toISOString(),
  }));
});

/** A record is known by its number, those of an indexer by its name besides: `3`, `state-7`. */
const nameOf = ({ id, indexer }: { readonly id: number; readonly indexer?: string | undefined }) =>
  indexer === undefined ? String(id) : `${indexer}-${id}`;

const recordNamed = Effect.fnUntraced(function* (store: string, key: StreamKey, id: string) {
  const found = (yield* records(store, key)).find((record) => nameOf(record) === id);
  if (found !== undefined) return found;
  return yield* failure("not-found", `There is no open quarantine record ${id}.`, {
    next: `list them: gamedata ${key.source === "stashes" ? "stream" : "exchange"} quarantine list --store ADDRESS`,
  });
});

/** The bytes of a record. */
export const showQuarantine = (store: string, key: StreamKey, id: string) =>
  Effect.map(recordNamed(store, key, id), ({ bytes }) => Buffer.from(bytes).toString("utf8"));

/** Gives up a record. */
export const dropQuarantine = Effect.fnUntraced(function* (
  store: string,
  key: StreamKey,
  id: string,
) {
  const record = yield* recordNamed(store, key, id);
  const url = yield* existing(store, key);
  yield* Effect.provide(Quarantine.drop(record), StoreUrl.layer(url));
  return { dropped: id, remaining: (yield* records(store, key)).length };
});

/** Tries every record of a stream again. A broker keeps no rows to apply it to. */
export const replayQuarantine = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const url = yield* withRows(store, key, "Replaying");
  return yield* Effect.provide(Quarantine.replay("items", key), StoreUrl.layer(url));
});

/** Reads the checkpoint of a stream. */
export const checkpointOf = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const { epoch, nextId, receivedAt, seq } = yield* StoreUrl.statusOf(
    key,
    yield* StoreUrl.parse(store),
  );
  const at = new Date(receivedAt).toISOString();
  return { source: key.source, realm: key.realm, nextId, seq: Number(seq), epoch, receivedAt: at };
});

/** Moves the checkpoint; what lies between is recorded as a gap. */
export const setCheckpoint = Effect.fnUntraced(function* (
  store: string,
  key: StreamKey,
  id: string,
) {
  if (id === "" || id === "start") {
    return yield* failure("usage", "A checkpoint is a change id.", {
      next: "to begin again: gamedata stream follow --jump start --yes",
    });
  }
  const url = yield* existing(store, key);
  yield* Effect.provide(jump(key, id), StoreUrl.layer(url));
  return yield* checkpointOf(store, key);
});

const asNumber = (seq: bigint | undefined) => (seq === undefined ? null : Number(seq));

/** Checks the page log of any store that has one. */
export const verify = Effect.fnUntraced(function* (store: string, key: StreamKey, deep: boolean) {
  const report = yield* existing(store, key).pipe(
    Effect.flatMap((url) => Effect.provide(Verify.verify(key, { deep }), StoreUrl.logLayer(url))),
    // Too damaged to be opened or asked: what the database says of it is the finding.
    Effect.catchTag("SinkError", (error) =>
      error.kind === "corrupt"
        ? Effect.succeed({
            pages: 0,
            bytes: 0,
            first: undefined,
            last: undefined,
            problems: [`The database: ${error.message}`],
          })
        : Effect.fail(error),
    ),
  );
  return { ...report, first: asNumber(report.first), last: asNumber(report.last) };
});

/** Deletes pages of the log. */
export const prune = Effect.fnUntraced(function* (
  store: string,
  key: StreamKey,
  keep: PageLog.Retention,
  options: { readonly dryRun: boolean; readonly force: boolean },
) {
  const url = yield* withRows(store, key, "Pruning");
  const report = yield* Effect.provide(
    Effect.flatMap(PageLog.PageLog, (log) => log.prune(key, keep, options)),
    StoreUrl.logLayer(url),
  );
  return { ...report, dryRun: options.dryRun };
});

/** Empties the derived tables and makes them again from the log. */
export const rebuild = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const url = yield* withRows(store, key, "Rebuilding");
  yield* StoreUrl.rebuild(url, key).pipe(
    Effect.catchTag("HistoryExpired", ({ first }) =>
      failure(
        "usage",
        `The log begins at page ${first}: a rebuild would lose the stashes before it.`,
        { next: "keep the derived tables; they are complete" },
      ),
    ),
  );
  const { items, rows, seq } = yield* StoreUrl.statusOf(key, url);
  return { realm: key.realm, seq: Number(seq), listed: rows, items };
});

/** The rows to export, their format and their destination. */
export interface ExportRequest {
  readonly kind: Export.ExportKind;
  readonly format: Export.ExportFormat;
  /** A file, or `-` for standard output. */
  readonly out: string;
  readonly league?: string | undefined;
  readonly since?: number | undefined;
}

/** Writes rows to a file that appears when it is whole, or to standard output. */
export const exportRows = Effect.fnUntraced(function* (
  store: string,
  key: StreamKey,
  { format, kind, league, out, since }: ExportRequest,
) {
  if (format === "parquet" && sea.isSea()) {
    return yield* failure("usage", "Parquet needs DuckDB, which a single executable cannot load.", {
      next: "export with --format csv, or install the package: npm install --global @game-data/cli @duckdb/node-api",
    });
  }
  const url = yield* withRows(store, key, "Exporting");
  const found = Export.rows(url, kind, { realm: key.realm, league, since: BigInt(since ?? 0) });
  if (out !== "-")
    return { kind, format, rows: yield* Export.write(out, kind, format, found), out };
  if (format === "parquet") {
    return yield* failure("usage", "A Parquet file cannot be written to standard output.", {
      next: "name a file with --out",
    });
  }
  const { stdout } = yield* Host;
  yield* Stream.runForEach(Export.text(kind, format, found), (text) => writeTo(stdout, text));
  return undefined;
});

/** Appends the changes of a log to a file, from where the file ends. */
export const followExport = Effect.fnUntraced(function* (
  store: string,
  key: StreamKey,
  request: ExportRequest & { readonly until: "caughtUp" | "forever" },
) {
  const { format, kind, league, out, since, until } = request;
  if (kind === "items" || format !== "ndjson" || out === "-" || league !== undefined) {
    return yield* failure(
      "usage",
      "--follow writes all stashes or all markets as NDJSON to a file.",
      { next: "gamedata stream export stashes --follow --out FILE --store ADDRESS" },
    );
  }
  const url = yield* existing(store, key);
  const after = since === undefined ? undefined : BigInt(since);
  const followed = yield* Effect.provide(
    Export.followFile(out, { key, until, after }),
    StoreUrl.logLayer(url),
  );
  return { kind, format, ...followed, seq: asNumber(followed.seq), out };
});

/** The file of a SQLite store. */
const fileOf = Effect.fnUntraced(function* (store: string) {
  const url = yield* StoreUrl.parse(store);
  if (url.kind === "sqlite") return url.path;
  return yield* failure("usage", "Only a SQLite store is copied as files.", {
    next: "use pg_dump for PostgreSQL, and nats stream backup for NATS",
  });
});

/** Copies a store while it is followed into. */
export const backupStore = Effect.fnUntraced(function* (store: string, to: string) {
  const { SqliteBackup } = yield* sqlite;
  return reportOf(yield* SqliteBackup.backup(yield* fileOf(store), to));
});

/** Makes a store from a copy. */
export const restoreStore = Effect.fnUntraced(function* (from: string, store: string) {
  const { SqliteBackup } = yield* sqlite;
  return reportOf(yield* SqliteBackup.restore(from, yield* fileOf(store)));
});

const sqlite = Effect.promise(() => import("@game-data/stream-follower/sqlite"));

const reportOf = (copied: ReadonlyArray<{ readonly file: string; readonly bytes: number }>) => ({
  files: copied.map(({ bytes, file }) => ({ file, bytes })),
});
