/** `gamedata schemas`: checks a file against a record, a response body or an operation's response. */
import type { Route } from "@game-data/contract/routes";
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import { Effect } from "effect";
import { argument, command, group, load } from "../command.ts";
import { Failure, usage } from "../failures.ts";
import { readJson } from "../files.ts";
import { print, printJson } from "../print.ts";

const loadKinds = Effect.gen(function* () {
  const { recordKinds } = yield* load(() => import("@game-data/schemas/Check"));
  const { bodies } = yield* load(() => import("@game-data/contract/results"));
  const { routes } = yield* load(() => import("@game-data/contract/routes"));
  // The responses of an operation may have two schemas.
  const kinds = new Map<string, ReadonlyArray<PlainRecord<unknown>>>();
  for (const [name, record] of recordKinds) kinds.set(name, [record]);
  for (const [name, { results }] of Object.entries<Route>(routes))
    kinds.set(
      name,
      Object.values(results).map((body) => bodies[body]),
    );
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
      return yield* usage(
        `Unknown record, body or operation: ${kind}.`,
        "list them with: gamedata schemas kinds",
      );
    const { check: checkValue } = yield* load(() => import("@game-data/schemas/Check"));
    const value = yield* readJson(file);
    const verdicts = records.map((record) => checkValue(record, value));
    const [verdict] = verdicts.toSorted((a, b) => a.issues.length - b.issues.length);
    yield* printJson(verdict);
    if (!verdict!.valid)
      return yield* new Failure({
        code: "RecordInvalid",
        message: `Not a valid ${kind}. Issues: ${verdict!.issues.length}.`,
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
