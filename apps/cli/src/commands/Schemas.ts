/**
 * `gamedata schemas`: holds a file against a record, a response body, or the answer of an endpoint.
 */
import { failure } from "@game-data/terminal/Failure";
import { readJson } from "@game-data/terminal/Input";
import { line, note, printList, styled } from "@game-data/terminal/Output";
import { Effect } from "effect";
import { Argument, Command } from "effect/cli";

const kinds = Effect.promise(() => import("../session/recordKinds.ts"));

const checkCommand = Command.make(
  "check",
  {
    kind: Argument.String("kind").pipe(
      Argument.withDescription(
        "A record or body (Item, PublicStashPage), or an endpoint (stashes.get)",
      ),
    ),
    file: Argument.String("file").pipe(
      Argument.withDescription("A JSON file, or - for standard input"),
    ),
  },
  Effect.fnUntraced(function* ({ file, kind }) {
    const { schemasOf } = yield* kinds;
    const { check } = yield* Effect.promise(() => import("@game-data/schemas/Check"));
    const schemas = yield* schemasOf(kind);
    const verdict = check(schemas, yield* readJson(file));
    // JSON in any case: scripts rely on it. People get it on several lines.
    yield* line(JSON.stringify(verdict, undefined, process.stdout.isTTY ? 2 : undefined));
    const { drift, issues } = verdict;
    if (!verdict.valid)
      return yield* failure("record-invalid", `This is no ${kind}: ${issues.length} issues.`);
    if (process.stdout.isTTY)
      yield* note(styled("green", `Valid; ${drift.length} deviations from the specification.`));
  }),
).pipe(
  Command.withDescription(
    "Does a file hold this record, and where does it deviate from the specification?",
  ),
  Command.withExamples([
    { command: "gamedata schemas check Item item.json", description: "A record" },
    { command: "gamedata schemas check stashes.get answer.json", description: "An answer" },
  ]),
);

const kindsCommand = Command.make("kinds", {}, () =>
  Effect.flatMap(kinds, ({ kindNames }) => printList(kindNames, (names) => names.join("\n"))),
).pipe(Command.withDescription("The records, bodies and endpoints that there are"));

/** The command and its subcommands. */
export const schemasCommand = Command.make("schemas").pipe(
  Command.withDescription("Check records and answers"),
  Command.withSubcommands([checkCommand, kindsCommand]),
);
