/**
 * `gamedata limits`: the rate-limit windows that the service reports, and a forecast.
 */
import { failure } from "@game-data/terminal/Failure";
import { printList } from "@game-data/terminal/Output";
import { connected, settings } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect } from "effect";
import { Command, Flag } from "effect/cli";

/** The command. */
export const limitsCommand = Command.make(
  "limits",
  {
    count: Flag.Int("count").pipe(
      Flag.withDescription("Number of requests to forecast (default: 100)"),
      Flag.withDefault(100),
    ),
  },
  Effect.fnUntraced(function* ({ count }) {
    if (count < 1) return yield* failure("usage", "Invalid --count: use 1 or more.");
    const { liveLimits } = yield* Effect.promise(() => import("../session/liveLimits.ts"));
    const limits = yield* liveLimits(yield* settings, count);
    yield* printList(limits, (all) => tables.limits(count, all));
  }),
).pipe(
  Command.withDescription(
    "Show the rate-limit windows that the service reports now, and how long a number of requests\nwould take. Sends one small request per route.",
  ),
  Command.withShortDescription("Show rate limits and forecast waiting times"),
  Command.withExamples([
    { command: "gamedata limits --count 500", description: "How long do 500 requests take?" },
  ]),
  connected,
);
