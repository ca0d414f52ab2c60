/**
 * `gamedata schemas`: holds a file against a record, a response body, or the answer of an endpoint.
 */
import { Effect, Schema } from "effect";
import { Argument, Command } from "effect/cli";
import { failure } from "@game-data/cli-kit/Failure";
import { readJson } from "@game-data/cli-kit/Input";
import { line, note, printList, styled } from "@game-data/cli-kit/Output";

/** The schemas by the names that people know them by. */
const kinds = Effect.promise(async () => {
  const [records, { endpoints }] = await Promise.all([
    import("@game-data/schemas"),
    import("@game-data/contract"),
  ]);
  const known = new Map<string, ReadonlyArray<Schema.Constraint>>();
  for (const [name, value] of Object.entries(records))
    if (Schema.isSchema(value)) known.set(name, [value]);
  for (const { form, group, name, successes } of endpoints)
    if (form.of === name && group !== "oauth")
      known.set(`${group}.${name}`, [...successes.values()].flat());
  return { known, Drift: records.Drift };
});

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
    const { Drift, known } = yield* kinds;
    const candidates = known.get(kind);
    if (candidates === undefined)
      return yield* failure("unknown-kind", `There is no record, body or endpoint ${kind}.`, {
        details: { kind },
      });
    const value = yield* readJson(file);
    // An endpoint may answer in more than one shape: the one that fits best is meant.
    const [departures] = candidates
      .map((schema) => Drift.report(schema, value))
      .toSorted((a, b) => refused(a).length - refused(b).length);
    const issues = refused(departures ?? []);
    const drift = (departures ?? []).filter(({ accepted }) => accepted);
    const verdict = { valid: issues.length === 0, issues, drift };
    // JSON in any case: scripts rely on it. People get it on several lines.
    yield* line(JSON.stringify(verdict, undefined, process.stdout.isTTY ? 2 : undefined));
    if (!verdict.valid)
      return yield* failure("record-invalid", `This is no ${kind}: ${issues.length} issues.`);
    if (process.stdout.isTTY)
      yield* note(styled("green", `Valid; ${drift.length} departures from the specification.`));
  }),
).pipe(
  Command.withDescription(
    "Does a file hold this record, and where does it depart from the specification?",
  ),
  Command.withExamples([
    { command: "gamedata schemas check Item item.json", description: "A record" },
    { command: "gamedata schemas check stashes.get answer.json", description: "An answer" },
  ]),
);

const refused = <A extends { readonly accepted: boolean }>(departures: ReadonlyArray<A>) =>
  departures.filter(({ accepted }) => !accepted);

const kindsCommand = Command.make("kinds", {}, () =>
  Effect.flatMap(kinds, ({ known }) => printList([...known.keys()], (names) => names.join("\n"))),
).pipe(Command.withDescription("The records, bodies and endpoints that there are"));

/** The command and its subcommands. */
export const schemasCommand = Command.make("schemas").pipe(
  Command.withDescription("Check records and answers"),
  Command.withSubcommands([checkCommand, kindsCommand]),
);
