/**
 * What an operator does with a store besides following: quarantine, checkpoint, pruning,
 * rebuilding, exporting. Nothing is made by looking.
 */
import { Quarantine, type StreamKey, Verify } from "@game-data/stream-follower";
import { SinkSqlite, SqliteExport, SqliteState } from "@game-data/stream-follower/sqlite";
import { Store } from "@game-data/stream-follower/Sink";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { write as writeTo } from "@game-data/terminal/Output";
import { Effect } from "effect";
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** An existing store, or the failure that nothing was followed into it. */
const existing = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const url = yield* StoreUrl.parse(store);
  yield* StoreUrl.statusOf(key, url);
  return url;
});

const sqliteOnly = Effect.fnUntraced(function* (store: string, key: StreamKey, what: string) {
  const url = yield* existing(store, key);
  if (url.kind === "sqlite") return url;
  return yield* failure("usage", `${what} needs a SQLite store.`, {
    next: "name it as sqlite:FILE",
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

/** The bytes of a record. */
export const showQuarantine = Effect.fnUntraced(function* (
  store: string,
  key: StreamKey,
  id: string,
) {
  const found = (yield* records(store, key)).find((record) => nameOf(record) === id);
  if (found !== undefined) return Buffer.from(found.bytes).toString("utf8");
  return yield* failure("not-found", `There is no open quarantine record ${id}.`, {
    next: "list them: gamedata stream quarantine list --store ADDRESS",
  });
});

/** Tries every record again. */
export const replayQuarantine = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const url = yield* existing(store, key);
  return yield* Effect.provide(Quarantine.replay("items"), StoreUrl.layer(url));
});

/** Where the stream stands. */
export const checkpointOf = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const { epoch, nextId, receivedAt, seq } = yield* StoreUrl.statusOf(
    key,
    yield* StoreUrl.parse(store),
  );
  const at = new Date(receivedAt).toISOString();
  return { source: key.source, realm: key.realm, nextId, seq: Number(seq), epoch, receivedAt: at };
});

const asNumber = (seq: bigint | undefined) => (seq === undefined ? null : Number(seq));

/** Checks the page log of any store that has one. */
export const verify = Effect.fnUntraced(function* (store: string, key: StreamKey, deep: boolean) {
  const url = yield* existing(store, key);
  if (url.kind === "jsonl") {
    return yield* failure("usage", "A JSON lines store keeps rows, not pages.", {
      next: "name a store with a page log: sqlite:, postgres:// or nats://",
    });
  }
  const report = yield* Effect.provide(Verify.verify(key, { deep }), StoreUrl.logLayer(url));
  return { ...report, first: asNumber(report.first), last: asNumber(report.last) };
});

/** Deletes pages of the log. */
export const prune = Effect.fnUntraced(
  function* (
    store: string,
    key: StreamKey,
    keep: { readonly bytes?: number; readonly millis?: number },
    options: { readonly dryRun: boolean; readonly force: boolean },
  ) {
    const { path } = yield* sqliteOnly(store, key, "Pruning");
    const log = yield* SinkSqlite.make({ path });
    return { ...(yield* log.prune(key, keep, options)), dryRun: options.dryRun };
  },
  (effect) => Effect.scoped(effect),
);

/** Empties the derived tables and makes them again from the log. */
export const rebuild = Effect.fnUntraced(function* (store: string, key: StreamKey) {
  const { path } = yield* sqliteOnly(store, key, "Rebuilding");
  const url = { kind: "sqlite", path } as const;
  const before = yield* StoreUrl.statusOf(key, url);
  const first = before.oldestSeq ?? before.seq + 1n;
  if (key.source === "stashes" && first > 1n) {
    return yield* failure(
      "usage",
      `The log begins at page ${first}: a rebuild would lose the stashes before it.`,
      {
        next: "keep the derived file; it is complete",
      },
    );
  }
  yield* Effect.scoped(Effect.flatMap(SqliteState.make({ path }), (state) => state.reset));
  yield* StoreUrl.indexState(url, { key, until: "caughtUp" });
  const { items, rows, seq } = yield* StoreUrl.statusOf(key, url);
  return { realm: key.realm, seq: Number(seq), listed: rows, items };
});

/** What to export, and how. */
export interface ExportRequest {
  readonly kind: SqliteExport.ExportKind;
  readonly format: "ndjson" | "csv";
  /** A file, or `-` for standard output. */
  readonly out: string;
  readonly league?: string | undefined;
  readonly since?: number | undefined;
}

/** Writes rows to a file that appears when it is whole. */
export const exportRows = Effect.fnUntraced(
  function* (store: string, key: StreamKey, { format, kind, league, out, since }: ExportRequest) {
    const { path } = yield* sqliteOnly(store, key, "Exporting");
    const filter = { realm: key.realm, league, since: BigInt(since ?? 0) };
    const columns = SqliteExport.COLUMNS[kind];
    const found = yield* SqliteExport.rows(path, kind, filter);
    const part = `${out}.part`;
    const file = out === "-" ? undefined : openSync(part, "w", 0o600);
    let rows = 0;
    let text = format === "csv" ? SqliteExport.csvLine(columns) : "";
    for (const row of found) {
      rows += 1;
      text +=
        format === "csv"
          ? SqliteExport.csvLine(columns.map((name) => row[name]))
          : `${JSON.stringify(row)}\n`;
      if (text.length > FLUSH_CHARACTERS) {
        yield* write(file, text);
        text = "";
      }
    }
    yield* write(file, text);
    if (file !== undefined) {
      fsyncSync(file);
      closeSync(file);
      renameSync(part, out);
    }
    return { kind, format, rows, out };
  },
  (effect) => Effect.scoped(effect),
);

const FLUSH_CHARACTERS = 256 * 1024;

/** Writes to a file, or to standard output, which may take it later. */
const write = (file: number | undefined, text: string): Effect.Effect<void> => {
  if (file === undefined) {
    return Effect.flatMap(Host, ({ stdout }) => writeTo(stdout, text));
  }
  return Effect.sync(() => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  });
};
