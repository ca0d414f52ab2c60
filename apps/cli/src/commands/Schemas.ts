/**
 * `gamedata schemas`: checks a file against a record, a response body or the response of an
 * endpoint.
 */
import { failure } from "@game-data/terminal/Failure";
import { readJson } from "@game-data/terminal/Input";
import { Host } from "@game-data/terminal/Host";
import { printError, printJson, printList } from "@game-data/terminal/Output";
import { styled } from "@game-data/terminal/View";
import { Effect } from "effect";
import { Argument, Command } from "effect/cli";

const kinds = Effect.promise(() => import("../session/recordKinds.ts"));

const checkCommand = Command.make(
  "check",
  {
    kind: Argument.String("kind").pipe(
      Argument.withDescription("Record or body (Item, PublicStashPage), or endpoint (stashes.get)"),
    ),
    file: Argument.String("file").pipe(
      Argument.withDescription("JSON file, or - for standard input"),
    ),
  },
  Effect.fnUntraced(function* ({ file, kind }) {
    const { schemasOf } = yield* kinds;
    const { check } = yield* Effect.promise(() => import("@game-data/schemas/Check"));
    const schemas = yield* schemasOf(kind);
    const verdict = check(schemas, yield* readJson(file));
    yield* printJson(verdict);
    const { drift, issues } = verdict;
    if (!verdict.valid)
      return yield* failure("record-invalid", `Not a valid ${kind}: ${issues.length} issues.`);
    if ((yield* Host).stdout.isTTY === true)
      yield* printError(
        styled("green", `Valid. ${drift.length} deviations from the specification.`),
      );
  }),
).pipe(
  Command.withDescription(
    "Check a JSON file against a record. Prints {valid, issues, drift} as JSON: issues make it\ninvalid, drift lists deviations from the specification. Exits with 65 if it is invalid.",
  ),
  Command.withShortDescription("Check a JSON file against a record"),
  Command.withExamples([
    { command: "gamedata schemas check Item item.json", description: "A record" },
    {
      command: "gamedata schemas check stashes.get answer.json",
      description: "The response of an endpoint",
    },
  ]),
);

const kindsCommand = Command.make("kinds", {}, () =>
  Effect.flatMap(kinds, ({ kindNames }) => printList(kindNames, (names) => names.join("\n"))),
).pipe(
  Command.withDescription("List the records, bodies and endpoints that check accepts."),
  Command.withShortDescription("List records, bodies and endpoints"),
  Command.withExamples([{ command: "gamedata schemas kinds", description: "All names" }]),
);

/** The command and its subcommands. */
export const schemasCommand = Command.make("schemas").pipe(
  Command.withDescription("Check records and responses against the specification"),
  Command.withSubcommands([checkCommand, kindsCommand]),
);
