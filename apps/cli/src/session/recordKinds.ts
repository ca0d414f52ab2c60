/**
 * The schemas that a JSON value can be checked against: a record (`Item`), a response body
 * (`PublicStashPage`), or the response of an endpoint (`stashes.get`).
 */
import { type RouteName, routes } from "@game-data/contract/routes";
import { responseSchemas, type Schemas } from "@game-data/sandbox/conformance";
import { recordKinds as records } from "@game-data/schemas/Check";
import { Effect } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";

const kinds: ReadonlyMap<string, Schemas> = new Map<string, Schemas>([
  ...[...records].map(([name, schema]) => [name, [schema]] as const),
  ...(Object.keys(routes) as ReadonlyArray<RouteName>).map(
    (name) => [name, responseSchemas(name)] as const,
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
