/**
 * `gamedata stream …` and `gamedata exchange …` for a store that was followed into: quarantine,
 * checkpoint, pruning, rebuilding, checking.
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

/** What help says of a command: in a line, in a list, and by an example. */
export const about =
  (description: string, short: string, ...examples: ReadonlyArray<Command.Command.Example>) =>
  <Name extends string, Input, Context, E, R>(self: Command.Command<Name, Input, Context, E, R>) =>
    self.pipe(
      Command.withDescription(description),
      Command.withShortDescription(short),
      Command.withExamples(examples),
    );

const operating = Effect.promise(() => import("../session/operateStream.ts"));

/** A stream of a store: its source, and the realms that it has. */
export interface Followed {
  readonly source: "stashes" | "exchange";
  readonly realms: ReadonlyArray<(typeof allRealms)[number]>;
  /** The group of its commands. */
  readonly group: "stream" | "exchange";
}

/** The public stash stream. */
export const stashStream = { source: "stashes", realms: gameOneRealms, group: "stream" } as const;
const stashKey = (realm: (typeof allRealms)[number]) => ({ source: "stashes", realm }) as const;
const whereOf = ({ realms }: Followed) => ({
  realm: realmFlag(realms),
  store: storeFlag,
});
const idArgument = (what: string) => Argument.String("id").pipe(Argument.withDescription(what));

const quarantineExample = ({ group }: Followed, rest: string, description: string) => ({
  command: `gamedata ${group} quarantine ${rest}`,
  description,
});
const recordOf = (stream: Followed) => ({ ...whereOf(stream), id: idArgument("The record's id") });

const listCommand = (stream: Followed) =>
  Command.make(
    "list",
    whereOf(stream),
    Effect.fnUntraced(function* ({ realm, store }) {
      const { listQuarantine } = yield* operating;
      const found = yield* listQuarantine(store, { source: stream.source, realm });
      yield* printList(found, (rows) =>
        table(
          ["id", "page", "kind", "error", "message"],
          rows.map(({ errorTag, id, kind, message, seq }) => [id, seq, kind, errorTag, message]),
        ),
      );
    }),
  ).pipe(
    about(
      "List changes and pages that could not be applied and were set aside.",
      "List quarantined records",
      quarantineExample(stream, "list --store sqlite:pages.db", "One store"),
    ),
  );

const showCommand = (stream: Followed) =>
  Command.make(
    "show",
    recordOf(stream),
    Effect.fnUntraced(function* ({ id, realm, store }) {
      const { showQuarantine } = yield* operating;
      yield* printText(yield* showQuarantine(store, { source: stream.source, realm }, id));
    }),
  ).pipe(
    about(
      "Print the bytes of a quarantined record as the service sent them.",
      "Print a quarantined record",
      quarantineExample(stream, "show ID --store sqlite:pages.db", "One record"),
    ),
  );

const replayCommand = (stream: Followed) =>
  Command.make(
    "replay",
    whereOf(stream),
    Effect.fnUntraced(function* ({ realm, store }) {
      const { replayQuarantine } = yield* operating;
      const report = yield* replayQuarantine(store, { source: stream.source, realm });
      yield* printJson(report);
      if (report.remaining > 0) {
        yield* failure("stream-broken", `${report.remaining} records are still unreadable.`, {
          next: `look at them: gamedata ${stream.group} quarantine show ID --store ADDRESS`,
        });
      }
    }),
  ).pipe(
    about(
      "Apply the quarantined records again with this version. Exits with 76 if some remain.\nA NATS store keeps no rows to apply them to: give a record up with drop.",
      "Apply quarantined records again",
      quarantineExample(stream, "replay --store sqlite:pages.db", "After an update"),
    ),
  );

const dropCommand = (stream: Followed) =>
  Command.make(
    "drop",
    { ...recordOf(stream), yes: yesFlag },
    Effect.fnUntraced(function* ({ id, realm, store, yes }) {
      if (!yes) return yield* needsYes("A dropped record is never applied.");
      const { dropQuarantine } = yield* operating;
      yield* printJson(yield* dropQuarantine(store, { source: stream.source, realm }, id));
    }),
  ).pipe(
    about(
      "Give up a quarantined record; needs --yes. Its changes stay out of the store.",
      "Give up a quarantined record",
      quarantineExample(stream, "drop ID --store sqlite:pages.db --yes", "One record"),
    ),
  );

/** `quarantine` for a stream and its realms. */
export const quarantineCommand = (stream: Followed) =>
  Command.make("quarantine").pipe(
    Command.withDescription("List, show, apply again or give up what could not be applied"),
    Command.withSubcommands([
      listCommand(stream),
      showCommand(stream),
      replayCommand(stream),
      dropCommand(stream),
    ]),
  );

const stashes = whereOf(stashStream);

const printCheckpoint = Effect.fnUntraced(function* ({
  realm,
  store,
}: {
  readonly realm: (typeof allRealms)[number];
  readonly store: string;
}) {
  const { checkpointOf } = yield* operating;
  yield* printJson(yield* checkpointOf(store, stashKey(realm)));
});

const showCheckpointCommand = Command.make("show", stashes, printCheckpoint).pipe(
  about(
    "Print the id and the position from which the stream continues, as JSON. Read-only.",
    "Print the checkpoint as JSON",
    {
      command: "gamedata stream checkpoint show --store sqlite:pages.db",
      description: "One store",
    },
  ),
);

const setCheckpointCommand = Command.make(
  "set",
  { ...stashes, id: idArgument("The change id to continue from"), yes: yesFlag },
  Effect.fnUntraced(function* ({ id, realm, store, yes }) {
    if (!yes) return yield* needsYes("A new checkpoint skips history.");
    const { setCheckpoint } = yield* operating;
    yield* printJson(yield* setCheckpoint(store, stashKey(realm), id));
  }),
).pipe(
  about(
    "Move the checkpoint to another change id; needs --yes. The skipped history is recorded as a gap.\nStop the follower of the stream first.",
    "Move the checkpoint to a change id",
    {
      command: "gamedata stream checkpoint set 2-3-5 --store sqlite:pages.db --yes",
      description: "Continue from 2-3-5",
    },
  ),
);

// Without a subcommand it prints, as `show` does.
const checkpointCommand = Command.make("checkpoint", stashes, printCheckpoint).pipe(
  Command.withDescription("Print or move the id from which the stream continues"),
  Command.withSubcommands([showCheckpointCommand, setCheckpointCommand]),
);

/** `prune` for a stream and its realms. */
export const pruneCommand = (stream: Followed) =>
  Command.make(
    "prune",
    {
      ...whereOf(stream),
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
      yield* printJson(
        yield* prune(store, { source: stream.source, realm }, keep, { dryRun, force }),
      );
    }),
  ).pipe(
    about(
      "Delete the oldest pages of the log, except those that an indexer has not read.",
      "Delete the oldest pages",
      {
        command: `gamedata ${stream.group} prune --store sqlite:pages.db --keep-days 7 --dry-run`,
        description: "Show what would be deleted",
      },
    ),
  );

/** `verify` for a stream and its realms. */
export const verifyCommand = (stream: Followed) =>
  Command.make(
    "verify",
    {
      ...whereOf(stream),
      deep: switchFlag("deep", "Compare the bounds of every change with its JSON, too"),
    },
    Effect.fnUntraced(function* ({ deep, realm, store }) {
      const { verify } = yield* operating;
      const report = yield* verify(store, { source: stream.source, realm }, deep);
      yield* printJson({ ...report, whole: report.problems.length === 0 });
      if (report.problems.length > 0) {
        yield* failure("log-damaged", `Problems in the log: ${report.problems.length}.`);
      }
    }),
  ).pipe(
    about(
      "Check the page log: numbers, chain of ids, bodies and checksums. Exits with 1 if something is wrong.",
      "Check the page log",
      {
        command: `gamedata ${stream.group} verify --store sqlite:pages.db --deep`,
        description: "Everything",
      },
    ),
  );

const rebuildCommand = Command.make(
  "rebuild",
  stashes,
  Effect.fnUntraced(function* ({ realm, store }) {
    const { rebuild } = yield* operating;
    yield* printJson(yield* rebuild(store, stashKey(realm)));
  }),
).pipe(
  about("Build the derived tables again from the log.", "Build the derived tables again", {
    command: "gamedata stream rebuild --store sqlite:pages.db",
    description: "After an update",
  }),
);

/** The commands of the stash stream. */
export const storeCommands = [
  quarantineCommand(stashStream),
  checkpointCommand,
  pruneCommand(stashStream),
  rebuildCommand,
  verifyCommand(stashStream),
] as const;
