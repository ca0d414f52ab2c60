/**
 * `gamedata stream …` and `gamedata exchange …` for a store that was followed into: quarantine,
 * checkpoint, pruning, rebuilding, checking, copies.
 */
import { failure } from "@game-data/terminal/Failure";
import { printJson, printList, printText } from "@game-data/terminal/Output";
import { table } from "@game-data/terminal/View";
import { Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { type allRealms, gameOneRealms, realmFlag } from "../config/flags.ts";
import { argument, omitUndefined, switchFlag } from "@game-data/terminal/flags";
import type * as operations from "../session/operateStream.ts";
import type { StoredStream } from "../session/operateStream.ts";
import { command, commands, type Help, help } from "./command.ts";

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

/** A stream of a store: its source, and the realms that it has. */
export interface Followed {
  readonly source: "stashes" | "exchange";
  readonly realms: ReadonlyArray<(typeof allRealms)[number]>;
  /** The group of its commands. */
  readonly group: "stream" | "exchange";
}

/** The public stash stream. */
export const stashStream = { source: "stashes", realms: gameOneRealms, group: "stream" } as const;

type Operations = typeof operations;
const operating: Effect.Effect<Operations> = Effect.promise(
  () => import("../session/operateStream.ts"),
);

/** Makes commands over a store. `run` gets the operations, and which stream of which store. */
const commandsOver =
  ({ realms, source }: Followed) =>
  <const Name extends string, const P extends Command.Command.Config, E, R>(
    name: Name,
    texts: Help,
    parameters: P,
    run: (
      operations: Operations,
      stream: StoredStream,
      values: Command.Command.Config.Infer<P>,
    ) => Effect.Effect<void, E, R>,
  ) => {
    const flags = { realm: realmFlag(realms), store: storeFlag };
    return command(name, texts, { ...flags, ...parameters }, (values) => {
      const { realm, store } = values as Command.Command.Config.Infer<typeof flags>;
      const stream = { store, key: { source, realm } };
      return Effect.flatMap(operating, (all) =>
        run(all, stream, values as unknown as Command.Command.Config.Infer<P>),
      );
    });
  };

/** Prints what an operation returns. */
const printed = <A, E, R>(operation: Effect.Effect<A, E, R>) =>
  Effect.flatMap(operation, printJson);

const printQuarantine = (found: Effect.Success<ReturnType<Operations["listQuarantine"]>>) =>
  printList(found, (rows) =>
    table(
      ["id", "page", "kind", "error", "message"],
      rows.map((row) => [row.id, row.seq, row.kind, row.errorTag, row.message]),
    ),
  );

/** `quarantine` for a stream and its realms. */
export const quarantineCommand = (stream: Followed) => {
  const over = commandsOver(stream);
  const example = (rest: string) => `gamedata ${stream.group} quarantine ${rest}`;
  const id = argument("id", "The record's id");
  return commands("quarantine", "List, show, apply again or give up what could not be applied", [
    over(
      "list",
      help("List changes and pages that could not be applied and were set aside.", {
        [example("list --store sqlite:pages.db")]: "One store",
      }),
      {},
      ({ listQuarantine }, where) => Effect.flatMap(listQuarantine(where), printQuarantine),
    ),
    over(
      "show",
      help("Print the bytes of a quarantined record as the service sent them.", {
        [example("show ID --store sqlite:pages.db")]: "One record",
      }),
      { id },
      ({ showQuarantine }, where, given) =>
        Effect.flatMap(showQuarantine(where, given.id), printText),
    ),
    over(
      "replay",
      help(
        "Apply the quarantined records again with this version. Exits with 76 if some remain.\nA NATS store keeps no rows to apply them to: give a record up with drop.",
        { [example("replay --store sqlite:pages.db")]: "After an update" },
      ),
      {},
      Effect.fnUntraced(function* ({ replayQuarantine }, where) {
        const report = yield* replayQuarantine(where);
        yield* printJson(report);
        if (report.remaining > 0)
          yield* failure("stream-broken", `${report.remaining} records are still unreadable.`, {
            next: `look at them: ${example("show ID --store ADDRESS")}`,
          });
      }),
    ),
    over(
      "drop",
      help("Give up a quarantined record; needs --yes. Its changes stay out of the store.", {
        [example("drop ID --store sqlite:pages.db --yes")]: "One record",
      }),
      { id, yes: yesFlag },
      ({ dropQuarantine }, where, given) =>
        given.yes
          ? printed(dropQuarantine(where, given.id))
          : Effect.fail(needsYes("A dropped record is never applied.")),
    ),
  ]);
};

/** `prune` for a stream and its realms. */
export const pruneCommand = (stream: Followed) =>
  commandsOver(stream)(
    "prune",
    help("Delete the oldest pages of the log, except those that an indexer has not read.", {
      [`gamedata ${stream.group} prune --store sqlite:pages.db --keep-days 7 --dry-run`]:
        "Show what would be deleted",
    }),
    {
      keepBytes: countFlag("keep-bytes", "Bytes of pages to keep", 0),
      keepDays: countFlag("keep-days", "Days of pages to keep", 0),
      dryRun: switchFlag("dry-run", "Show what would be deleted"),
      force: switchFlag("force", "Delete pages that an indexer has not read, too"),
    },
    Effect.fnUntraced(function* ({ prune }, where, { dryRun, force, keepBytes, keepDays }) {
      const { bytes, days } = omitUndefined({ bytes: keepBytes, days: keepDays });
      if (bytes === undefined && days === undefined)
        yield* failure("usage", "Neither --keep-bytes nor --keep-days is given.", {
          next: "add one of them",
        });
      const keep = {
        ...(bytes === undefined ? {} : { bytes }),
        ...(days === undefined ? {} : { millis: days * 86_400_000 }),
      };
      yield* printed(prune(where, keep, { dryRun, force }));
    }),
  );

/** `verify` for a stream and its realms. */
export const verifyCommand = (stream: Followed) =>
  commandsOver(stream)(
    "verify",
    help(
      "Check the page log: numbers, chain of ids, bodies and checksums. Exits with 1 if something is wrong.",
      {
        [`gamedata ${stream.group} verify --store sqlite:pages.db --deep`]: "Everything",
      },
    ),
    { deep: switchFlag("deep", "Compare the bounds of every change with its JSON, too") },
    Effect.fnUntraced(function* ({ verify }, where, { deep }) {
      const report = yield* verify(where, deep);
      yield* printJson({ ...report, whole: report.problems.length === 0 });
      if (report.problems.length > 0)
        yield* failure("log-damaged", `Problems in the log: ${report.problems.length}.`);
    }),
  );

const over = commandsOver(stashStream);

const printCheckpoint = ({ checkpointOf }: Operations, where: StoredStream) =>
  printed(checkpointOf(where));

// Without a subcommand it prints, as `show` does.
const checkpointCommand = over(
  "checkpoint",
  help("Print or move the id from which the stream continues"),
  {},
  printCheckpoint,
).pipe(
  Command.withSubcommands([
    over(
      "show",
      help("Print the id and the position from which the stream continues, as JSON. Read-only.", {
        "gamedata stream checkpoint show --store sqlite:pages.db": "One store",
      }),
      {},
      printCheckpoint,
    ),
    over(
      "set",
      help(
        "Move the checkpoint to another change id; needs --yes. The skipped history is recorded as a gap.\nStop the follower of the stream first.",
        {
          "gamedata stream checkpoint set 2-3-5 --store sqlite:pages.db --yes":
            "Continue from 2-3-5",
        },
      ),
      { id: argument("id", "The change id to continue from"), yes: yesFlag },
      ({ setCheckpoint }, where, { id, yes }) =>
        yes
          ? printed(setCheckpoint(where, id))
          : Effect.fail(needsYes("A new checkpoint skips history.")),
    ),
  ]),
);

const rebuildCommand = over(
  "rebuild",
  help("Build the derived tables again from the log.", {
    "gamedata stream rebuild --store sqlite:pages.db": "After an update",
  }),
  {},
  ({ rebuild }, where) => printed(rebuild(where)),
);

const backupCommand = command(
  "backup",
  help(
    "Copy a SQLite store and its index while it is followed into. Nothing that exists is replaced.",
    {
      "gamedata stream backup /backup/pages.db --store sqlite:pages.db": "A copy of now",
    },
  ),
  { file: argument("file", "The copy to make; FILE.index beside it"), store: storeFlag },
  ({ file, store }) =>
    Effect.flatMap(operating, ({ backupStore }) => printed(backupStore(store, file))),
);

const restoreCommand = command(
  "restore",
  help(
    "Make a SQLite store from a copy, which is checked first. A store that exists is not replaced:\nmove it away before.",
    {
      "gamedata stream restore /backup/pages.db --store sqlite:pages.db": "After a damage",
    },
  ),
  { file: argument("file", "A copy that stream backup made"), store: storeFlag },
  ({ file, store }) =>
    Effect.flatMap(operating, ({ restoreStore }) => printed(restoreStore(file, store))),
);

/** The commands of the stash stream. */
export const storeCommands = [
  quarantineCommand(stashStream),
  checkpointCommand,
  pruneCommand(stashStream),
  rebuildCommand,
  verifyCommand(stashStream),
] as const;

/** `stream backup` and `restore`: a SQLite store as files. */
export const backupCommands = [backupCommand, restoreCommand] as const;
