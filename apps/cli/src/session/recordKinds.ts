/**
 * The schemas that a JSON value can be checked against: a record (`Item`), a response body
 * (`PublicStashPage`), or the response of an endpoint (`stashes.get`).
 */
import { bodySchemas } from "@game-data/contract/effect";
import { type Route, routes } from "@game-data/contract/routes";
import { recordKinds as records } from "@game-data/schemas/Check";
import { Effect, type Schema } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";

/** The schemas of a kind. An endpoint may have several responses. */
type Schemas = readonly [Schema.Constraint, ...Array<Schema.Constraint>];

const kinds: ReadonlyMap<string, Schemas> = new Map<string, Schemas>([
  ...[...records].map(([name, schema]) => [name, [schema]] as const),
  ...Object.entries<Route>(routes).map(
    ([name, { results }]) =>
      [
        name,
        Object.values(results).map((body) => bodySchemas[body]) as unknown as Schemas,
      ] as const,
  ),
]);

/** The names of all kinds. */
export const kindNames: ReadonlyArray<string> = [...kinds.keys()];

/** Returns the schemas of a kind. */
export const schemasOf = (kind: string): Effect.Effect<Schemas, Failure> => {
  const schemas = kinds.get(kind);
  return schemas === undefined
    ? Effect.fail(
        failure("unknown-kind", `Unknown record, body or endpoint: ${kind}.`, {
          details: { kind },
        }),
      )
    : Effect.succeed(schemas);
};
