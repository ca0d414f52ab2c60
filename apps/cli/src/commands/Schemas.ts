/**
 * `gamedata schemas`: checks a file against a record, a response body or the response of an
 * endpoint.
 */
import { argument } from "@game-data/terminal/flags";
import { command, commands, help } from "./command.ts";
import { failure } from "@game-data/terminal/Failure";
import { readJson } from "@game-data/terminal/Input";
import { Host } from "@game-data/terminal/Host";
import { printError, printJson, printList } from "@game-data/terminal/Output";
import { styled } from "@game-data/terminal/View";
import { Effect } from "effect";

const kinds = Effect.promise(() => import("../session/recordKinds.ts"));

const checkCommand = command(
  "check",
  help(
    "Check a JSON file against a record. Prints {valid, issues, drift} as JSON: issues make it\ninvalid, drift lists deviations from the specification. Exits with 65 if it is invalid.",
    {
      "gamedata schemas check Item item.json": "A record",
      "gamedata schemas check stashes.get answer.json": "The response of an endpoint",
    },
  ),
  {
    kind: argument("kind", "Record or body (Item, PublicStashPage), or endpoint (stashes.get)"),
    file: argument("file", "JSON file, or - for standard input"),
  },
  Effect.fnUntraced(function* ({ file, kind }) {
    const { recordsOfKind } = yield* kinds;
    const { check } = yield* Effect.promise(() => import("@game-data/schemas/Check"));
    const verdict = check(yield* recordsOfKind(kind), yield* readJson(file));
    yield* printJson(verdict);
    const { drift, issues } = verdict;
    if (!verdict.valid)
      return yield* failure("record-invalid", `Not a valid ${kind}: ${issues.length} issues.`);
    if ((yield* Host).stdout.isTTY === true)
      yield* printError(
        styled("green", `Valid. ${drift.length} deviations from the specification.`),
      );
  }),
);

const kindsCommand = command(
  "kinds",
  help("List what check accepts: records, bodies and endpoints.", {
    "gamedata schemas kinds": "All names",
  }),
  {},
  () => Effect.flatMap(kinds, ({ kindNames }) => printList(kindNames, (names) => names.join("\n"))),
);

/** The command and its subcommands. */
export const schemasCommand = commands(
  "schemas",
  "Check records and responses against the specification",
  [checkCommand, kindsCommand],
);
