/**
 * `gamedata doctor` and `gamedata explain`: what is wrong, and what an error means.
 */
import { failure } from "@game-data/terminal/Failure";
import { print, printList } from "@game-data/terminal/Output";
import { table } from "@game-data/terminal/View";
import { Effect, Option } from "effect";
import { Argument, Command } from "effect/cli";
import { checkedSettings, connected } from "../config/Settings.ts";
import { explanationFacts, explanations, explanationsFor, similarTo } from "../output/explain.ts";

/** `gamedata doctor`. */
export const doctorCommand = Command.make(
  "doctor",
  {},
  Effect.fnUntraced(function* () {
    const found = yield* checkedSettings;
    const { diagnose, findingLines } = yield* Effect.promise(() => import("../session/doctor.ts"));
    const { failure: failed, findings } = yield* diagnose(found);
    yield* printList(findings, (all) => all.map(findingLines));
    if (failed !== undefined) return yield* failed;
  }),
).pipe(
  Command.withDescription(
    "Check settings, token store, addresses, clock and sign-in. Every problem is shown with the\nnext step. Exits with the code of the first problem.",
  ),
  Command.withShortDescription("Check settings, addresses, clock, token store and sign-in"),
  Command.withExamples([
    { command: "gamedata doctor", description: "Check everything" },
    { command: "gamedata doctor --json", description: "For a bug report; holds no secret" },
  ]),
  connected,
);

/** `gamedata explain`. */
export const explainCommand = Command.make(
  "explain",
  {
    code: Argument.String("code").pipe(
      Argument.withDescription(
        "Failure code, error, HTTP status or OAuth code (default: list all codes)",
      ),
      Argument.optional,
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
).pipe(
  Command.withDescription("Explain a failure: its meaning, its exit code and what to do."),
  Command.withShortDescription("Explain a failure and what to do about it"),
  Command.withExamples([
    { command: "gamedata explain", description: "List all codes" },
    { command: "gamedata explain not-signed-in", description: "A failure code" },
    { command: "gamedata explain RateLimited", description: "An error of the packages" },
    { command: "gamedata explain invalid_grant", description: "A word on the wire" },
  ]),
);
