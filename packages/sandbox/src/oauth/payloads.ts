/** The answer of `POST /oauth/token` (§4.1). */
import * as Schema from "effect/Schema";

export const TokenResponse = Schema.Struct({
  access_token: Schema.NonEmptyString,
  expires_in: Schema.NullOr(Schema.Natural),
  token_type: Schema.Literal("bearer"),
  scope: Schema.String,
  username: Schema.String,
  sub: Schema.String,
  refresh_token: Schema.optionalKey(Schema.NonEmptyString),
}).annotate({ identifier: "TokenResponse" });
export type TokenResponse = typeof TokenResponse.Type;
