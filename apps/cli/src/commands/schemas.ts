/** `gamedata schemas`: checks a file against a record, a response body or an operation's response. */
import type { Route } from "@game-data/contract/routes";
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import { Effect } from "effect";
import { argument, command, group, load } from "../command.ts";
import { Failure } from "../failures.ts";
import { readJson } from "../input.ts";
import { print, printJson } from "../print.ts";

/** The records of a kind. An operation may have two responses. */
type Kind = PlainRecord<unknown> | readonly [PlainRecord<unknown>, PlainRecord<unknown>];

const loadKinds = Effect.gen(function* () {
  const { recordKinds } = yield* load(() => import("@game-data/schemas/Check"));
  const { bodies } = yield* load(() => import("@game-data/contract/results"));
  const { routes } = yield* load(() => import("@game-data/contract/routes"));
  const kinds = new Map<string, Kind>(recordKinds);
  for (const [name, { results }] of Object.entries<Route>(routes)) {
    const [first, second] = Object.values(results).map((body) => bodies[body]);
    kinds.set(name, second === undefined ? first! : [first!, second]);
  }
  return kinds;
});

const check = command(
  "check",
  [
    "Check a JSON file against a record. Prints {valid, issues, drift} as JSON: issues make it invalid, drift lists deviations from the specification. Exits with 65 if it is invalid.",
    "gamedata schemas check Item item.json",
    "gamedata schemas check stashes.get answer.json",
  ],
  {
    kind: argument("kind", "Record or body (Item, PublicStashPage), or operation (stashes.get)"),
    file: argument("file", "JSON file, or - for standard input"),
  },
  Effect.fnUntraced(function* ({ file, kind }) {
    const records = (yield* loadKinds).get(kind);
    if (records === undefined)
      return yield* new Failure({
        code: "Usage",
        message: `Unknown record, body or operation: ${kind}.`,
        next: "list them with: gamedata schemas kinds",
      });
    const { check: checkValue } = yield* load(() => import("@game-data/schemas/Check"));
    const verdict = checkValue(records, yield* readJson(file));
    yield* printJson(verdict);
    if (!verdict.valid)
      return yield* new Failure({
        code: "RecordInvalid",
        message: `Not a valid ${kind}: ${verdict.issues.length} issues.`,
      });
  }),
);

const kinds = command(
  "kinds",
  ["List what check accepts: records, bodies and operations.", "gamedata schemas kinds"],
  {},
  () => Effect.flatMap(loadKinds, (known) => print([...known.keys()])),
);

export const schemas = group("schemas", "Check records against the specification", [check, kinds]);
