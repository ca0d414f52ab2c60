/**
 * `gamedata stream`: follows the public stash stream into a store, and shows its status. `exchange`
 * has the same two commands.
 */
import { failure } from "@game-data/terminal/Failure";
import { outputFormat, print, printJson, printLine, printList } from "@game-data/terminal/Output";
import { table } from "@game-data/terminal/View";
import {
  allRealms,
  gameOneRealms,
  omitUndefined,
  outFlag,
  realmFlag,
  switchFlag,
  textFlag,
} from "../config/flags.ts";
import { connected, settings } from "../config/Settings.ts";
import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const storeFlag = Flag.String("store").pipe(
  Flag.withDescription(
    "sqlite:FILE, postgres://user:password@host/database, nats://host/PREFIX or jsonl:FOLDER",
  ),
);
const untilFlag = switchFlag(
  "until-caught-up",
  "Stop at the end of the stream (default: continue until Ctrl-C)",
);
const yesFlag = switchFlag("yes", "Confirm a command that discards data");
const countFlag = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional);
const needsYes = (why: string) => failure("usage", why, { next: "add --yes to confirm" });
const operating = Effect.promise(() => import("../session/operateStream.ts"));
const following = Effect.promise(() => import("../session/followStream.ts"));

/** `follow` for a stream and its realms. */
export const followCommand = <Realm extends (typeof allRealms)[number]>(
  source: "stashes" | "exchange",
  realms: ReadonlyArray<Realm>,
  name = source === "stashes" ? "stream" : "exchange",
) =>
  Command.make(
    "follow",
    {
      realm: realmFlag(realms),
      store: storeFlag,
      untilCaughtUp: untilFlag,
      from: textFlag("from", "Where an empty store begins: start or a change id"),
      jump: textFlag("jump", "Skip history and continue from this change id; needs --yes"),
      yes: yesFlag,
      onRejected: textFlag(
        "on-rejected",
        "If the service rejects the change id: halt (default), restart or jump:ID",
      ),
      opsPort: countFlag("ops-port", "Serve /metrics and /health on this loopback port"),
      keepBytes: countFlag("keep-bytes", "Bytes of pages that the log keeps (default 20 GB)"),
      keepDays: countFlag("keep-days", "Days of pages that the log keeps (default: any age)"),
    },
    Effect.fnUntraced(function* ({ realm, store, untilCaughtUp, yes, ...optional }) {
      const { follow } = yield* following;
      const options = omitUndefined(optional);
      if (options.jump !== undefined && !yes) return yield* needsYes("--jump skips history.");
      const request = { key: { source, realm }, store, untilCaughtUp, ...options };
      const summary = yield* follow(yield* settings, request);
      // People have read the summary on stderr.
      if ((yield* outputFormat) !== "view") yield* print(summary, () => "");
    }),
  ).pipe(
    Command.withDescription(
      "Follow the stream into a store, and resume at the store's checkpoint. Progress is shown on\nstderr; Ctrl-C finishes the open transaction first.",
    ),
    Command.withShortDescription("Follow the stream into a store"),
    Command.withExamples([
      {
        command: `gamedata ${name} follow --store sqlite:pages.db --until-caught-up`,
        description: "Fetch everything up to now",
      },
    ]),
  );

/** `status` for a stream and its realms. */
export const statusCommand = <Realm extends (typeof allRealms)[number]>(
  source: "stashes" | "exchange",
  realms: ReadonlyArray<Realm>,
  name = source === "stashes" ? "stream" : "exchange",
) =>
  Command.make(
    "status",
    { realm: realmFlag(realms), store: storeFlag },
    Effect.fnUntraced(function* ({ realm, store }) {
      const { statusOf } = yield* following;
      const status = yield* statusOf({ source, realm }, store);
      yield* printJson(status);
    }),
  ).pipe(
    Command.withDescription(
      "Print the status of the stream in a store as JSON: next id, counts, lag, quarantined pages.\nRead-only.",
    ),
    Command.withShortDescription("Print the status of a store as JSON"),
    Command.withExamples([
      { command: `gamedata ${name} status --store sqlite:pages.db`, description: "One store" },
    ]),
  );

const where = { realm: realmFlag(gameOneRealms), store: storeFlag };
const keyOf = (realm: (typeof gameOneRealms)[number]) => ({ source: "stashes", realm }) as const;

const listCommand = Command.make(
  "list",
  where,
  Effect.fnUntraced(function* ({ realm, store }) {
    const { listQuarantine } = yield* operating;
    const found = yield* listQuarantine(store, keyOf(realm));
    yield* printList(found, (rows) =>
      table(
        ["id", "page", "kind", "error", "message"],
        rows.map(({ errorTag, id, kind, message, seq }) => [id, seq, kind, errorTag, message]),
      ),
    );
  }),
).pipe(
  Command.withDescription("List changes and pages that could not be applied and were set aside."),
  Command.withShortDescription("List quarantined records"),
  Command.withExamples([
    {
      command: "gamedata stream quarantine list --store sqlite:pages.db",
      description: "One store",
    },
  ]),
);

const showCommand = Command.make(
  "show",
  { ...where, id: Argument.String("id").pipe(Argument.withDescription("The record's id")) },
  Effect.fnUntraced(function* ({ id, realm, store }) {
    const { showQuarantine } = yield* operating;
    yield* printLine(yield* showQuarantine(store, keyOf(realm), id));
  }),
).pipe(
  Command.withDescription("Print the bytes of a quarantined record as the service sent them."),
  Command.withShortDescription("Print a quarantined record"),
  Command.withExamples([
    {
      command: "gamedata stream quarantine show ID --store sqlite:pages.db",
      description: "One record",
    },
  ]),
);

const replayCommand = Command.make(
  "replay",
  where,
  Effect.fnUntraced(function* ({ realm, store }) {
    const { replayQuarantine } = yield* operating;
    const report = yield* replayQuarantine(store, keyOf(realm));
    yield* printJson(report);
    if (report.remaining > 0) {
      yield* failure("stream-broken", `${report.remaining} records are still unreadable.`, {
        next: "look at them: gamedata stream quarantine show ID --store ADDRESS",
      });
    }
  }),
).pipe(
  Command.withDescription(
    "Apply the quarantined records again with this version. Exits with 76 if some remain.",
  ),
  Command.withShortDescription("Apply quarantined records again"),
  Command.withExamples([
    {
      command: "gamedata stream quarantine replay --store sqlite:pages.db",
      description: "After an update",
    },
  ]),
);

const quarantineCommand = Command.make("quarantine").pipe(
  Command.withDescription("List, show and apply again what could not be applied"),
  Command.withSubcommands([listCommand, showCommand, replayCommand]),
);

const checkpointCommand = Command.make(
  "checkpoint",
  where,
  Effect.fnUntraced(function* ({ realm, store }) {
    const { checkpointOf } = yield* operating;
    yield* printJson(yield* checkpointOf(store, keyOf(realm)));
  }),
).pipe(
  Command.withDescription(
    "Print the id and the position from which the stream continues, as JSON.",
  ),
  Command.withShortDescription("Print the checkpoint as JSON"),
  Command.withExamples([
    { command: "gamedata stream checkpoint --store sqlite:pages.db", description: "One store" },
  ]),
);

const pruneCommand = Command.make(
  "prune",
  {
    ...where,
    keepBytes: countFlag("keep-bytes", "Bytes of pages to keep"),
    keepDays: countFlag("keep-days", "Days of pages to keep"),
    dryRun: switchFlag("dry-run", "Show what would be deleted"),
    force: switchFlag("force", "Delete pages that an indexer has not read, too"),
  },
  Effect.fnUntraced(function* ({ dryRun, force, keepBytes, keepDays, realm, store }) {
    const { prune } = yield* operating;
    const { keepBytes: bytes, keepDays: days } = omitUndefined({ keepBytes, keepDays });
    if (bytes === undefined && days === undefined) {
      yield* failure("usage", "Neither --keep-bytes nor --keep-days is given.", {
        next: "add one of them",
      });
    }
    const keep = {
      ...(bytes === undefined ? {} : { bytes }),
      ...(days === undefined ? {} : { millis: days * 86_400_000 }),
    };
    yield* printJson(yield* prune(store, keyOf(realm), keep, { dryRun, force }));
  }),
).pipe(
  Command.withDescription(
    "Delete the oldest pages of the log, except those that an indexer has not read.",
  ),
  Command.withShortDescription("Delete the oldest pages"),
  Command.withExamples([
    {
      command: "gamedata stream prune --store sqlite:pages.db --keep-days 7 --dry-run",
      description: "Show what would be deleted",
    },
  ]),
);

const verifyCommand = Command.make(
  "verify",
  { ...where, deep: switchFlag("deep", "Compare the bounds of every change with its JSON, too") },
  Effect.fnUntraced(function* ({ deep, realm, store }) {
    const { verify } = yield* operating;
    const report = yield* verify(store, keyOf(realm), deep);
    yield* printJson({ ...report, whole: report.problems.length === 0 });
    if (report.problems.length > 0) {
      yield* failure("store-damaged", `${report.problems.length} problems were found in the log.`, {
        next: "restore the store from a copy, or follow into a new one",
      });
    }
  }),
).pipe(
  Command.withDescription(
    "Check the page log: numbers, chain of ids, bodies and checksums. Exits with 70 if something is wrong.",
  ),
  Command.withShortDescription("Check the page log"),
  Command.withExamples([
    { command: "gamedata stream verify --store sqlite:pages.db --deep", description: "Everything" },
  ]),
);

const rebuildCommand = Command.make(
  "rebuild",
  where,
  Effect.fnUntraced(function* ({ realm, store }) {
    const { rebuild } = yield* operating;
    yield* printJson(yield* rebuild(store, keyOf(realm)));
  }),
).pipe(
  Command.withDescription("Build the derived tables again from the log."),
  Command.withShortDescription("Build the derived tables again"),
  Command.withExamples([
    { command: "gamedata stream rebuild --store sqlite:pages.db", description: "After an update" },
  ]),
);

const exportCommand = Command.make(
  "export",
  {
    kind: Argument.Literals("kind", ["stashes", "items", "markets"]).pipe(
      Argument.withDescription("Records to export: stashes, items or markets"),
    ),
    store: storeFlag,
    realm: realmFlag(allRealms),
    format: Flag.Literals("format", ["ndjson", "csv"]).pipe(
      Flag.withDescription("Format of the file (default: ndjson)"),
      Flag.withDefault("ndjson" as const),
    ),
    out: outFlag(),
    league: textFlag("league", "Only this league"),
    since: countFlag("since", "Only records that changed after this page"),
  },
  Effect.fnUntraced(function* ({ format, kind, out, realm, store, ...optional }) {
    const { exportRows } = yield* operating;
    const source = kind === "markets" ? ("exchange" as const) : ("stashes" as const);
    const request = { kind, format, out, ...omitUndefined(optional) };
    const report = yield* exportRows(store, { source, realm }, request);
    if (out !== "-") yield* printJson(report);
  }),
).pipe(
  Command.withDescription("Export the stashes, items or markets of a store as NDJSON or CSV."),
  Command.withShortDescription("Export stashes, items or markets"),
  Command.withExamples([
    {
      command: "gamedata stream export items --store sqlite:pages.db --format csv --out items.csv",
      description: "As a table",
    },
  ]),
);

/** The command and its subcommands. */
export const streamCommand = Command.make("stream").pipe(
  Command.withDescription("Follow the public stash stream into a store"),
  Command.withSubcommands([
    followCommand("stashes", gameOneRealms),
    statusCommand("stashes", gameOneRealms),
    quarantineCommand,
    checkpointCommand,
    exportCommand,
    pruneCommand,
    rebuildCommand,
    verifyCommand,
  ]),
  connected,
);
