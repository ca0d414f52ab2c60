/**
 * `gamedata stream`: follows the public stash stream or the currency exchange into a store, and
 * operates the store. Commands that only read create no store.
 */
import type { StreamKey } from "@game-data/stream-follower";
import type { statusOf, StoreUrl } from "@game-data/stream-follower/StoreUrl";
import { Effect } from "effect";
import { Argument, type Command, Flag } from "effect/cli";
import {
  argument,
  choice,
  command,
  count,
  given,
  group,
  type Help,
  load,
  text,
  toggle,
} from "../command.ts";
import { connected } from "../config.ts";
import { Failure, usage } from "../failures.ts";
import { outFlag, writeOutput } from "../files.ts";
import { outputFormat, print, printBytes, printJson, printMessage } from "../print.ts";

const loadFollower = load(async () => ({
  ...(await import("@game-data/stream-follower")),
  ...(await import("@game-data/stream-follower/sql")),
  Export: await import("@game-data/stream-follower/Export"),
  StoreUrl: await import("@game-data/stream-follower/StoreUrl"),
}));
type StreamFollower = Effect.Success<typeof loadFollower>;

/** A stream in a store, as the flags of a command name it. */
interface Stored {
  readonly key: StreamKey;
  readonly url: StoreUrl;
  /** Reads the status. Fails with `StreamNotFound` for a stream that the store does not have. */
  readonly status: ReturnType<typeof statusOf>;
}

/** The flags that select a stream and its store. */
const streamFlags = {
  source: choice("source", ["stashes", "exchange"], "Stream to follow (default: stashes)"),
  realm: choice(
    "realm",
    ["pc", "console_a", "console_b", "game2"],
    "Realm; game2 has the exchange only (default: pc)",
  ),
  store: Flag.String("store").pipe(
    Flag.withDescription("sqlite:FILE or postgres://user:password@host/database"),
  ),
};

type Values<P extends Command.Command.Config> = Command.Command.Config.Infer<P>;

/** Makes a command for a stream in a store. Loads the modules of the follower when it runs. */
const over = <const Name extends string, const P extends Command.Command.Config, E, R>(
  name: Name,
  help: Help,
  parameters: P,
  run: (request: Stored & Values<P>, follower: StreamFollower) => Effect.Effect<void, E, R>,
) =>
  command(
    name,
    help,
    { ...streamFlags, ...parameters },
    Effect.fnUntraced(function* (values) {
      const { realm = "pc", source = "stashes", store } = values as Values<typeof streamFlags>;
      if (realm === "game2" && source === "stashes")
        return yield* usage("The stash stream has no game2.");
      const follower = yield* loadFollower;
      const key = { source, realm };
      const url = yield* follower.StoreUrl.parse(store);
      const status = follower.StoreUrl.statusOf(key, url);
      yield* run({ ...(values as unknown as Values<P> & object), key, url, status }, follower);
    }),
  );

const yes = toggle("yes", "Confirm a command that discards data");

const confirm = (isConfirmed: boolean, why: string) =>
  isConfirmed ? Effect.void : usage(why, "add --yes to confirm");

const followFlags = {
  untilCaughtUp: toggle("until-caught-up", "Stop at the end (default: continue)"),
  from: text("from", "Where an empty store begins: start or a change id"),
  onRejected: choice(
    "on-rejected",
    ["halt", "restart"],
    "If the service rejects the change id: halt (default), or restart from the start",
  ),
  onPoison: choice(
    "on-poison",
    ["halt", "skip"],
    "If a page cannot be indexed: halt (default), or skip it into the quarantine",
  ),
  opsPort: count("ops-port", "Serve /metrics and /health on this port", 0, 65_535),
  opsHost: text("ops-host", "Address that they listen on (default: 127.0.0.1)"),
  keepBytes: count(
    "keep-bytes",
    "Bytes of pages that the log keeps, 100 MB at least (default: 20 GB)",
    100_000_000,
  ),
  keepDays: count("keep-days", "Days of pages that the log keeps (default: any age)"),
  synchronous: choice(
    "synchronous",
    ["normal", "full"],
    "When SQLite has a commit on the disk: normal (default) soon after it, or full within it",
  ),
};

/** The stream and the flags of `gamedata stream follow`. */
export type FollowRequest = Stored & Values<typeof followFlags>;

const follow = over(
  "follow",
  [
    "Follow the stream into a store, and resume at the store's checkpoint. Progress is shown on stderr; Ctrl-C finishes the open transaction first.",
    "gamedata stream follow --store sqlite:pages.db --until-caught-up",
    "gamedata stream follow --source exchange --store sqlite:pages.db",
  ],
  followFlags,
  Effect.fnUntraced(function* (request) {
    const { follow: run } = yield* load(() => import("../follow.ts"));
    const summary = yield* run(request);
    // In a table the summary would repeat the last line on stderr.
    if ((yield* outputFormat) !== "table") yield* print(summary);
  }),
);

const TIMES = new Set(["firstSeen", "nextAttemptAt", "polledAt", "receivedAt", "until"]);

/** Prints a report as JSON: numbers of pages as numbers, and times as ISO 8601. */
const printReport = (report: object) =>
  printJson(report, (name, value) => {
    if (typeof value === "bigint") return Number(value);
    return TIMES.has(name) && typeof value === "number" ? new Date(value).toISOString() : value;
  });

const status = over(
  "status",
  "Print the status of the stream in a store as JSON: state, holder of the lease, next id, counts, lag, quarantined pages. Read-only.",
  {},
  Effect.fnUntraced(function* ({ key, status: read }) {
    const { holder, items, key: _key, nextId, rows, seq: _seq, ...facts } = yield* read;
    const held = holder !== undefined && holder.until > Date.now() ? holder : undefined;
    yield* printReport({
      realm: key.realm,
      state: held === undefined ? "stopped" : (held.state ?? "starting"),
      reason: held?.reason,
      nextAttemptAt: held?.nextAttemptAt,
      holder: held === undefined ? null : { owner: held.owner, until: held.until },
      nextChangeId: nextId,
      ...(key.source === "stashes" ? { stashes: rows, items } : { markets: rows }),
      ...facts,
    });
  }),
);

const verify = over(
  "verify",
  "Check the page log: numbers, chain of ids, bodies and checksums, and that the derived tables belong to it. Exits with 1 if something is wrong. Read-only.",
  { deep: toggle("deep", "Read every page again and compare all indexes of the database") },
  Effect.fnUntraced(function* ({ deep, key, status: read, url }, { StoreUrl, Verify }) {
    const report = yield* Effect.gen(function* () {
      const { indexers } = yield* read;
      const log = StoreUrl.logLayer(url, { isReadOnly: true });
      const checked = yield* Effect.provide(Verify.verify(key, { deep }), log);
      const others = indexers.flatMap(({ name, reason }) =>
        reason === undefined ? [] : [`The indexer ${name}: ${reason}.`],
      );
      return { ...checked, problems: [...checked.problems, ...others] };
    }).pipe(
      // If the database is too damaged to be opened, its message is the problem to report.
      Effect.catchIf(
        (error) => error._tag === "SinkError" && error.reason === "corrupt",
        ({ message }) =>
          Effect.succeed({ pages: 0, bytes: 0, problems: [`The database: ${message}`] }),
      ),
    );
    const { length } = report.problems;
    yield* printReport({ ...report, whole: length === 0 });
    if (length > 0)
      return yield* new Failure({
        code: "LogDamaged",
        message: `Problems in the log: ${length}.`,
        next: "restore the store from a copy, or follow into a new one; for an indexer: gamedata stream rebuild",
      });
  }),
);

const prune = over(
  "prune",
  [
    "Delete the oldest pages of the log, except those that an indexer has not read; needs --yes. Derived tables cannot be built again from the pages that remain.",
    "gamedata stream prune --store sqlite:pages.db --keep-days 7 --dry-run",
  ],
  {
    keepBytes: count("keep-bytes", "Bytes of pages to keep", 0),
    keepDays: count("keep-days", "Days of pages to keep", 0),
    dryRun: toggle("dry-run", "Show what would be deleted"),
    force: toggle("force", "Delete pages that an indexer has not read, too"),
    yes,
  },
  Effect.fnUntraced(function* ({ key, status: read, url, ...flags }, { PageLog, StoreUrl }) {
    yield* read;
    const { dryRun, force, keepBytes, keepDays } = flags;
    if (keepBytes === undefined && keepDays === undefined)
      return yield* usage("Neither --keep-bytes nor --keep-days is given.", "add one of them");
    yield* confirm(flags.yes || dryRun, "Deleted pages cannot be fetched or derived again.");
    const keep = given({ bytes: keepBytes, millis: keepDays && keepDays * 86_400_000 });
    const report = yield* Effect.provide(
      Effect.flatMap(PageLog.PageLog, (log) => log.prune(key, keep, { dryRun, force })),
      StoreUrl.logLayer(url),
    );
    yield* printReport({ ...report, dryRun });
  }),
);

const rebuild = over(
  "rebuild",
  "Build the derived tables again from the log.",
  {},
  Effect.fnUntraced(function* ({ key, status: read, url }, { StoreUrl }) {
    yield* StoreUrl.rebuild(url, key).pipe(
      Effect.catchTag("HistoryExpired", ({ first }) =>
        usage(
          `The log begins at page ${first}: a rebuild would lose the stashes before it.`,
          "keep the derived tables if gamedata stream verify finds them sound, or follow into a new store",
        ),
      ),
    );
    const { items, rows, seq } = yield* read;
    yield* printReport({ realm: key.realm, seq, listed: rows, items });
  }),
);

const exportCommand = over(
  "export",
  [
    "Export the rows of a store: stashes, items or markets, as NDJSON, CSV or Parquet (which needs @duckdb/node-api and --out). --follow appends every change of the log as a line of JSON, from where the file ends.",
    "gamedata stream export items --store sqlite:pages.db --format csv --out items.csv",
    "gamedata stream export stashes --store sqlite:pages.db --follow --out changes.ndjson",
  ],
  {
    kind: Argument.Literals("kind", ["stashes", "items", "markets"]).pipe(
      Argument.withDescription("Records to export: stashes, items or markets"),
    ),
    format: choice("format", ["ndjson", "csv", "parquet"], "Format of the file (default: ndjson)"),
    raw: toggle("raw", "Leave texts in CSV as they are, formulas included: for programs"),
    out: outFlag,
    league: text("league", "Only this league"),
    since: count("since", "Only records that changed after this page", 0),
    isFollowing: toggle("follow", "Append every change to --out, from where the file ends"),
    untilCaughtUp: toggle("until-caught-up", "With --follow: end at the end of the log"),
  },
  Effect.fnUntraced(function* ({ key: named, url, ...flags }, { Export, StashState, StoreUrl }) {
    const { format = "ndjson", isFollowing, kind, league, out, raw, since, untilCaughtUp } = flags;
    const key = { ...named, source: kind === "markets" ? "exchange" : "stashes" } as const;
    const { indexers, seq: end } = yield* StoreUrl.statusOf(key, url);
    const after = since === undefined ? undefined : BigInt(since);
    if (isFollowing) {
      if (kind === "items" || format !== "ndjson" || out === "-" || league !== undefined)
        return yield* usage(
          "--follow writes all stashes or all markets as NDJSON to a file.",
          "gamedata stream export stashes --follow --out FILE --store ADDRESS",
        );
      const until = untilCaughtUp ? "caughtUp" : "forever";
      const followed = yield* Effect.provide(
        Export.followFile(out, { key, until, after }),
        StoreUrl.logLayer(url, { isReadOnly: true }),
      );
      return yield* printReport({ kind, format, ...followed, out });
    }
    const state = indexers.find(({ name }) => name === StashState.definition.name);
    if (state === undefined)
      return yield* usage(
        "The store has no derived tables of this stream.",
        "build them with: gamedata stream rebuild --store ADDRESS",
      );
    if (state.seq !== end)
      yield* printMessage(
        `warning: the derived tables are at page ${state.seq}, and the log is at page ${end}`,
      );
    const { seq } = state;
    const rows = Export.rows(url, kind, { realm: key.realm, league, since: after });
    const encoding = raw && format === "csv" ? "csv-raw" : format;
    if (out !== "-") {
      const written = yield* Export.write(out, kind, encoding, rows);
      return yield* printReport({ kind, format: encoding, rows: written, seq, out });
    }
    if (encoding === "parquet")
      return yield* usage("Parquet is not for standard output.", "name a file with --out");
    return yield* writeOutput("-", Export.text(kind, encoding, rows));
  }),
);

/** Returns the quarantined records of a stream. Each indexer numbers its own, as in `state-7`. */
const quarantined = Effect.fnUntraced(function* (
  { key: { realm, source }, status: read, url }: Stored,
  { Quarantine }: StreamFollower,
) {
  yield* read;
  const all = yield* Quarantine.list(url);
  const own = all.filter(({ key }) => key.realm === realm && key.source === source);
  return own.map((record) => {
    const { id, indexer } = record;
    return { name: indexer === undefined ? `${id}` : `${indexer}-${id}`, record };
  });
});

const recordNamed = Effect.fnUntraced(function* (
  stored: Stored & { readonly id: string },
  follower: StreamFollower,
) {
  const found = (yield* quarantined(stored, follower)).find(({ name }) => name === stored.id);
  if (found !== undefined) return found.record;
  return yield* new Failure({
    code: "NotFound",
    message: `There is no open quarantine record ${stored.id}.`,
    next: "list them with: gamedata stream quarantine list --store ADDRESS",
  });
});

const recordId = argument("id", "The record's id");

const quarantine = group("quarantine", "Show, apply again or give up what could not be applied", [
  over(
    "list",
    "List changes and pages that could not be applied and were set aside.",
    {},
    Effect.fnUntraced(function* (stored, follower) {
      const all = yield* quarantined(stored, follower);
      const rows = all.map(({ name, record: { bytes, firstSeen, key, seq, ...record } }) => ({
        ...record,
        id: name,
        realm: key.realm,
        seq: Number(seq),
        bytes: bytes.length,
        firstSeen: new Date(firstSeen).toISOString(),
      }));
      yield* print(rows, "id seq kind errorTag message");
    }),
  ),
  over(
    "show",
    "Print the bytes of a quarantined record as the service sent them.",
    { id: recordId },
    (stored, follower) =>
      Effect.flatMap(recordNamed(stored, follower), ({ bytes }) => printBytes(bytes)),
  ),
  over(
    "replay",
    "Apply the quarantined records again with this version. Keeps those of indexers other than `state`. Exits with 76 if some remain.",
    {},
    Effect.fnUntraced(function* ({ key, status: read, url }, { Quarantine }) {
      yield* read;
      const report = yield* Quarantine.replay(url, { key });
      yield* printJson(report);
      const { otherIndexers, remaining } = report;
      if (remaining === 0) return;
      const hasOthers = otherIndexers.length > 0;
      return yield* new Failure({
        code: "StillQuarantined",
        message: hasOthers
          ? `Of ${remaining} remaining records, this command cannot apply those of ${otherIndexers.join(", ")}.`
          : `${remaining} records are still unreadable.`,
        next: hasOthers
          ? "replay them in a program: Quarantine.replay with the definitions of these indexers"
          : "look at them with: gamedata stream quarantine show ID --store ADDRESS",
      });
    }),
  ),
  over(
    "drop",
    "Give up a quarantined record; needs --yes. Its changes stay out of the store.",
    { id: recordId, yes },
    Effect.fnUntraced(function* (stored, follower) {
      yield* confirm(stored.yes, "A dropped record is never applied.");
      const record = yield* recordNamed(stored, follower);
      yield* follower.Quarantine.drop(stored.url, record);
      const { length: remaining } = yield* quarantined(stored, follower);
      yield* printJson({ dropped: stored.id, remaining });
    }),
  ),
]);

const printCheckpoint = ({ key, status: read }: Stored) =>
  Effect.flatMap(read, ({ epoch, nextId, receivedAt, seq }) =>
    printReport({ ...key, nextId, seq, epoch, receivedAt }),
  );

const checkpoint = group("checkpoint", "Show or move the id from which the stream continues", [
  over(
    "show",
    "Print the id and the position from which the stream continues, as JSON. Read-only.",
    {},
    printCheckpoint,
  ),
  over(
    "set",
    [
      "Move the checkpoint to another change id; needs --yes. The skipped history is recorded as a gap. Stop the follower of the stream first.",
      "gamedata stream checkpoint set 2-3-5 --store sqlite:pages.db --yes",
    ],
    { id: argument("id", "The change id to continue from"), yes },
    Effect.fnUntraced(function* (stored, { jump, StoreUrl }) {
      const { id, key, status: read, url } = stored;
      yield* read;
      yield* confirm(stored.yes, "A new checkpoint skips history.");
      if (id === "" || id === "start")
        return yield* usage(
          "A checkpoint is a change id.",
          "to begin again, follow into a new store",
        );
      yield* Effect.provide(jump(key, id), StoreUrl.layer(url));
      yield* printCheckpoint(stored);
    }),
  ),
]);

const fileOf = (url: StoreUrl) =>
  url.kind === "sqlite"
    ? Effect.succeed(url.path)
    : usage("Only a SQLite store is copied as files.", "use pg_dump for PostgreSQL");

const backup = over(
  "backup",
  [
    "Copy a SQLite store with all its streams while it is followed into. Nothing is replaced.",
    "gamedata stream backup /backup/pages.db --store sqlite:pages.db",
  ],
  { file: argument("file", "The copy to make; FILE.index beside it") },
  Effect.fnUntraced(function* ({ file, url }, { Backup }) {
    yield* printJson({ files: yield* Backup.backup(yield* fileOf(url), file) });
  }),
);

const restore = over(
  "restore",
  [
    "Make a SQLite store from a copy, which is checked first. A store that exists is not replaced: move it away before.",
    "gamedata stream restore /backup/pages.db --store sqlite:pages.db",
  ],
  { file: argument("file", "A copy that stream backup made") },
  Effect.fnUntraced(function* ({ file, url }, { Backup }) {
    yield* printJson({ files: yield* Backup.restore(file, yield* fileOf(url)) });
  }),
);

export const stream = group("stream", "Follow a stream into a store, and operate the store", [
  follow,
  status,
  verify,
  exportCommand,
  prune,
  rebuild,
  quarantine,
  checkpoint,
  backup,
  restore,
]).pipe(connected);
