/** The rows of the error table that `/oauth/token` answers, each a test named after it; and PKCE. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { basic, DESKTOP, errorOf, openSandbox, pkce, WEB } from "./harness.ts";

const sandbox = await openSandbox();

type Changes = Record<string, string | undefined>;
type Send = () => Promise<Response>;

/** The answer, which has to be an error: 401 for the client (RFC 6749 §5.2), 400 for all else. */
const expectError = async (answer: Response | Promise<Response>, error: string) => {
  const response = await answer;
  const status = error === "invalid_client" ? 401 : 400;
  expect([response.status, (await errorOf(response)).error]).toEqual([status, error]);
  return response;
};

/** An exchange of a fresh code with changes to its form. */
const exchange = async (changes: Changes = {}) =>
  sandbox.exchange(await sandbox.codeFor(), changes);
const form = async (changes: Changes = {}) =>
  sandbox.exchangeForm(await sandbox.codeFor(), changes);
const post = (body: Record<string, string> | string, headers?: Record<string, string>) =>
  sandbox.post("/oauth/token", body, headers);

const EXCHANGED = ["code", "redirect_uri", "code_verifier", "grant_type", "client_id"];
const OTHER = {
  client_id: "example-no-refresh",
  client_secret: sandbox.secretOf("example-no-refresh"),
};

describe("400 invalid_request [OA-15] [OA-17] [OA-22] [OA-23] [OA-25] [OA-26] [ER-08]", () => {
  it.each<[string, Send]>([
    [
      "a JSON body",
      async () => post(JSON.stringify(await form()), { "content-type": "application/json" }),
    ],
    ["a multipart body", () => post("x", { "content-type": "multipart/form-data; boundary=x" })],
    ["an empty body", () => post("")],
    ...EXCHANGED.flatMap((name): Array<[string, Send]> => [
      [`no ${name}`, () => exchange({ [name]: undefined })],
      [`an empty ${name}`, () => exchange({ [name]: "" })],
    ]),
    ...[...EXCHANGED, "client_secret"].map((name): [string, Send] => [
      `a repeated ${name}`,
      async () => {
        const doubled = new URLSearchParams(await form());
        doubled.append(name, doubled.get(name) ?? "");
        return post(String(doubled));
      },
    ]),
    ...["short", "a".repeat(42), "a".repeat(129), `${"a".repeat(43)}!`].map(
      (verifier): [string, Send] => [
        `a malformed code_verifier: ${verifier}`,
        () => exchange({ code_verifier: verifier }),
      ],
    ),
    ["refresh_token without refresh_token", () => sandbox.refresh(undefined)],
    ["a refresh without client_id", () => sandbox.refresh("x", WEB.id, { client_id: "" })],
    [
      "client_credentials without client_id",
      () => sandbox.clientCredentials("service:psapi", WEB.id, { client_id: "" }),
    ],
    [
      "both Basic and a secret in the body",
      async () => post(await form(), basic(`${WEB.id}:${sandbox.secretOf(WEB.id)}`)),
    ],
    [
      "another client beside Basic",
      async () => post(await form({ ...OTHER, client_secret: undefined }), basic(`${WEB.id}:x`)),
    ],
    [
      "a secret in the query",
      async () => sandbox.post("/oauth/token?client_secret=x", await form()),
    ],
    [
      "the form in the query",
      async () => sandbox.post(`/oauth/token?${new URLSearchParams(await form())}`, ""),
    ],
  ])("the token endpoint answers invalid_request for %s", async (_, send) => {
    await expectError(send(), "invalid_request");
  });
});

describe("401 invalid_client [OA-18] [OA-19] [OA-20] [OA-36]", () => {
  const none = { client_secret: "" };
  it.each<[string, Send]>([
    ["an unknown client", () => exchange({ client_id: "nobody" })],
    ["no secret at the exchange", () => exchange({ client_secret: undefined })],
    ["no secret at a refresh", () => sandbox.refresh("x", WEB.id, none)],
    [
      "no secret with client credentials",
      () => sandbox.clientCredentials("service:psapi", WEB.id, none),
    ],
    [
      "a secret for a public client",
      () => exchange({ client_id: DESKTOP.id, client_secret: "anything" }),
    ],
  ])("the token endpoint answers invalid_client for %s", async (_, send) => {
    await expectError(send(), "invalid_client");
  });
  it("invalid_client has a challenge only if the wrong secret was sent by HTTP Basic", async () => {
    const inBody = await expectError(exchange({ client_secret: "wrong" }), "invalid_client");
    expect(inBody.headers.get("www-authenticate")).toBeNull();
    const without = await form({ client_secret: undefined });
    const byBasic = await expectError(post(without, basic(`${WEB.id}:wrong`)), "invalid_client");
    expect(byBasic.headers.get("www-authenticate")).toMatch(/^Basic /u);
  });
});

describe("400 invalid_grant [OA-12] [OA-23] [OA-25]", () => {
  it.each<[string, Changes]>([
    ["an unknown code", { code: "unknown" }],
    ["a wrong verifier", { code_verifier: pkce().verifier }],
    ["another redirect_uri", { redirect_uri: `${WEB.redirectUri}/` }],
    ["a redirect_uri with a query", { redirect_uri: `${WEB.redirectUri}?x=1` }],
    ["another client's code", OTHER],
  ])("a token request with %s gets invalid_grant, and the code stays valid", async (_, changes) => {
    const flow = await sandbox.codeFor();
    await expectError(sandbox.exchange(flow, changes), "invalid_grant");
    expect((await sandbox.exchange(flow)).status).toBe(200);
  });
  it("the token endpoint answers invalid_grant if the verifier is the challenge itself (plain)", async () => {
    const { challenge } = pkce();
    const flow = await sandbox.codeFor({ code_challenge: challenge });
    await expectError(sandbox.exchange(flow, { code_verifier: challenge }), "invalid_grant");
  });
  it("an exchange with another port in the redirect URI gets invalid_grant", async () => {
    const redirect_uri = "http://127.0.0.1:5001/callback";
    const flow = await sandbox.codeFor({ client_id: DESKTOP.id, redirect_uri });
    const elsewhere = { redirect_uri: redirect_uri.replace("5001", "5002") };
    await expectError(sandbox.exchange(flow, elsewhere), "invalid_grant");
  });
  it("a refresh token that is unknown, another client's, or an access token gets invalid_grant", async () => {
    await expectError(sandbox.refresh("unknown"), "invalid_grant");
    const tokens = await sandbox.tokensFor();
    await expectError(sandbox.refresh(tokens.access_token), "invalid_grant");
    await expectError(sandbox.refresh(tokens.refresh_token, DESKTOP.id), "invalid_grant");
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe("400 unauthorized_client [OA-38] [OA-49]", () => {
  it.each<[string, Send]>([
    [
      "client_credentials of a public client",
      () => sandbox.clientCredentials("account:profile", DESKTOP.id),
    ],
    [
      "authorization_code of a client without it",
      () => {
        const client_secret = sandbox.secretOf("example-service");
        return exchange({ client_id: "example-service", client_secret });
      },
    ],
    [
      "refresh_token of an application that has refresh tokens turned off",
      () => sandbox.refresh("x", "example-no-refresh"),
    ],
  ])("the token endpoint answers unauthorized_client for %s", async (_, send) => {
    await expectError(send(), "unauthorized_client");
  });
});

it.each([
  "password",
  "urn:ietf:params:oauth:grant-type:device_code",
  "implicit",
  "toString",
  "__proto__",
])("a token request for %s gets unsupported_grant_type [OA-21] [OA-35]", async (grant_type) => {
  await expectError(exchange({ grant_type }), "unsupported_grant_type");
});

describe("400 invalid_scope [NS-31]", () => {
  it("client credentials with an unknown scope, or without any, get invalid_scope", async () => {
    await expectError(sandbox.clientCredentials("service:nothing"), "invalid_scope");
    await expectError(sandbox.clientCredentials(""), "invalid_scope");
  });
  it("an exchange or refresh beyond the granted scopes gets invalid_scope, and spends nothing", async () => {
    const more = { scope: "account:profile account:stashes" };
    const flow = await sandbox.codeFor();
    await expectError(sandbox.exchange(flow, more), "invalid_scope");
    expect((await sandbox.exchange(flow, { scope: "account:profile" })).status).toBe(200);
    const tokens = await sandbox.tokensFor();
    await expectError(sandbox.refresh(tokens.refresh_token, WEB.id, more), "invalid_scope");
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

it.each(["/oauth/token", "/oauth/token/revoke", "/oauth/token/introspect"])(
  "methods other than POST on %s get 405 with Allow: POST [OA-02] [OA-03] [OA-04]",
  async (path) => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const response = await sandbox.fetch(new Request(`${sandbox.authUrl}${path}`, { method }));
      const status = method === "OPTIONS" ? 204 : 405;
      expect([response.status, response.headers.get("allow")]).toEqual([status, "POST"]);
    }
  },
);

const s256 = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

it.each([
  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  ...[43, 128].map((length) => "~._-aA0".repeat(20).slice(0, length)),
])(
  "the token endpoint accepts the verifier %s (the first is RFC 7636, appendix B) [OA-11] [OA-25]",
  async (verifier) => {
    const flow = await sandbox.codeFor({ code_challenge: s256(verifier) });
    expect((await sandbox.exchange(flow, { code_verifier: verifier })).status).toBe(200);
  },
);
