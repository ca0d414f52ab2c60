import { assert, it } from "@effect/vitest";
import { Schema } from "effect";
import {
  AuthorizeQuery,
  CodeVerifier,
  IntrospectionResponse,
  IntrospectRequest,
  OAuthErrorBody,
  oauthErrorCodes,
  RevokeRequest,
  TokenRequest,
  TokenResponse,
} from "../../src/oauth/payloads.ts";

// The pair of RFC 7636, appendix B.
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const authorize = {
  client_id: "c",
  response_type: "code",
  scope: "account:profile",
  state: "s",
  redirect_uri: "http://127.0.0.1:1/cb",
  code_challenge: challenge,
  code_challenge_method: "S256",
};
const byCode = {
  grant_type: "authorization_code",
  client_id: "c",
  code: "x",
  redirect_uri: authorize.redirect_uri,
  scope: "account:profile",
  code_verifier: verifier,
};
const byCredentials = {
  grant_type: "client_credentials",
  client_id: "c",
  client_secret: "s",
  scope: "service:psapi",
};
const byRefresh = { grant_type: "refresh_token", client_id: "c", refresh_token: "r" };
const token = {
  access_token: "a",
  expires_in: 36_000,
  token_type: "bearer",
  scope: "account:profile",
  username: "Someone",
  sub: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
};

const { scope, sub, username } = token;
const active = { active: true, scope, client_id: "c", username, sub, token_type: "bearer" };

it.each([
  ["AuthorizeQuery", AuthorizeQuery, authorize, Object.keys(authorize)],
  ["TokenRequest", TokenRequest, byCode, ["client_id", "code", "redirect_uri", "code_verifier"]],
  ["TokenRequest", TokenRequest, byCredentials, ["client_id", "client_secret", "scope"]],
  ["TokenRequest", TokenRequest, byRefresh, ["client_id", "refresh_token"]],
  ["TokenRequest", TokenRequest, { ...byRefresh, client_secret: "s" }],
  ["TokenResponse", TokenResponse, { ...token, refresh_token: "r" }],
  ["TokenResponse", TokenResponse, { ...token, expires_in: null }],
  ["RevokeRequest", RevokeRequest, { token: "t", token_type_hint: "unheard_of" }, ["token"]],
  ["IntrospectRequest", IntrospectRequest, { token: "t" }, ["token"]],
  ["IntrospectionResponse", IntrospectionResponse, { active: false }],
  ["IntrospectionResponse", IntrospectionResponse, { ...active, iat: 1, exp: 2 }, ["active"]],
] as ReadonlyArray<[string, Schema.Codec<any>, object, needed?: ReadonlyArray<string>]>)(
  "%s takes what its grant or RFC says, and nothing without what it needs [LM-07, NS-03, NS-04, OA-04]",
  (_, schema, body, needed = []) => {
    const is = Schema.is(schema);
    assert.deepStrictEqual(Schema.decodeUnknownSync(schema)(body), body);
    for (const key of needed) {
      const { [key]: __, ...without } = body as Record<string, unknown>;
      assert.isFalse(is(without), `without ${key}`);
      assert.isFalse(is({ ...body, [key]: "" }), `empty ${key}`);
    }
  },
);

it.each([
  [AuthorizeQuery, authorize, { response_type: ["token"], code_challenge_method: ["plain"] }],
  [AuthorizeQuery, authorize, { code_challenge: [`${challenge}=`] }],
  [TokenRequest, byCode, { grant_type: ["password"] }],
  [TokenResponse, token, { expires_in: [-1, 1.5, "36000", Number.NaN, undefined] }],
  ...Object.keys(token).map((key) => [TokenResponse, token, { [key]: [undefined, {}] }] as const),
  [TokenResponse, token, { refresh_token: [null] }],
  [IntrospectionResponse, active, { active: ["true"], exp: ["2"] }],
  [OAuthErrorBody, {}, { error: [{ code: 2, message: "Invalid query" }] }],
] as ReadonlyArray<readonly [Schema.Codec<any>, object, Record<string, ReadonlyArray<unknown>>]>)(
  "refuses other values %#",
  (schema, body, others) => {
    for (const [key, values] of Object.entries(others))
      for (const value of values) assert.isFalse(Schema.is(schema)({ ...body, [key]: value }), key);
  },
);

it("has a verifier of 43 to 128 unreserved characters", () => {
  for (const good of [verifier, "~".repeat(128)]) assert.isTrue(Schema.is(CodeVerifier)(good));
  for (const bad of ["a".repeat(42), "a".repeat(129), `${verifier}+`])
    assert.isFalse(Schema.is(CodeVerifier)(bad));
});

it("an error has the body of RFC 6749, with open codes", () => {
  for (const error of [...oauthErrorCodes, "later_code"])
    assert.isTrue(Schema.is(OAuthErrorBody)({ error, error_description: "why" }));
});
