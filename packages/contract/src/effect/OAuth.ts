/**
 * Effect Schemas of the payloads of the OAuth server (§4.1, §5). Their types are in `../OAuth.ts`.
 *
 * These schemas hold to the specification. A client that talks to other servers as well wants more
 * tolerance than this.
 */
import * as Schema from "effect/Schema";
import type * as Types from "../OAuth.ts";
import { oauthErrorCodes } from "../OAuth.ts";

export type * from "../OAuth.ts";
export { oauthErrorCodes } from "../OAuth.ts";

const text = Schema.NonEmptyString;
const optional = /*#__PURE__*/ Schema.optionalKey(Schema.String);
const optionalText = /*#__PURE__*/ Schema.optionalKey(text);
const openWord = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete]);

/** RFC 7636 §4.1: 43 to 128 unreserved characters. */
export const CodeVerifier: Schema.Codec<string> = /*#__PURE__*/ Schema.String.check(
  /*#__PURE__*/ Schema.isPattern(/^[A-Za-z0-9\-._~]{43,128}$/u),
);

/** base64url without padding of the SHA-256 of the verifier: 43 characters (RFC 7636 §4.2). */
export const CodeChallenge: Schema.Codec<string> = /*#__PURE__*/ Schema.String.check(
  /*#__PURE__*/ Schema.isPattern(/^[A-Za-z0-9\-_]{43}$/u),
);

/** Query of `GET /oauth/authorize`; all seven are required (§4.1). */
export const AuthorizeQuery: Schema.Codec<Types.AuthorizeQuery> = /*#__PURE__*/ Schema.Struct({
  client_id: text,
  response_type: Schema.Literal("code"),
  scope: text,
  state: text,
  redirect_uri: text,
  code_challenge: CodeChallenge,
  code_challenge_method: Schema.Literal("S256"),
});

/** Token request with a code. */
export const TokenRequestAuthorizationCode: Schema.Codec<Types.TokenRequestAuthorizationCode> =
  /*#__PURE__*/ Schema.Struct({
    grant_type: Schema.Literal("authorization_code"),
    client_id: text,
    client_secret: optionalText,
    code: text,
    redirect_uri: text,
    scope: optionalText,
    code_verifier: CodeVerifier,
  }).annotate({ identifier: "TokenRequestAuthorizationCode" });

/** Token request of an application for itself; confidential clients only. */
export const TokenRequestClientCredentials: Schema.Codec<Types.TokenRequestClientCredentials> =
  /*#__PURE__*/ Schema.Struct({
    grant_type: Schema.Literal("client_credentials"),
    client_id: text,
    client_secret: text,
    scope: text,
  }).annotate({ identifier: "TokenRequestClientCredentials" });

/** Token request with a refresh token. */
export const TokenRequestRefreshToken: Schema.Codec<Types.TokenRequestRefreshToken> =
  /*#__PURE__*/ Schema.Struct({
    grant_type: Schema.Literal("refresh_token"),
    client_id: text,
    client_secret: optionalText,
    refresh_token: text,
  }).annotate({ identifier: "TokenRequestRefreshToken" });

/** The form of `POST /oauth/token`, told apart by `grant_type`. */
export const TokenRequest: Schema.Codec<Types.TokenRequest> = /*#__PURE__*/ Schema.Union([
  TokenRequestAuthorizationCode,
  TokenRequestClientCredentials,
  TokenRequestRefreshToken,
]);

/** The answer of `POST /oauth/token` (§4.1). */
export const TokenResponse: Schema.Codec<Types.TokenResponse> = /*#__PURE__*/ Schema.Struct({
  access_token: text,
  expires_in: /*#__PURE__*/ Schema.NullOr(Schema.Natural),
  token_type: Schema.Literal("bearer"),
  scope: Schema.String,
  username: Schema.String,
  sub: Schema.String,
  refresh_token: optionalText,
}).annotate({ identifier: "TokenResponse" });

const tokenForm = {
  token: text,
  token_type_hint: optional,
  client_id: optional,
  client_secret: optional,
};

/** The form of `POST /oauth/token/revoke` (RFC 7009 §2.1). */
export const RevokeRequest: Schema.Codec<Types.RevokeRequest> = /*#__PURE__*/ Schema.Struct(
  tokenForm,
).annotate({ identifier: "RevokeRequest" });

/** The form of `POST /oauth/token/introspect` (RFC 7662 §2.1). */
export const IntrospectRequest: Schema.Codec<Types.IntrospectRequest> = /*#__PURE__*/ Schema.Struct(
  tokenForm,
).annotate({ identifier: "IntrospectRequest" });

/** The answer of `POST /oauth/token/introspect` (RFC 7662 §2.2). */
export const IntrospectionResponse: Schema.Codec<Types.IntrospectionResponse> =
  /*#__PURE__*/ Schema.Struct({
    active: Schema.Boolean,
    scope: optional,
    client_id: optional,
    username: optional,
    token_type: optional,
    exp: /*#__PURE__*/ Schema.optionalKey(Schema.Natural),
    iat: /*#__PURE__*/ Schema.optionalKey(Schema.Natural),
    sub: optional,
  }).annotate({ identifier: "IntrospectionResponse" });

/** Error body of the OAuth endpoints (RFC 6749 §5.2). */
export const OAuthErrorBody: Schema.Codec<Types.OAuthErrorBody> = /*#__PURE__*/ Schema.Struct({
  error: openWord(oauthErrorCodes),
  error_description: optional,
  error_uri: optional,
}).annotate({ identifier: "OAuthErrorBody" });
