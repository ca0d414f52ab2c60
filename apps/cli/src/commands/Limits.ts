/**
 * `gamedata limits`: the rate-limit windows as the service reports them now, and how long a number
 * of requests would take.
 */
import { failure } from "@game-data/terminal/Failure";
import { printList } from "@game-data/terminal/Output";
import { connected, settings } from "@game-data/terminal/Settings";
import * as Views from "../output/tables.ts";
import { Effect } from "effect";
import { Command, Flag } from "effect/cli";

/** The command. */
export const limitsCommand = Command.make(
  "limits",
  {
    count: Flag.Int("count").pipe(
      Flag.withDescription("Requests to forecast"),
      Flag.withDefault(100),
    ),
  },
  Effect.fnUntraced(function* ({ count }) {
    if (count < 1) return yield* failure("usage", "--count begins at 1.");
    const { liveLimits } = yield* Effect.promise(() => import("../session/liveLimits.ts"));
    const limits = yield* liveLimits(yield* settings, count);
    yield* printList(limits, (all) => Views.limits(count, all));
  }),
).pipe(
  Command.withDescription("The rate-limit windows now, and how long requests would take"),
  connected,
);
