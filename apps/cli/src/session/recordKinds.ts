/**
 * What a JSON value can be held against, by the names that people know: a record (`Item`), a
 * response body (`PublicStashPage`), or the answer of an endpoint (`stashes.get`).
 */
import { endpoints } from "@game-data/contract";
import { recordKinds as records } from "@game-data/schemas/Check";
import { Effect, type Schema } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";

/** The schemas of a kind; an endpoint may answer in more than one shape. */
export type Schemas = readonly [Schema.Constraint, ...Array<Schema.Constraint>];

const kinds: ReadonlyMap<string, Schemas> = new Map<string, Schemas>([
  ...[...records].map(([name, schema]) => [name, [schema]] as const),
  ...endpoints
    .filter(({ form, group, name }) => form.of === name && group !== "oauth")
    .map(
      ({ group, name, successes }) =>
        [`${group}.${name}`, [...successes.values()].flat() as unknown as Schemas] as const,
    ),
]);

/** The kinds that there are. */
export const kindNames: ReadonlyArray<string> = [...kinds.keys()];

/** The schemas of a kind, for `check` of `@game-data/schemas/Check`. */
export const schemasOf = (kind: string): Effect.Effect<Schemas, Failure> => {
  const schemas = kinds.get(kind);
  return schemas === undefined
    ? Effect.fail(
        failure("unknown-kind", `There is no record, body or endpoint ${kind}.`, {
          details: { kind },
        }),
      )
    : Effect.succeed(schemas);
};
