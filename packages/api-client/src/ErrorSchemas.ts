/**
 * Schemas of the client's errors, for the `error` of an HttpApi endpoint or of an RPC. The encoded
 * form has no `cause`; decoding returns an instance of the error's class.
 */
import * as Schema from "effect/Schema";
import * as SchemaTransformation from "effect/SchemaTransformation";
import * as Errors from "./Errors.ts";

const callInfo = {
  operation: Schema.String,
  route: Schema.String,
  attempts: Schema.Number,
  status: Schema.optional(Schema.Number),
  code: Schema.optional(Schema.Number),
  detail: Schema.optional(Schema.String),
  requestId: Schema.optional(Schema.String),
  policy: Schema.optional(Schema.String),
};
const retryAfter = { retryAfter: Schema.optional(Schema.DurationFromMillis) };
const scopes = Schema.Array(Schema.String);

/** Makes the Schema of an error class. Decoding returns an instance of the class. */
const errorSchema = <
  const Tag extends string,
  E extends { readonly _tag: Tag },
  const Fields extends Schema.Struct.Fields,
>(
  tag: Tag,
  constructor: new (fields: any) => E,
  fields: Fields,
) =>
  Schema.Struct({ _tag: Schema.tag(tag), ...callInfo, ...fields }).pipe(
    Schema.decodeTo(
      Schema.instanceOf(constructor, { identifier: tag }),
      SchemaTransformation.transform({
        decode: ({ _tag, ...members }: any) => new constructor(members),
        // The struct encodes its own fields only, so `cause` is left out.
        encode: (error): any => ({ ...error, _tag: tag }),
      }),
    ),
  );

export const Unauthorized = errorSchema("Unauthorized", Errors.Unauthorized, {
  reason: Schema.Literals(["no-token", "refused"]),
});
export const Forbidden = errorSchema("Forbidden", Errors.Forbidden, {
  reason: Schema.Literals(["scope", "private", "unknown", "firewall"]),
  scopesNeeded: scopes,
  scopesMissing: scopes,
  ...retryAfter,
});
export const RateLimited = errorSchema("RateLimited", Errors.RateLimited, {
  reason: Schema.Literals(["server", "wait-too-long", "too-many-errors"]),
  ...retryAfter,
});
export const NotFound = errorSchema("NotFound", Errors.NotFound, {});
export const InvalidRequest = errorSchema("InvalidRequest", Errors.InvalidRequest, {});
export const ServerError = errorSchema("ServerError", Errors.ServerError, retryAfter);
export const Timeout = errorSchema("Timeout", Errors.Timeout, {
  reason: Schema.Literals(["attempt", "total"]),
});
export const TransportError = errorSchema("TransportError", Errors.TransportError, {
  reason: Schema.Literals(["connect", "token", "body", "redirect", "limiter", "closed"]),
});
export const ResponseMalformed = errorSchema("ResponseMalformed", Errors.ResponseMalformed, {
  reason: Schema.Literals(["not-json", "shape", "too-large"]),
  issue: Schema.String,
});

/** Schema of all errors of a call, for an endpoint that passes them on. */
export const GameApiError = Schema.Union([
  Unauthorized,
  Forbidden,
  RateLimited,
  NotFound,
  InvalidRequest,
  ServerError,
  Timeout,
  TransportError,
  ResponseMalformed,
]);
