/**
 * `gamedata doctor` and `gamedata explain`: what is wrong, and what an error means.
 */
import { optionalArgument } from "@game-data/terminal/flags";
import { command, help } from "./command.ts";
import { failure } from "@game-data/terminal/Failure";
import { print, printList } from "@game-data/terminal/Output";
import { table } from "@game-data/terminal/View";
import { Effect, Option } from "effect";
import { checkedSettings, connected } from "../config/Settings.ts";
import { explanationFacts, explanations, explanationsFor, similarTo } from "../output/explain.ts";

/** `gamedata doctor`. */
export const doctorCommand = command(
  "doctor",
  help(
    "Check the configuration: settings, token store, addresses, clock and sign-in. Every problem is shown with the\nnext step. Exits with the code of the first problem.",
    {
      "gamedata doctor": "Check everything",
      "gamedata doctor --json": "For a bug report; holds no secret",
    },
  ),
  {},
  Effect.fnUntraced(function* () {
    const found = yield* checkedSettings;
    const { diagnose, findingLines } = yield* Effect.promise(() => import("../session/doctor.ts"));
    const { failure: failed, findings } = yield* diagnose(found);
    yield* printList(findings, (all) => all.map(findingLines));
    if (failed !== undefined) return yield* failed;
  }),
).pipe(connected);

/** `gamedata explain`. */
export const explainCommand = command(
  "explain",
  help("Explain a failure: its meaning, its exit code and what to do.", {
    "gamedata explain": "List all codes",
    "gamedata explain not-signed-in": "A failure code",
    "gamedata explain RateLimited": "An error of the packages",
    "gamedata explain invalid_grant": "A word on the wire",
  }),
  {
    code: optionalArgument(
      "code",
      "Failure code, error, HTTP status or OAuth code (default: list all codes)",
    ),
  },
  Effect.fnUntraced(function* ({ code }) {
    if (Option.isNone(code)) {
      return yield* printList(explanations(), (entries) =>
        table(
          ["code", "exit", "meaning"],
          entries.map((entry) => [entry.code, entry.exitCode, entry.meaning]),
        ),
      );
    }
    const found = explanationsFor(code.value);
    if (found.length === 0) {
      const similar = similarTo(code.value);
      return yield* failure(
        "unknown-code",
        `No failure code, error or word of the service is called ${code.value}.`,
        similar.length === 0 ? {} : { next: `is it one of these: ${similar.join(", ")}` },
      );
    }
    yield* print(found, (entries) =>
      entries.flatMap((entry, index) => [...(index === 0 ? [] : [""]), explanationFacts(entry)]),
    );
  }),
);
