/**
 * `gamedata limits`: the rate-limit windows that the service reports, and a forecast.
 */
import { command, help } from "./command.ts";
import type { RouteLimits } from "@game-data/api-client";
import { failure } from "@game-data/terminal/Failure";
import { listInPlace, printList } from "@game-data/terminal/Output";
import { switchFlag, numberFlag } from "@game-data/terminal/flags";
import { connected, settings } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Duration, Effect, Option, Schedule } from "effect";
import { Flag } from "effect/cli";

/** `gamedata limits`. */
export const limitsCommand = command(
  "limits",
  help(
    "Show the rate-limit windows that the service reports now, and how long a number of requests\nwould take. Sends one small request per route; with --watch, one per route and reading.",
    {
      "gamedata limits --count 500": "How long do 500 requests take?",
      "gamedata limits --watch": "Watch the windows fill and empty",
    },
  ),
  {
    count: numberFlag("count", "Number of requests to forecast (default: 100)", 100),
    watch: switchFlag("watch", "Read the windows again and again, until Ctrl-C"),
    every: numberFlag("every", "Seconds between two readings with --watch (default: 10)", 10),
    readings: Flag.Int("readings").pipe(
      Flag.withDescription("Number of readings with --watch (default: no end)"),
      Flag.optional,
    ),
  },
  Effect.fnUntraced(function* ({ count, every, readings, watch }) {
    if (count < 1) return yield* failure("usage", "Invalid --count: use 1 or more.");
    if (every < 1) return yield* failure("usage", "Invalid --every: use 1 or more.");
    const limit = Option.getOrElse(readings, () => Infinity);
    if (limit < 1) return yield* failure("usage", "Invalid --readings: use 1 or more.");
    const { connectProbes, readLimits } = yield* Effect.promise(
      () => import("../session/liveLimits.ts"),
    );
    const probes = yield* connectProbes(yield* settings);
    const view = (all: ReadonlyArray<RouteLimits>) => tables.limits(count, all);
    if (!watch) return yield* printList(yield* readLimits(probes, count), view);
    const draw = yield* listInPlace;
    yield* Effect.flatMap(readLimits(probes, count), (limits) => draw(limits, view)).pipe(
      Effect.repeat({ schedule: Schedule.spaced(Duration.seconds(every)), times: limit - 1 }),
    );
  }),
).pipe(connected);
