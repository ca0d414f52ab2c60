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

/** A stream in a store. */
export interface StoredStream {
  /** `sqlite:FILE`, `postgres://user:password@host/database` or `nats://…`. */
  readonly store: string;
  readonly key: StreamKey;
}

/** An existing store, or the failure that nothing was followed into it. */
const existing = Effect.fnUntraced(function* ({ key, store }: StoredStream) {
  const url = yield* StoreUrl.parse(store);
  yield* StoreUrl.statusOf(key, url);
  return url;
});

/** An existing store that keeps pages and the rows derived from them. */
const withRows = Effect.fnUntraced(function* (stream: StoredStream, what: string) {
  const url = yield* existing(stream);
  if (url.kind === "sqlite" || url.kind === "postgres") return url;
  return yield* failure("usage", `${what} needs a SQLite or PostgreSQL store.`, {
    next: "name it as sqlite:FILE or postgres://user:password@host/database",
  });
});

const records = Effect.fnUntraced(function* (stream: StoredStream) {
  const all = yield* Effect.provide(
    Effect.flatMap(Store, ({ quarantine }) => quarantine),
    StoreUrl.layer(yield* existing(stream)),
  );
  const { realm, source } = stream.key;
  return all.filter(({ key }) => key.realm === realm && key.source === source);
});

/** The open records of a stream, without their bytes. */
export const listQuarantine = (stream: StoredStream) =>
  Effect.map(records(stream), (all) =>
    all.map(({ bytes, key: { realm }, seq, ...record }) => ({
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
    })),
  );

/** A record is known by its number, those of an indexer by its name besides: `3`, `state-7`. */
const nameOf = ({ id, indexer }: { readonly id: number; readonly indexer?: string | undefined }) =>
  indexer === undefined ? String(id) : `${indexer}-${id}`;

const recordNamed = Effect.fnUntraced(function* (stream: StoredStream, id: string) {
  const found = (yield* records(stream)).find((record) => nameOf(record) === id);
  if (found !== undefined) return found;
  return yield* failure("not-found", `There is no open quarantine record ${id}.`, {
    next: `list them: gamedata ${stream.key.source === "stashes" ? "stream" : "exchange"} quarantine list --store ADDRESS`,
  });
});

/** The bytes of a record. */
export const showQuarantine = (stream: StoredStream, id: string) =>
  Effect.map(recordNamed(stream, id), ({ bytes }) => Buffer.from(bytes).toString("utf8"));

/** Gives up a record. */
export const dropQuarantine = Effect.fnUntraced(function* (stream: StoredStream, id: string) {
  const record = yield* recordNamed(stream, id);
  yield* Effect.provide(Quarantine.drop(record), StoreUrl.layer(yield* existing(stream)));
  return { dropped: id, remaining: (yield* records(stream)).length };
});

/** Tries every record of a stream again. A broker keeps no rows to apply it to. */
export const replayQuarantine = Effect.fnUntraced(function* (stream: StoredStream) {
  const url = yield* withRows(stream, "Replaying");
  return yield* Effect.provide(Quarantine.replay("items", stream.key), StoreUrl.layer(url));
});

/** Reads the checkpoint of a stream. */
export const checkpointOf = Effect.fnUntraced(function* ({ key, store }: StoredStream) {
  const url = yield* StoreUrl.parse(store);
  const { epoch, nextId, receivedAt, seq } = yield* StoreUrl.statusOf(key, url);
  const at = new Date(receivedAt).toISOString();
  return { source: key.source, realm: key.realm, nextId, seq: Number(seq), epoch, receivedAt: at };
});

/** Moves the checkpoint; what lies between is recorded as a gap. */
export const setCheckpoint = Effect.fnUntraced(function* (stream: StoredStream, id: string) {
  if (id === "" || id === "start")
    return yield* failure("usage", "A checkpoint is a change id.", {
      next: "to begin again: gamedata stream follow --jump start --yes",
    });
  yield* Effect.provide(jump(stream.key, id), StoreUrl.layer(yield* existing(stream)));
  return yield* checkpointOf(stream);
});

const asNumber = (seq: bigint | undefined) => (seq === undefined ? null : Number(seq));

/** Checks the page log of any store that has one. */
export const verify = Effect.fnUntraced(function* (stream: StoredStream, deep: boolean) {
  const report = yield* existing(stream).pipe(
    Effect.flatMap((url) =>
      Effect.provide(Verify.verify(stream.key, { deep }), StoreUrl.logLayer(url)),
    ),
    // Too damaged to be opened or asked: what the database says of it is the finding.
    Effect.catchTag("SinkError", (error) => {
      const problems = [`The database: ${error.message}`];
      const none = { pages: 0, bytes: 0, first: undefined, last: undefined, problems };
      return error.kind === "corrupt" ? Effect.succeed(none) : Effect.fail(error);
    }),
  );
  return { ...report, first: asNumber(report.first), last: asNumber(report.last) };
});

/** Deletes pages of the log. */
export const prune = Effect.fnUntraced(function* (
  stream: StoredStream,
  keep: PageLog.Retention,
  options: { readonly dryRun: boolean; readonly force: boolean },
) {
  const url = yield* withRows(stream, "Pruning");
  const report = yield* Effect.provide(
    Effect.flatMap(PageLog.PageLog, (log) => log.prune(stream.key, keep, options)),
    StoreUrl.logLayer(url),
  );
  return { ...report, dryRun: options.dryRun };
});

/** Empties the derived tables and makes them again from the log. */
export const rebuild = Effect.fnUntraced(function* (stream: StoredStream) {
  const { key } = stream;
  const url = yield* withRows(stream, "Rebuilding");
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
  stream: StoredStream,
  { format, kind, league, out, since }: ExportRequest,
) {
  if (format === "parquet" && sea.isSea())
    return yield* failure("usage", "Parquet needs DuckDB, which a single executable cannot load.", {
      next: "export with --format csv, or install the package: npm install --global @game-data/cli @duckdb/node-api",
    });
  const url = yield* withRows(stream, "Exporting");
  const found = Export.rows(url, kind, {
    realm: stream.key.realm,
    league,
    since: BigInt(since ?? 0),
  });
  if (out !== "-")
    return { kind, format, rows: yield* Export.write(out, kind, format, found), out };
  if (format === "parquet")
    return yield* failure("usage", "A Parquet file cannot be written to standard output.", {
      next: "name a file with --out",
    });
  const { stdout } = yield* Host;
  yield* Stream.runForEach(Export.text(kind, format, found), (text) => writeTo(stdout, text));
  return undefined;
});

/** Appends the changes of a log to a file, from where the file ends. */
export const followExport = Effect.fnUntraced(function* (
  stream: StoredStream,
  request: ExportRequest & { readonly until: "caughtUp" | "forever" },
) {
  const { format, kind, league, out, since, until } = request;
  if (kind === "items" || format !== "ndjson" || out === "-" || league !== undefined)
    return yield* failure(
      "usage",
      "--follow writes all stashes or all markets as NDJSON to a file.",
      { next: "gamedata stream export stashes --follow --out FILE --store ADDRESS" },
    );
  const url = yield* existing(stream);
  const after = since === undefined ? undefined : BigInt(since);
  const followed = yield* Effect.provide(
    Export.followFile(out, { key: stream.key, until, after }),
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
