/**
 * `gamedata stream …` for a store that was followed into: quarantine, checkpoint, export, pruning,
 * rebuilding, checking.
 */
import { failure } from "@game-data/terminal/Failure";
import { printJson, printText, printList } from "@game-data/terminal/Output";
import { table } from "@game-data/terminal/View";
import {
  type allRealms,
  gameOneRealms,
  omitUndefined,
  realmFlag,
  switchFlag,
} from "../config/flags.ts";
import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";

/** `--store`. */
export const storeFlag = Flag.String("store").pipe(
  Flag.withDescription("sqlite:FILE, postgres://user:password@host/database or nats://host/PREFIX"),
);

/** `--yes`. */
export const yesFlag = switchFlag("yes", "Confirm a command that discards data");

/** An optional flag with a whole number. */
export const countFlag = (name: string, description: string, least = 1, most = Infinity) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (count) => count >= least && count <= most,
      (count) => `Expected a number from ${least} to ${most}, got ${count}`,
    ),
    Flag.withDescription(description),
    Flag.optional,
  );

/** The failure of a command that was not confirmed. */
export const needsYes = (why: string) => failure("usage", why, { next: "add --yes to confirm" });

const operating = Effect.promise(() => import("../session/operateStream.ts"));
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
    yield* printText(yield* showQuarantine(store, keyOf(realm), id));
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
    "Apply the quarantined records again with this version. Exits with 76 if some remain.\nA NATS store keeps no rows to apply them to: give a record up with drop.",
  ),
  Command.withShortDescription("Apply quarantined records again"),
  Command.withExamples([
    {
      command: "gamedata stream quarantine replay --store sqlite:pages.db",
      description: "After an update",
    },
  ]),
);

const dropCommand = Command.make(
  "drop",
  {
    ...where,
    id: Argument.String("id").pipe(Argument.withDescription("The record's id")),
    yes: yesFlag,
  },
  Effect.fnUntraced(function* ({ id, realm, store, yes }) {
    if (!yes) return yield* needsYes("A dropped record is never applied.");
    const { dropQuarantine } = yield* operating;
    yield* printJson(yield* dropQuarantine(store, keyOf(realm), id));
  }),
).pipe(
  Command.withDescription(
    "Give up a quarantined record; needs --yes. Its changes stay out of the store.",
  ),
  Command.withShortDescription("Give up a quarantined record"),
  Command.withExamples([
    {
      command: "gamedata stream quarantine drop ID --store sqlite:pages.db --yes",
      description: "One record",
    },
  ]),
);

const quarantineCommand = Command.make("quarantine").pipe(
  Command.withDescription("List, show, apply again or give up what could not be applied"),
  Command.withSubcommands([listCommand, showCommand, replayCommand, dropCommand]),
);

const printCheckpoint = Effect.fnUntraced(function* ({
  realm,
  store,
}: {
  readonly realm: (typeof gameOneRealms)[number];
  readonly store: string;
}) {
  const { checkpointOf } = yield* operating;
  yield* printJson(yield* checkpointOf(store, keyOf(realm)));
});

const showCheckpointCommand = Command.make("show", where, printCheckpoint).pipe(
  Command.withDescription(
    "Print the id and the position from which the stream continues, as JSON. Read-only.",
  ),
  Command.withShortDescription("Print the checkpoint as JSON"),
  Command.withExamples([
    {
      command: "gamedata stream checkpoint show --store sqlite:pages.db",
      description: "One store",
    },
  ]),
);

const setCheckpointCommand = Command.make(
  "set",
  {
    ...where,
    id: Argument.String("id").pipe(Argument.withDescription("The change id to continue from")),
    yes: yesFlag,
  },
  Effect.fnUntraced(function* ({ id, realm, store, yes }) {
    if (!yes) return yield* needsYes("A new checkpoint skips history.");
    const { setCheckpoint } = yield* operating;
    yield* printJson(yield* setCheckpoint(store, keyOf(realm), id));
  }),
).pipe(
  Command.withDescription(
    "Move the checkpoint to another change id; needs --yes. The skipped history is recorded as a gap.\nStop the follower of the stream first.",
  ),
  Command.withShortDescription("Move the checkpoint to a change id"),
  Command.withExamples([
    {
      command: "gamedata stream checkpoint set 2-3-5 --store sqlite:pages.db --yes",
      description: "Continue from 2-3-5",
    },
  ]),
);

// Without a subcommand it prints, as `show` does.
const checkpointCommand = Command.make("checkpoint", where, printCheckpoint).pipe(
  Command.withDescription("Print or move the id from which the stream continues"),
  Command.withSubcommands([showCheckpointCommand, setCheckpointCommand]),
);

const pruneCommand = Command.make(
  "prune",
  {
    ...where,
    keepBytes: countFlag("keep-bytes", "Bytes of pages to keep", 0),
    keepDays: countFlag("keep-days", "Days of pages to keep", 0),
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

/** `verify` for a stream and its realms. */
export const verifyCommand = <Realm extends (typeof allRealms)[number]>(
  source: "stashes" | "exchange",
  realms: ReadonlyArray<Realm>,
  name = source === "stashes" ? "stream" : "exchange",
) =>
  Command.make(
    "verify",
    {
      realm: realmFlag(realms),
      store: storeFlag,
      deep: switchFlag("deep", "Compare the bounds of every change with its JSON, too"),
    },
    Effect.fnUntraced(function* ({ deep, realm, store }) {
      const { verify } = yield* operating;
      const report = yield* verify(store, { source, realm }, deep);
      yield* printJson({ ...report, whole: report.problems.length === 0 });
      if (report.problems.length > 0) {
        yield* failure("log-damaged", `Problems in the log: ${report.problems.length}.`);
      }
    }),
  ).pipe(
    Command.withDescription(
      "Check the page log: numbers, chain of ids, bodies and checksums. Exits with 1 if something is wrong.",
    ),
    Command.withShortDescription("Check the page log"),
    Command.withExamples([
      {
        command: `gamedata ${name} verify --store sqlite:pages.db --deep`,
        description: "Everything",
      },
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

/** The commands. */
export const storeCommands = [
  quarantineCommand,
  checkpointCommand,
  pruneCommand,
  rebuildCommand,
  verifyCommand("stashes", gameOneRealms),
] as const;
