/**
 * `gamedata stream`: the public stash stream into a store, and how far it has come. `exchange` has
 * the same two commands.
 */
import { type allRealms, gameOneRealms, realmFlag, switchFlag } from "@game-data/terminal/Flags";
import { Json, line, Ndjson } from "@game-data/terminal/Output";
import { connected, settings } from "@game-data/terminal/Settings";
import { Effect } from "effect";
import { Command, Flag } from "effect/cli";

const storeFlag = Flag.String("store").pipe(
  Flag.withDescription("sqlite:FILE, postgres://user:password@host/database or jsonl:FOLDER"),
);
const untilFlag = switchFlag(
  "until-caught-up",
  "End at the end of the stream (default: go on until Ctrl-C)",
);
const following = Effect.promise(() => import("../session/followStream.ts"));

/** `follow` of a stream in the realms that it has. */
export const followCommand = <Realm extends (typeof allRealms)[number]>(
  source: "stashes" | "exchange",
  realms: ReadonlyArray<Realm>,
) =>
  Command.make(
    "follow",
    { realm: realmFlag(realms), store: storeFlag, untilCaughtUp: untilFlag },
    Effect.fnUntraced(function* ({ realm, ...how }) {
      const { follow } = yield* following;
      const summary = yield* follow(yield* settings, { key: { source, realm }, ...how });
      if ((yield* Json) || (yield* Ndjson)) yield* line(JSON.stringify(summary));
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

/** `status` of a stream in the realms that it has. */
export const statusCommand = <Realm extends (typeof allRealms)[number]>(
  source: "stashes" | "exchange",
  realms: ReadonlyArray<Realm>,
) =>
  Command.make(
    "status",
    { realm: realmFlag(realms), store: storeFlag },
    Effect.fnUntraced(function* ({ realm, store }) {
      const { statusOf } = yield* following;
      const status = yield* statusOf({ source, realm }, store);
      // JSON in any case: scripts rely on it. People get it on several lines.
      yield* line(JSON.stringify(status, undefined, process.stdout.isTTY ? 2 : undefined));
    }),
  ).pipe(Command.withDescription("How far a store has come, as JSON"));

/** The command and its subcommands. */
export const streamCommand = Command.make("stream").pipe(
  Command.withDescription("The public stash stream"),
  Command.withSubcommands([
    followCommand("stashes", gameOneRealms),
    statusCommand("stashes", gameOneRealms),
  ]),
  connected,
);
