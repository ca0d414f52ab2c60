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

const without = (object: object, key: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
const refusesWithout = (schema: Schema.Codec<any>, body: object, keys: ReadonlyArray<string>) => {
  assert.isTrue(Schema.is(schema)(body));
  for (const key of keys) {
    assert.isFalse(Schema.is(schema)(without(body, key)), `without ${key}`);
    assert.isFalse(Schema.is(schema)({ ...body, [key]: "" }), `empty ${key}`);
  }
};

describe("an authorization request", () => {
  it("has seven parameters, all required", () => {
    assert.lengthOf(Object.keys(authorize), 7);
    refusesWithout(AuthorizeQuery, authorize, Object.keys(authorize));
  });
  it("asks for a code with S256 and nothing else", () => {
    const is = Schema.is(AuthorizeQuery);
    assert.isFalse(is({ ...authorize, response_type: "token" }));
    assert.isFalse(is({ ...authorize, code_challenge_method: "plain" }));
    assert.isFalse(is({ ...authorize, code_challenge: `${challenge}=` }));
  });
  it("comes back with code and state, or with an error", () => {
    assert.isTrue(Schema.is(AuthorizeSuccess)({ code: "x", state: "s" }));
    assert.isFalse(Schema.is(AuthorizeSuccess)({ code: "x" }));
    assert.isTrue(Schema.is(AuthorizeFailure)({ error: "access_denied", state: "s" }));
    assert.isTrue(Schema.is(AuthorizeFailure)({ error: "later_code" }));
  });
});

describe("a token request", () => {
  it("is a form", () => {
    const { requestBody } = openApiDocument().paths["/oauth/token"]!["post"] as any;
    assert.deepStrictEqual(Object.keys(requestBody.content), ["application/x-www-form-urlencoded"]);
  });
  it("is told apart by its grant type", () => {
    for (const body of [byCode, byCredentials, byRefresh])
      assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(TokenRequest)(body), body);
    assert.isFalse(Schema.is(TokenRequest)({ ...byCode, grant_type: "password" }));
  });
  it("needs what its grant needs; the secret only where the client must have one", () => {
    refusesWithout(TokenRequest, byCode, ["client_id", "code", "redirect_uri", "code_verifier"]);
    refusesWithout(TokenRequest, byCredentials, ["client_id", "client_secret", "scope"]);
    refusesWithout(TokenRequest, byRefresh, ["client_id", "refresh_token"]);
    assert.isTrue(Schema.is(TokenRequest)({ ...byRefresh, client_secret: "s" }));
  });
  it("has a verifier of 43 to 128 unreserved characters", () => {
    const is = Schema.is(CodeVerifier);
    assert.isTrue(is(verifier));
    assert.isTrue(is("~".repeat(128)));
    for (const bad of ["a".repeat(42), "a".repeat(129), `${verifier}+`]) assert.isFalse(is(bad));
  });
});

describe("a token response", () => {
  it("says when the token expires, or null for client credentials [LM-07]", () => {
    assert.isTrue(Schema.is(TokenResponse)({ ...token, refresh_token: "r" }));
    assert.isTrue(Schema.is(TokenResponse)({ ...token, expires_in: null }));
    for (const expires_in of [-1, 1.5, "36000", Number.NaN, undefined])
      assert.isFalse(Schema.is(TokenResponse)({ ...token, expires_in }));
  });
  it("has every member but the refresh token", () => {
    for (const key of Object.keys(token))
      assert.isFalse(Schema.is(TokenResponse)(without(token, key)), key);
    assert.isFalse(Schema.is(TokenResponse)({ ...token, refresh_token: null }));
  });
});

describe("where the specification shows no payload", () => {
  it("revoke takes the form of RFC 7009 and answers 200 with an empty body [NS-03, OA-03]", () => {
    assert.isTrue(Schema.is(RevokeRequest)({ token: "t" }));
    assert.isTrue(Schema.is(RevokeRequest)({ token: "t", token_type_hint: "unheard_of" }));
    assert.isFalse(Schema.is(RevokeRequest)({ token: "" }));
    const { requestBody, responses } = openApiDocument().paths["/oauth/token/revoke"]![
      "post"
    ] as any;
    assert.deepStrictEqual(Object.keys(requestBody.content), ["application/x-www-form-urlencoded"]);
    assert.deepStrictEqual(Object.keys(responses), ["200", "4XX", "5XX"]);
    assert.notProperty(responses[200], "content");
  });
  it("introspect takes and answers the payloads of RFC 7662 [NS-04, OA-04]", () => {
    assert.isTrue(Schema.is(IntrospectRequest)({ token: "t" }));
    assert.isFalse(Schema.is(IntrospectRequest)({}));
    assert.isTrue(Schema.is(IntrospectionResponse)({ active: false }));
    assert.isTrue(
      Schema.is(IntrospectionResponse)({
        active: true,
        scope: token.scope,
        client_id: "c",
        username: token.username,
        sub: token.sub,
        token_type: "bearer",
        iat: 1,
        exp: 2,
      }),
    );
    assert.isFalse(Schema.is(IntrospectionResponse)({ active: "true" }));
    assert.isFalse(Schema.is(IntrospectionResponse)({ active: true, exp: "2" }));
  });
});

describe("an OAuth error", () => {
  it("has the body of RFC 6749, with open codes", () => {
    for (const error of [...oauthErrorCodes, "later_code"])
      assert.isTrue(Schema.is(OAuthErrorBody)({ error, error_description: "why" }));
    assert.isFalse(Schema.is(OAuthErrorBody)({ error: { code: 2, message: "Invalid query" } }));
  });
});
