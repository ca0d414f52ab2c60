/**
 * Operations on a store that was followed into: status, quarantine, checkpoint, pruning,
 * rebuilding, exporting, copies. Those that only read create nothing.
 */
import { jump, PageLog, Quarantine, type StreamKey, Verify } from "@game-data/stream-follower";
import * as Export from "@game-data/stream-follower/Export";
import { Store } from "@game-data/stream-follower/Sink";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect } from "effect";
import { load } from "./command.ts";
import { Failure } from "./failures.ts";
import { writeOutput } from "./output.ts";

/** A stream in a store. */
export interface Stored {
  /** `sqlite:FILE` or `postgres://user:password@host/database`. */
  readonly store: string;
  readonly key: StreamKey;
}

const DAY_MILLIS = 86_400_000;

const usage = (message: string, next: string) => new Failure({ code: "Usage", message, next });

/** The address of an existing store. Fails if nothing was followed into it. */
const existing = Effect.fnUntraced(function* ({ key, store }: Stored) {
  const url = yield* StoreUrl.parse(store);
  yield* StoreUrl.statusOf(key, url);
  return url;
});

const isoTime = (millis: number) => new Date(millis).toISOString();

/** Returns the status of a stream, as scripts read it. */
export const streamStatus = Effect.fn("streamStatus")(function* ({ key, store }: Stored) {
  const status = yield* StoreUrl.statusOf(key, yield* StoreUrl.parse(store));
  const { holder, items, polledAt, rows } = status;
  const isHeld = holder !== undefined && holder.until > Date.now();
  const { nextAttemptAt } = holder ?? {};
  return {
    realm: key.realm,
    state: isHeld ? (holder.state ?? "starting") : "stopped",
    reason: isHeld ? holder.reason : undefined,
    nextAttemptAt: isHeld && nextAttemptAt !== undefined ? isoTime(nextAttemptAt) : undefined,
    holder: isHeld ? { owner: holder.owner, until: isoTime(holder.until) } : null,
    nextChangeId: status.nextId,
    pages: status.pages,
    ...(key.source === "stashes" ? { stashes: rows, items } : { markets: rows }),
    lagSeconds: status.lagSeconds,
    quarantined: status.quarantined,
    gaps: status.gaps,
    logBytes: status.logBytes,
    oldestSeq: status.oldestSeq === undefined ? undefined : Number(status.oldestSeq),
    indexers: status.indexers?.map((each) => ({ ...each, seq: Number(each.seq) })),
    epoch: status.epoch,
    receivedAt: isoTime(status.receivedAt),
    polledAt: polledAt === undefined ? null : isoTime(polledAt),
  };
});

const quarantined = Effect.fnUntraced(function* (stored: Stored) {
  const all = yield* Effect.provide(
    Effect.flatMap(Store, ({ quarantine }) => quarantine),
    StoreUrl.layer(yield* existing(stored)),
  );
  const { realm, source } = stored.key;
  return all
    .filter(({ key }) => key.realm === realm && key.source === source)
    .map((record) => ({
      // An indexer numbers its records itself: `state-7`.
      name: record.indexer === undefined ? `${record.id}` : `${record.indexer}-${record.id}`,
      record,
    }));
});

/** Returns the open records of a stream, without their bytes. */
export const listQuarantine = (stored: Stored) =>
  Effect.map(quarantined(stored), (all) =>
    all.map(({ name, record: { bytes, firstSeen, key, seq, ...record } }) => ({
      ...record,
      id: name,
      realm: key.realm,
      seq: Number(seq),
      bytes: bytes.length,
      firstSeen: isoTime(firstSeen),
    })),
  );

const recordNamed = Effect.fnUntraced(function* (stored: Stored, id: string) {
  const found = (yield* quarantined(stored)).find(({ name }) => name === id);
  if (found !== undefined) return found.record;
  return yield* new Failure({
    code: "NotFound",
    message: `There is no open quarantine record ${id}.`,
    next: "list them with: gamedata stream quarantine list --store ADDRESS",
  });
});

/** Returns the bytes of a record as the service sent them. */
export const showQuarantine = (stored: Stored, id: string) =>
  Effect.map(recordNamed(stored, id), ({ bytes }) => bytes);

/** Gives up a record. */
export const dropQuarantine = Effect.fn("dropQuarantine")(function* (stored: Stored, id: string) {
  const record = yield* recordNamed(stored, id);
  yield* Effect.provide(Quarantine.drop(record), StoreUrl.layer(yield* existing(stored)));
  return { dropped: id, remaining: (yield* quarantined(stored)).length };
});

/** Tries every record of a stream again. */
export const replayQuarantine = Effect.fn("replayQuarantine")(function* (stored: Stored) {
  const url = yield* existing(stored);
  return yield* Effect.provide(Quarantine.replay(stored.key), StoreUrl.layer(url));
});

/** Returns the checkpoint of a stream. */
export const checkpointOf = Effect.fn("checkpointOf")(function* ({ key, store }: Stored) {
  const status = yield* StoreUrl.statusOf(key, yield* StoreUrl.parse(store));
  const { epoch, nextId, receivedAt, seq } = status;
  return { ...key, nextId, seq: Number(seq), epoch, receivedAt: isoTime(receivedAt) };
});

/** Moves the checkpoint; the skipped history is recorded as a gap. */
export const setCheckpoint = Effect.fn("setCheckpoint")(function* (stored: Stored, id: string) {
  if (id === "" || id === "start")
    return yield* usage(
      "A checkpoint is a change id.",
      "to begin again: gamedata stream follow --jump start --yes",
    );
  yield* Effect.provide(jump(stored.key, id), StoreUrl.layer(yield* existing(stored)));
  return yield* checkpointOf(stored);
});

const asNumber = (seq: bigint | undefined) => (seq === undefined ? null : Number(seq));

/** Checks the page log. */
export const verifyLog = Effect.fn("verifyLog")(function* (stored: Stored, deep: boolean) {
  const report = yield* existing(stored).pipe(
    Effect.flatMap((url) =>
      Effect.provide(Verify.verify(stored.key, { deep }), StoreUrl.logLayer(url)),
    ),
    // Too damaged to be opened: the message of the database is the finding.
    Effect.catchTag("SinkError", (error) =>
      error.reason === "corrupt"
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
  return {
    ...report,
    first: asNumber(report.first),
    last: asNumber(report.last),
    whole: report.problems.length === 0,
  };
});

/** Deletes pages of the log. */
export const pruneLog = Effect.fn("pruneLog")(function* (
  stored: Stored,
  { bytes, days }: { readonly bytes?: number | undefined; readonly days?: number | undefined },
  options: { readonly dryRun: boolean; readonly force: boolean },
) {
  const keep = {
    ...(bytes === undefined ? {} : { bytes }),
    ...(days === undefined ? {} : { millis: days * DAY_MILLIS }),
  };
  const report = yield* Effect.provide(
    Effect.flatMap(PageLog.PageLog, (log) => log.prune(stored.key, keep, options)),
    StoreUrl.logLayer(yield* existing(stored)),
  );
  return { ...report, dryRun: options.dryRun };
});

/** Empties the derived tables and makes them again from the log. */
export const rebuildTables = Effect.fn("rebuildTables")(function* (stored: Stored) {
  const { key } = stored;
  const url = yield* existing(stored);
  yield* StoreUrl.rebuild(url, key).pipe(
    Effect.catchTag("HistoryExpired", ({ first }) =>
      usage(
        `The log begins at page ${first}: a rebuild would lose the stashes before it.`,
        "keep the derived tables; they are complete",
      ),
    ),
  );
  const { items, rows, seq } = yield* StoreUrl.statusOf(key, url);
  return { realm: key.realm, seq: Number(seq), listed: rows, items };
});

/** The rows to export, their format and their destination. */
interface ExportRequest {
  readonly kind: Export.ExportKind;
  readonly format: Export.ExportFormat;
  /** A file, or `-` for standard output. */
  readonly out: string;
  readonly league?: string | undefined;
  readonly since?: number | undefined;
}

/** Writes rows to a file that appears when it is whole, or to standard output. */
export const exportRows = Effect.fn("exportRows")(function* (
  stored: Stored,
  { format, kind, league, out, since = 0 }: ExportRequest,
) {
  if (format === "parquet" && out === "-")
    return yield* usage("Parquet cannot be written to standard output.", "name a file with --out");
  const filter = { realm: stored.key.realm, league, since: BigInt(since) };
  const found = Export.rows(yield* existing(stored), kind, filter);
  if (out !== "-")
    return { kind, format, rows: yield* Export.write(out, kind, format, found), out };
  return yield* writeOutput("-", Export.text(kind, format as "csv", found));
});

/** Appends the changes of a log to a file, from where the file ends. */
export const followExport = Effect.fn("followExport")(function* (
  stored: Stored,
  request: ExportRequest & { readonly until: "caughtUp" | "forever" },
) {
  const { format, kind, league, out, since, until } = request;
  if (kind === "items" || format !== "ndjson" || out === "-" || league !== undefined)
    return yield* usage(
      "--follow writes all stashes or all markets as NDJSON to a file.",
      "gamedata stream export stashes --follow --out FILE --store ADDRESS",
    );
  const after = since === undefined ? undefined : BigInt(since);
  const followed = yield* Effect.provide(
    Export.followFile(out, { key: stored.key, until, after }),
    StoreUrl.logLayer(yield* existing(stored)),
  );
  return { kind, format, ...followed, seq: asNumber(followed.seq), out };
});

/** The file of a SQLite store. */
const fileOf = Effect.fnUntraced(function* (store: string) {
  const url = yield* StoreUrl.parse(store);
  if (url.kind === "sqlite") return url.path;
  return yield* usage("Only a SQLite store is copied as files.", "use pg_dump for PostgreSQL");
});

const loadBackup = Effect.map(
  load(() => import("@game-data/stream-follower/sql")),
  ({ Backup }) => Backup,
);

/** Copies a store while it is followed into. */
export const backupStore = Effect.fn("backupStore")(function* (store: string, to: string) {
  const { backup } = yield* loadBackup;
  return filesOf(yield* backup(yield* fileOf(store), to));
});

/** Makes a store from a copy. */
export const restoreStore = Effect.fn("restoreStore")(function* (from: string, store: string) {
  const { restore } = yield* loadBackup;
  return filesOf(yield* restore(from, yield* fileOf(store)));
});

const filesOf = (copied: ReadonlyArray<{ readonly file: string; readonly bytes: number }>) => ({
  files: copied.map(({ bytes, file }) => ({ file, bytes })),
});
