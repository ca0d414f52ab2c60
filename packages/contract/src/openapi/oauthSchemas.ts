/** The payloads of the OAuth server (§4.1, §5) as JSON Schemas, by name. */
import type { Json } from "@game-data/schemas/JsonSchema";

/** RFC 6749 §5.2, RFC 7009 §2.2.1 and RFC 6750 §3.1. */
const ERROR_CODES = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "unsupported_token_type",
  "invalid_token",
  "insufficient_scope",
  "server_error",
  "temporarily_unavailable",
];

const any: Json = { type: "string" };
const text: Json = { type: "string", minLength: 1 };
const uint: Json = { type: "integer", minimum: 0 };
const word = (value: string): Json => ({ type: "string", enum: [value] });
const pattern = (source: string): Json => ({ type: "string", pattern: source });

const object = (properties: Readonly<Record<string, Json>>, ...optional: Array<string>): Json => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const credentials = { client_id: text, client_secret: text };

const tokenForm = object(
  { token: text, token_type_hint: any, client_id: any, client_secret: any },
  "token_type_hint",
  "client_id",
  "client_secret",
);

/** The parameters of `GET /oauth/authorize`, all of them required. */
export const authorizeParameters: Readonly<Record<string, Json>> = {
  client_id: text,
  response_type: word("code"),
  scope: text,
  state: text,
  redirect_uri: text,
  code_challenge: pattern("^[A-Za-z0-9\\-_]{43}$"),
  code_challenge_method: word("S256"),
};

/** The forms, responses and errors by name. */
export const oauthSchemas = {
  OAuthErrorBody: object(
    { error: { ...any, examples: ERROR_CODES }, error_description: any, error_uri: any },
    "error_description",
    "error_uri",
  ),
  TokenResponse: object(
    {
      access_token: text,
      expires_in: { type: ["integer", "null"], minimum: 0 },
      token_type: word("bearer"),
      scope: any,
      username: any,
      sub: any,
      refresh_token: text,
    },
    "refresh_token",
  ),
  IntrospectionResponse: object(
    {
      active: { type: "boolean" },
      scope: any,
      client_id: any,
      username: any,
      token_type: any,
      exp: uint,
      iat: uint,
      sub: any,
    },
    "scope",
    "client_id",
    "username",
    "token_type",
    "exp",
    "iat",
    "sub",
  ),
  TokenRequestAuthorizationCode: object(
    {
      grant_type: word("authorization_code"),
      ...credentials,
      code: text,
      redirect_uri: text,
      scope: text,
      code_verifier: pattern("^[A-Za-z0-9\\-._~]{43,128}$"),
    },
    "client_secret",
    "scope",
  ),
  TokenRequestClientCredentials: object({
    grant_type: word("client_credentials"),
    ...credentials,
    scope: text,
  }),
  TokenRequestRefreshToken: object(
    { grant_type: word("refresh_token"), ...credentials, refresh_token: text },
    "client_secret",
  ),
  RevokeRequest: tokenForm,
  IntrospectRequest: tokenForm,
} as const;
