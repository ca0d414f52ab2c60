/**
 * The commands of `gamedata stream` that operate a store: status, verify, export, prune, rebuild,
 * quarantine, checkpoint, copies. Each is a function of `store.ts`.
 */
import { Effect } from "effect";
import { Argument, type Command, Flag } from "effect/cli";
import {
  argument,
  command,
  countFlag,
  given,
  group,
  type Help,
  load,
  switchFlag,
  textFlag,
} from "../command.ts";
import { Failure } from "../failures.ts";
import { outFlag } from "../output.ts";
import { print, printBytes, printJson } from "../print.ts";
import type * as Operations from "../store.ts";

const storeFlag = Flag.String("store").pipe(
  Flag.withDescription("sqlite:FILE or postgres://user:password@host/database"),
);

/** The flags that name a stream in a store. */
const streamFlags = {
  source: Flag.Literals("source", ["stashes", "exchange"]).pipe(
    Flag.withDescription("Stream: stashes or exchange (default: stashes)"),
    Flag.withDefault("stashes" as const),
  ),
  realm: Flag.Literals("realm", ["pc", "console_a", "console_b", "game2"]).pipe(
    Flag.withDescription("Realm; game2 has the exchange only (default: pc)"),
    Flag.withDefault("pc" as const),
  ),
  store: storeFlag,
};

export const yes = switchFlag("yes", "Confirm a command that discards data");

export const needsYes = (why: string) =>
  new Failure({ code: "Usage", message: why, next: "add --yes to confirm" });

const loadStore = load(() => import("../store.ts"));

/** Makes a command over a stream of a store. */
export const over = <const Name extends string, const P extends Command.Command.Config, E, R>(
  name: Name,
  help: Help,
  parameters: P,
  run: (
    stream: Operations.Stored,
    values: Command.Command.Config.Infer<P>,
    operations: typeof Operations,
  ) => Effect.Effect<void, E, R>,
) =>
  command(
    name,
    help,
    { ...streamFlags, ...parameters },
    Effect.fnUntraced(function* (values) {
      const { realm, source, store } = values as Command.Command.Config.Infer<typeof streamFlags>;
      if (realm === "game2" && source === "stashes")
        return yield* new Failure({ code: "Usage", message: "The stash stream has no game2." });
      const own = values as unknown as Command.Command.Config.Infer<P>;
      yield* run({ store, key: { source, realm } }, own, yield* loadStore);
    }),
  );

const status = over(
  "status",
  [
    "Print the status of the stream in a store as JSON: state, holder of the lease, next id, counts, lag, quarantined pages. Read-only.",
    "gamedata stream status --store sqlite:pages.db",
  ],
  {},
  (stored, _, { streamStatus }) => Effect.flatMap(streamStatus(stored), printJson),
);

const verify = over(
  "verify",
  [
    "Check the page log: numbers, chain of ids, bodies and checksums. Exits with 1 if something is wrong.",
    "gamedata stream verify --store sqlite:pages.db --deep",
  ],
  { deep: switchFlag("deep", "Read every page again and compare all indexes of the database") },
  Effect.fnUntraced(function* (stored, { deep }, { verifyLog }) {
    const report = yield* verifyLog(stored, deep);
    yield* printJson(report);
    if (!report.whole)
      return yield* new Failure({
        code: "LogDamaged",
        message: `Problems in the log: ${report.problems.length}.`,
        next: "restore the store from a copy, or follow into a new one",
      });
  }),
);

const prune = over(
  "prune",
  [
    "Delete the oldest pages of the log, except those that an indexer has not read.",
    "gamedata stream prune --store sqlite:pages.db --keep-days 7 --dry-run",
  ],
  {
    keepBytes: countFlag("keep-bytes", "Bytes of pages to keep", 0),
    keepDays: countFlag("keep-days", "Days of pages to keep", 0),
    dryRun: switchFlag("dry-run", "Show what would be deleted"),
    force: switchFlag("force", "Delete pages that an indexer has not read, too"),
  },
  Effect.fnUntraced(function* (stored, { dryRun, force, keepBytes, keepDays }, { pruneLog }) {
    const { bytes, days } = given({ bytes: keepBytes, days: keepDays });
    if (bytes === undefined && days === undefined)
      return yield* new Failure({
        code: "Usage",
        message: "Neither --keep-bytes nor --keep-days is given.",
        next: "add one of them",
      });
    yield* printJson(yield* pruneLog(stored, { bytes, days }, { dryRun, force }));
  }),
);

const rebuild = over(
  "rebuild",
  [
    "Build the derived tables again from the log.",
    "gamedata stream rebuild --store sqlite:pages.db",
  ],
  {},
  (stored, _, { rebuildTables }) => Effect.flatMap(rebuildTables(stored), printJson),
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
    format: Flag.Literals("format", ["ndjson", "csv", "parquet"]).pipe(
      Flag.withDescription("Format of the file (default: ndjson)"),
      Flag.withDefault("ndjson" as const),
    ),
    raw: switchFlag("raw", "Leave texts in CSV as they are, formulas included: for programs"),
    out: outFlag,
    league: textFlag("league", "Only this league"),
    since: countFlag("since", "Only records that changed after this page", 0),
    follow: switchFlag("follow", "Append every change to --out FILE, from where the file ends"),
    untilCaughtUp: switchFlag("until-caught-up", "With --follow: end at the end of the log"),
  },
  Effect.fnUntraced(function* (stored, flags, { exportRows, followExport }) {
    const { follow: isFollowing, format, kind, out, raw, untilCaughtUp } = flags;
    const { league, since } = given({ league: flags.league, since: flags.since });
    const source = kind === "markets" ? ("exchange" as const) : ("stashes" as const);
    const stream = { ...stored, key: { ...stored.key, source } };
    const named = raw && format === "csv" ? ("csv-raw" as const) : format;
    const request = { kind, format: named, out, league, since };
    const report = yield* isFollowing
      ? followExport(stream, { ...request, until: untilCaughtUp ? "caughtUp" : "forever" })
      : exportRows(stream, request);
    if (out !== "-") yield* printJson(report);
  }),
);

const recordId = argument("id", "The record's id");

const quarantine = group("quarantine", "Show, apply again or give up what could not be applied", [
  over(
    "list",
    [
      "List changes and pages that could not be applied and were set aside.",
      "gamedata stream quarantine list --store sqlite:pages.db",
    ],
    {},
    (stored, _, { listQuarantine }) =>
      Effect.flatMap(listQuarantine(stored), (rows) => print(rows, "id seq kind errorTag message")),
  ),
  over(
    "show",
    [
      "Print the bytes of a quarantined record as the service sent them.",
      "gamedata stream quarantine show ID --store sqlite:pages.db",
    ],
    { id: recordId },
    (stored, { id }, { showQuarantine }) => Effect.flatMap(showQuarantine(stored, id), printBytes),
  ),
  over(
    "replay",
    [
      "Apply the quarantined records again with this version. Exits with 76 if some remain.",
      "gamedata stream quarantine replay --store sqlite:pages.db",
    ],
    {},
    Effect.fnUntraced(function* (stored, _, { replayQuarantine }) {
      const report = yield* replayQuarantine(stored);
      yield* printJson(report);
      if (report.remaining > 0)
        return yield* new Failure({
          code: "StillQuarantined",
          message: `${report.remaining} records are still unreadable.`,
          next: "look at them with: gamedata stream quarantine show ID --store ADDRESS",
        });
    }),
  ),
  over(
    "drop",
    [
      "Give up a quarantined record; needs --yes. Its changes stay out of the store.",
      "gamedata stream quarantine drop ID --store sqlite:pages.db --yes",
    ],
    { id: recordId, yes },
    (stored, { id, yes: isConfirmed }, { dropQuarantine }) =>
      isConfirmed
        ? Effect.flatMap(dropQuarantine(stored, id), printJson)
        : Effect.fail(needsYes("A dropped record is never applied.")),
  ),
]);

const checkpoint = group("checkpoint", "Show or move the id from which the stream continues", [
  over(
    "show",
    [
      "Print the id and the position from which the stream continues, as JSON. Read-only.",
      "gamedata stream checkpoint show --store sqlite:pages.db",
    ],
    {},
    (stored, _, { checkpointOf }) => Effect.flatMap(checkpointOf(stored), printJson),
  ),
  over(
    "set",
    [
      "Move the checkpoint to another change id; needs --yes. The skipped history is recorded as a gap. Stop the follower of the stream first.",
      "gamedata stream checkpoint set 2-3-5 --store sqlite:pages.db --yes",
    ],
    { id: argument("id", "The change id to continue from"), yes },
    (stored, { id, yes: isConfirmed }, { setCheckpoint }) =>
      isConfirmed
        ? Effect.flatMap(setCheckpoint(stored, id), printJson)
        : Effect.fail(needsYes("A new checkpoint skips history.")),
  ),
]);

const backup = over(
  "backup",
  [
    "Copy a SQLite store with all its streams while it is followed into. Nothing is replaced.",
    "gamedata stream backup /backup/pages.db --store sqlite:pages.db",
  ],
  { file: argument("file", "The copy to make; FILE.index beside it") },
  ({ store }, { file }, { backupStore }) => Effect.flatMap(backupStore(store, file), printJson),
);

const restore = over(
  "restore",
  [
    "Make a SQLite store from a copy, which is checked first. A store that exists is not replaced: move it away before.",
    "gamedata stream restore /backup/pages.db --store sqlite:pages.db",
  ],
  { file: argument("file", "A copy that stream backup made") },
  ({ store }, { file }, { restoreStore }) => Effect.flatMap(restoreStore(file, store), printJson),
);

/** The commands over a store. */
export const storeCommands = [
  status,
  verify,
  exportCommand,
  prune,
  rebuild,
  quarantine,
  checkpoint,
  backup,
  restore,
] as const;
