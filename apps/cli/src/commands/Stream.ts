/**
 * `gamedata stream`: follows the public stash stream into a store, and shows its status. `exchange`
 * has the same two commands.
 */
import { command, commands, help } from "./command.ts";
import { outputFormat, print, printJson } from "@game-data/terminal/Output";
import { realmFlag } from "../config/flags.ts";
import {
  choiceFlag,
  omitUndefined,
  type Present,
  switchFlag,
  textFlag,
} from "@game-data/terminal/flags";
import { connected, settings } from "../config/Settings.ts";
import { Effect } from "effect";
import type { Command } from "effect/cli";
import { exportCommand } from "./StreamExport.ts";
import {
  backupCommands,
  countFlag,
  type Followed,
  needsYes,
  stashStream,
  storeFlag,
  storeCommands,
  yesFlag,
} from "./StreamStore.ts";

const untilFlag = switchFlag(
  "until-caught-up",
  "Stop at the end of the stream (default: continue until Ctrl-C)",
);
/** As `keepBytes` of the package, which is loaded for a run alone. */
const LEAST_KEPT_BYTES = 100_000_000;
const following = Effect.promise(() => import("../session/followStream.ts"));

const optionalFlags = {
  from: textFlag("from", "Where an empty store begins: start or a change id"),
  jump: textFlag("jump", "Skip history and continue from this change id; needs --yes"),
  onRejected: textFlag(
    "on-rejected",
    "If the service rejects the change id: halt (default), restart or jump:ID",
  ),
  onPoison: choiceFlag(
    "on-poison",
    ["halt", "skip"],
    "If a page cannot be indexed: halt (default), or skip it into the quarantine",
  ),
  opsPort: countFlag("ops-port", "Serve /metrics and /health on this port", 0, 65_535),
  opsHost: textFlag("ops-host", "Address that they listen on (default: 127.0.0.1)"),
  keepBytes: countFlag(
    "keep-bytes",
    "Bytes of pages that the log keeps, 100 MB at least (default 20 GB)",
    LEAST_KEPT_BYTES,
  ),
  keepDays: countFlag("keep-days", "Days of pages that the log keeps (default: any age)"),
};

/** What these flags say. */
export type FollowOptions = Present<Command.Command.Config.Infer<typeof optionalFlags>>;

/** `follow` for a stream and its realms. */
export const followCommand = ({ group, realms, source }: Followed) =>
  command(
    "follow",
    help(
      "Follow the stream into a store, and resume at the store's checkpoint. Progress is shown on\nstderr; Ctrl-C finishes the open transaction first.",
      {
        [`gamedata ${group} follow --store sqlite:pages.db --until-caught-up`]:
          "Fetch everything up to now",
      },
    ),
    {
      realm: realmFlag(realms),
      store: storeFlag,
      untilCaughtUp: untilFlag,
      yes: yesFlag,
      ...optionalFlags,
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
  );

/** `status` for a stream and its realms. */
export const statusCommand = ({ group, realms, source }: Followed) =>
  command(
    "status",
    help(
      "Print the status of the stream in a store as JSON: next id, counts, lag, quarantined pages.\nRead-only.",
      { [`gamedata ${group} status --store sqlite:pages.db`]: "One store" },
    ),
    { realm: realmFlag(realms), store: storeFlag },
    Effect.fnUntraced(function* ({ realm, store }) {
      const { statusOf } = yield* following;
      const status = yield* statusOf({ source, realm }, store);
      yield* printJson(status);
    }),
  );

/** The command and its subcommands. */
export const streamCommand = commands("stream", "Follow the public stash stream into a store", [
  followCommand(stashStream),
  statusCommand(stashStream),
  ...storeCommands,
  exportCommand,
  ...backupCommands,
]).pipe(connected);
