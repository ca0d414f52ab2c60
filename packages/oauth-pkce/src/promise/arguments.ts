/**
 * Checks of the arguments that a program without types confuses: the result of another step, or a
 * promise that was not awaited.
 */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { configurationError } from "../internal/options.ts";
import { PendingAuthorization } from "../PkceFlow.ts";
import { TokenSet } from "../TokenSet.ts";

/** Makes a check that fails with a `ConfigurationInvalid`, which names the argument. */
const requireType = (argument: string, schema: Schema.Schema<object>, rule: string) => {
  const isValid = Schema.is(schema);
  return (value: unknown) =>
    isValid(value) ? Effect.void : configurationError(argument, `must be ${rule}`);
};

export const requirePending = requireType(
  "pending",
  PendingAuthorization,
  "the pending flow that start or deserializePending returned",
);

export const requireCallback = requireType(
  "callback",
  Schema.Struct({ code: Schema.Redacted(Schema.String), pending: PendingAuthorization }),
  "the awaited result of validateCallback",
);

export const requireTokens = requireType(
  "tokens",
  TokenSet,
  "a TokenSet, such as the awaited result of exchange",
);
