/**
 * `gamedata stream`: the public stash stream into a store, and how far it has come.
 */
import { Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { gameOneRealms, realmFlag } from "@game-data/cli-kit/Flags";
import { line } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";

/** `--store`. */
export const storeFlag = Flag.String("store").pipe(
  Flag.withDescription("sqlite:FILE or postgres://user:password@host/database"),
);

/** `--until-caught-up`. */
export const untilCaughtUpFlag = Flag.Boolean("until-caught-up").pipe(
  Flag.withDescription("End at the end of the stream (default: go on until Ctrl-C)"),
  Flag.withDefault(false),
);

const realm = realmFlag(gameOneRealms);

const followCommand = Command.make(
  "follow",
  { realm, store: storeFlag, untilCaughtUp: untilCaughtUpFlag },
  Effect.fnUntraced(function* ({ realm: of, store, untilCaughtUp }) {
    const { follow } = yield* Effect.promise(() => import("../Follow.ts"));
    yield* follow({ key: { source: "stashes", realm: of }, store, untilCaughtUp });
  }),
).pipe(
  Command.withDescription("Follow the stream into a store; goes on where the store stands"),
  Command.withExamples([
    {
      command: "gamedata stream follow --store sqlite:stashes.db --until-caught-up",
      description: "Fetch what is there",
    },
  ]),
);

const statusCommand = Command.make(
  "status",
  { realm, store: storeFlag },
  Effect.fnUntraced(function* ({ realm: of, store }) {
    const { statusOf } = yield* Effect.promise(() => import("../Follow.ts"));
    const status = yield* statusOf({ source: "stashes", realm: of }, store);
    // JSON in any case: scripts rely on it. People get it on several lines.
    yield* line(JSON.stringify(status, undefined, process.stdout.isTTY ? 2 : undefined));
  }),
).pipe(Command.withDescription("How far a store has come, as JSON"));

/** The command and its subcommands. */
export const streamCommand = Command.make("stream").pipe(
  Command.withDescription("The public stash stream"),
  Command.withSubcommands([followCommand, statusCommand]),
  connected,
);
