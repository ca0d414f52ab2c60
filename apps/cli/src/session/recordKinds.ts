/**
 * The records that a JSON value can be checked against: a record (`Item`), a response body
 * (`PublicStashPage`), or the response of an endpoint (`stashes.get`).
 */
import { bodies } from "@game-data/contract/results";
import { type Route, routes } from "@game-data/contract/routes";
import { recordKinds as records } from "@game-data/schemas/Check";
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import { Effect } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";

/** The records of a kind. An endpoint may have several responses. */
type Records = PlainRecord<unknown> | readonly [PlainRecord<unknown>, PlainRecord<unknown>];

const kinds: ReadonlyMap<string, Records> = new Map<string, Records>([
  ...records,
  ...Object.entries<Route>(routes).map(([name, { results }]) => {
    const [first, second] = Object.values(results).map((body) => bodies[body]);
    return [name, second === undefined ? first! : ([first!, second] as const)] as const;
  }),
]);

/** The names of all kinds. */
export const kindNames: ReadonlyArray<string> = [...kinds.keys()];

/** Returns the records of a kind. */
export const recordsOfKind = (kind: string): Effect.Effect<Records, Failure> => {
  const found = kinds.get(kind);
  return found === undefined
    ? Effect.fail(
        failure("unknown-kind", `Unknown record, body or endpoint: ${kind}.`, {
          details: { kind },
        }),
      )
    : Effect.succeed(found);
};
