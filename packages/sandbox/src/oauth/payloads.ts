/** The JSON answers of the OAuth server (§4.1, RFC 7662 §2.2). */
import * as Schema from "effect/Schema";

/** The answer of `POST /oauth/token` (§4.1). */
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

/** The answer of `POST /oauth/token/introspect` (RFC 7662 §2.2). */
export interface IntrospectionResponse {
  readonly active: boolean;
  readonly scope?: string;
  readonly client_id?: string;
  readonly username?: string;
  readonly token_type?: string;
  readonly exp?: number;
  readonly iat?: number;
  readonly sub?: string;
}
