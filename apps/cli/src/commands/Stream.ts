/**
 * `gamedata stream`: follows the public stash stream into a store, and shows its status. `exchange`
 * has the same two commands.
 */
import { type allRealms, gameOneRealms, realmFlag, switchFlag } from "../config/flags.ts";
import { outputFormat, print, printJson } from "@game-data/terminal/Output";
import { connected, settings } from "../config/Settings.ts";
import { Effect } from "effect";
import { Command, Flag } from "effect/cli";

const storeFlag = Flag.String("store").pipe(
  Flag.withDescription("sqlite:FILE, postgres://user:password@host/database or jsonl:FOLDER"),
);
const untilFlag = switchFlag(
  "until-caught-up",
  "Stop at the end of the stream (default: continue until Ctrl-C)",
);
const following = Effect.promise(() => import("../session/followStream.ts"));

/** `follow` for a stream and its realms. */
export const followCommand = <Realm extends (typeof allRealms)[number]>(
  source: "stashes" | "exchange",
  realms: ReadonlyArray<Realm>,
  name = source === "stashes" ? "stream" : "exchange",
) =>
  Command.make(
    "follow",
    { realm: realmFlag(realms), store: storeFlag, untilCaughtUp: untilFlag },
    Effect.fnUntraced(function* ({ realm, ...how }) {
      const { follow } = yield* following;
      const summary = yield* follow(yield* settings, { key: { source, realm }, ...how });
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

/** The command and its subcommands. */
export const streamCommand = Command.make("stream").pipe(
  Command.withDescription("Follow the public stash stream into a store"),
  Command.withSubcommands([
    followCommand("stashes", gameOneRealms),
    statusCommand("stashes", gameOneRealms),
  ]),
  connected,
);
