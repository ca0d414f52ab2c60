/**
 * `gamedata stream`: follows the public stash stream or the currency exchange into a store, and
 * operates the store.
 */
import { Effect } from "effect";
import type { Command } from "effect/cli";
import {
  choiceFlag,
  countFlag,
  type Given,
  given,
  group,
  load,
  switchFlag,
  textFlag,
} from "../command.ts";
import { connected } from "../config.ts";
import { outputFormat, print } from "../print.ts";
import { needsYes, over, storeCommands, yes } from "./streamStore.ts";

/** As `keepBytes` of the package, which is loaded for a run alone. */
const LEAST_KEPT_BYTES = 100_000_000;

const followFlags = {
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
    "Bytes of pages that the log keeps, 100 MB at least (default: 20 GB)",
    LEAST_KEPT_BYTES,
  ),
  keepDays: countFlag("keep-days", "Days of pages that the log keeps (default: any age)"),
};

/** What these flags say. */
export type FollowOptions = Given<Command.Command.Config.Infer<typeof followFlags>>;

const follow = over(
  "follow",
  [
    "Follow the stream into a store, and resume at the store's checkpoint. Progress is shown on stderr; Ctrl-C finishes the open transaction first.",
    "gamedata stream follow --store sqlite:pages.db --until-caught-up",
    "gamedata stream follow --source exchange --store sqlite:pages.db",
  ],
  {
    untilCaughtUp: switchFlag("until-caught-up", "Stop at the end (default: continue)"),
    yes,
    ...followFlags,
  },
  Effect.fnUntraced(function* (stored, { untilCaughtUp, yes: isConfirmed, ...optional }) {
    const options: FollowOptions = given(optional);
    if (options.jump !== undefined && !isConfirmed) return yield* needsYes("--jump skips history.");
    const { follow: run } = yield* load(() => import("../follow.ts"));
    const summary = yield* run({ ...stored, untilCaughtUp, ...options });
    // People have read the summary on stderr.
    if ((yield* outputFormat) !== "table") yield* print(summary);
  }),
);

export const stream = group("stream", "Follow a stream into a store, and operate the store", [
  follow,
  ...storeCommands,
]).pipe(connected);
