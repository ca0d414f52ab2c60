import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import {
  AuthorizeFailure,
  AuthorizeQuery,
  AuthorizeSuccess,
  CodeVerifier,
  IntrospectionResponse,
  IntrospectRequest,
  OAuthErrorBody,
  oauthErrorCodes,
  RevokeRequest,
  TokenRequest,
  TokenResponse,
} from "../src/effect/index.ts";
import { openApiDocument } from "../src/openapi/index.ts";

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

/** A payload that a schema takes, with the members without which, or empty, it is refused. */
const check = (schema: Schema.Codec<any>, body: object, needed: ReadonlyArray<string> = []) => {
  const is = Schema.is(schema);
  assert.isTrue(is(body), JSON.stringify(body));
  for (const key of needed) {
    const { [key]: _, ...without } = body as Record<string, unknown>;
    assert.isFalse(is(without), `without ${key}`);
    assert.isFalse(is({ ...body, [key]: "" }), `empty ${key}`);
  }
};
/** Other values of a member, which are refused. */
const checkRefused = (schema: Schema.Codec<any>, body: object, others: object) => {
  for (const [key, values] of Object.entries(others) as Array<[string, ReadonlyArray<unknown>]>)
    for (const value of values) assert.isFalse(Schema.is(schema)({ ...body, [key]: value }), key);
};
const operation = (path: string): any => openApiDocument().paths[path]!["post"];

describe("an authorization request", () => {
  it("has seven parameters, all required", () => {
    assert.lengthOf(Object.keys(authorize), 7);
    check(AuthorizeQuery, authorize, Object.keys(authorize));
  });
  it("asks for a code with S256 and nothing else", () =>
    checkRefused(AuthorizeQuery, authorize, {
      response_type: ["token"],
      code_challenge_method: ["plain"],
      code_challenge: [`${challenge}=`],
    }));
  it("comes back with code and state, or with an error", () => {
    check(AuthorizeSuccess, { code: "x", state: "s" }, ["code", "state"]);
    check(AuthorizeFailure, { error: "access_denied", state: "s" });
    check(AuthorizeFailure, { error: "later_code" });
  });
});

describe("a token request", () => {
  it("is a form", () => {
    const { content } = operation("/oauth/token").requestBody;
    assert.deepStrictEqual(Object.keys(content), ["application/x-www-form-urlencoded"]);
  });
  it("is told apart by its grant type", () => {
    for (const body of [byCode, byCredentials, byRefresh])
      assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(TokenRequest)(body), body);
    checkRefused(TokenRequest, byCode, { grant_type: ["password"] });
  });
  it("needs what its grant needs; the secret only where the client must have one", () => {
    check(TokenRequest, byCode, ["client_id", "code", "redirect_uri", "code_verifier"]);
    check(TokenRequest, byCredentials, ["client_id", "client_secret", "scope"]);
    check(TokenRequest, byRefresh, ["client_id", "refresh_token"]);
    check(TokenRequest, { ...byRefresh, client_secret: "s" });
  });
  it("has a verifier of 43 to 128 unreserved characters", () => {
    for (const good of [verifier, "~".repeat(128)]) assert.isTrue(Schema.is(CodeVerifier)(good));
    for (const bad of ["a".repeat(42), "a".repeat(129), `${verifier}+`])
      assert.isFalse(Schema.is(CodeVerifier)(bad));
  });
});

describe("a token response", () => {
  it("says when the token expires, or null for client credentials [LM-07]", () => {
    check(TokenResponse, { ...token, refresh_token: "r" });
    check(TokenResponse, { ...token, expires_in: null });
    const expires_in = [-1, 1.5, "36000", Number.NaN, undefined];
    checkRefused(TokenResponse, token, { expires_in });
  });
  it("has every member but the refresh token", () => {
    for (const key of Object.keys(token))
      checkRefused(TokenResponse, token, { [key]: [undefined, {}] });
    checkRefused(TokenResponse, token, { refresh_token: [null] });
  });
});

describe("where the specification shows no payload", () => {
  it("revoke takes the form of RFC 7009 and answers 200 with an empty body [NS-03, OA-03]", () => {
    check(RevokeRequest, { token: "t", token_type_hint: "unheard_of" }, ["token"]);
    const { requestBody, responses } = operation("/oauth/token/revoke");
    assert.deepStrictEqual(Object.keys(requestBody.content), ["application/x-www-form-urlencoded"]);
    assert.deepStrictEqual(Object.keys(responses), ["200", "4XX", "5XX"]);
    assert.notProperty(responses[200], "content");
  });
  it("introspect takes and answers the payloads of RFC 7662 [NS-04, OA-04]", () => {
    check(IntrospectRequest, { token: "t" }, ["token"]);
    const { scope, sub, username } = token;
    const times = { iat: 1, exp: 2 };
    const active = { active: true, scope, client_id: "c", username, sub, token_type: "bearer" };
    check(IntrospectionResponse, { active: false });
    check(IntrospectionResponse, { ...active, ...times }, ["active"]);
    checkRefused(IntrospectionResponse, active, { active: ["true"], exp: ["2"] });
  });
});

describe("an OAuth error", () => {
  it("has the body of RFC 6749, with open codes", () => {
    for (const error of [...oauthErrorCodes, "later_code"])
      check(OAuthErrorBody, { error, error_description: "why" });
    checkRefused(OAuthErrorBody, {}, { error: [{ code: 2, message: "Invalid query" }] });
  });
});
