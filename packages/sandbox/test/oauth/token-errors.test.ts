/** The rows of the error table that `/oauth/token` answers, each a test named after it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DESKTOP, errorOf, openSandbox, pkce, type TestSandbox, WEB } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** The answer, which has to be an error: 401 for the client (RFC 6749 §5.2), 400 for all else. */
const failing = async (answer: Response | Promise<Response>, error: string) => {
  const response = await answer;
  const status = error === "invalid_client" ? 401 : 400;
  expect([response.status, (await errorOf(response)).error]).toEqual([status, error]);
  return response;
};

const expectError = async (answer: Response | Promise<Response>, error: string): Promise<void> =>
  void (await failing(answer, error));

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

describe("400 invalid_request", () => {
  it("a JSON body [OA-15] [ER-08]", async () => {
    const form = sandbox.exchangeForm(await sandbox.codeFor());
    await expectError(
      sandbox.post("/oauth/token", JSON.stringify(form), { "content-type": "application/json" }),
      "invalid_request",
    );
  });
  it("a multipart body [OA-15]", () =>
    expectError(
      sandbox.post("/oauth/token", "x", { "content-type": "multipart/form-data; boundary=x" }),
      "invalid_request",
    ));
  it("an empty body", () => expectError(sandbox.post("/oauth/token", ""), "invalid_request"));
  it.each(["code", "redirect_uri", "code_verifier"])(
    "authorization_code without %s [OA-22] [OA-23] [OA-25]",
    async (name) =>
      expectError(
        sandbox.exchange(await sandbox.codeFor(), { [name]: undefined }),
        "invalid_request",
      ),
  );
  it.each(["code", "redirect_uri", "code_verifier", "grant_type", "client_id"])(
    "an empty %s counts as missing",
    async (name) =>
      expectError(sandbox.exchange(await sandbox.codeFor(), { [name]: "" }), "invalid_request"),
  );
  it("refresh_token without refresh_token [OA-26]", () =>
    expectError(sandbox.refresh(undefined), "invalid_request"));
  it("no grant_type", async () =>
    expectError(
      sandbox.exchange(await sandbox.codeFor(), { grant_type: undefined }),
      "invalid_request",
    ));
  it("no client_id, whatever the grant [OA-17]", async () => {
    const tokens = await sandbox.tokensFor();
    await expectError(
      sandbox.exchange(await sandbox.codeFor(), { client_id: undefined }),
      "invalid_request",
    );
    await expectError(
      sandbox.refresh(tokens.refresh_token, WEB.id, { client_id: "" }),
      "invalid_request",
    );
    await expectError(
      sandbox.clientCredentials("service:psapi", WEB.id, { client_id: "" }),
      "invalid_request",
    );
  });
  it.each(["code", "client_id", "client_secret", "grant_type", "redirect_uri", "code_verifier"])(
    "a repeated %s",
    async (name) => {
      const form = new URLSearchParams(sandbox.exchangeForm(await sandbox.codeFor()));
      form.append(name, form.get(name) ?? "");
      await expectError(sandbox.post("/oauth/token", form.toString()), "invalid_request");
    },
  );
  it("both Basic and a secret in the body", async () =>
    expectError(
      sandbox.post(
        "/oauth/token",
        sandbox.exchangeForm(await sandbox.codeFor()),
        basic(WEB.id, sandbox.secretOf(WEB.id)),
      ),
      "invalid_request",
    ));
  it("credentials in the query", async () => {
    const form = sandbox.exchangeForm(await sandbox.codeFor());
    await expectError(
      sandbox.post(`/oauth/token?client_secret=${sandbox.secretOf(WEB.id)}`, form),
      "invalid_request",
    );
    await expectError(
      sandbox.post(`/oauth/token?${new URLSearchParams(form)}`, ""),
      "invalid_request",
    );
  });
  it.each(["short", "a".repeat(42), "a".repeat(129), `${"a".repeat(43)}!`])(
    "a malformed code_verifier: %s",
    async (verifier) =>
      expectError(
        sandbox.exchange(await sandbox.codeFor(), { code_verifier: verifier }),
        "invalid_request",
      ),
  );
});

describe("401 invalid_client", () => {
  it("an unknown client", async () =>
    expectError(
      sandbox.exchange(await sandbox.codeFor(), { client_id: "nobody" }),
      "invalid_client",
    ));
  it("a missing secret, whatever the grant [OA-18] [OA-19] [OA-20]", async () => {
    const tokens = await sandbox.tokensFor();
    const none = { client_secret: "" };
    await expectError(
      sandbox.exchange(await sandbox.codeFor(), { client_secret: undefined }),
      "invalid_client",
    );
    await expectError(sandbox.clientCredentials("service:psapi", WEB.id, none), "invalid_client");
    await expectError(sandbox.refresh(tokens.refresh_token, WEB.id, none), "invalid_client");
  });
  it("a wrong secret in the body, without a challenge", async () => {
    const response = await failing(
      sandbox.exchange(await sandbox.codeFor(), { client_secret: "wrong" }),
      "invalid_client",
    );
    expect(response.headers.get("www-authenticate")).toBeNull();
  });
  it("a wrong secret by Basic, with a Basic challenge", async () => {
    const form = sandbox.exchangeForm(await sandbox.codeFor(), { client_secret: undefined });
    const response = await failing(
      sandbox.post("/oauth/token", form, basic(WEB.id, "wrong")),
      "invalid_client",
    );
    expect(response.headers.get("www-authenticate")).toMatch(/^Basic /u);
  });
  it("a secret for a public client [OA-18] [OA-36]", async () => {
    const flow = await sandbox.codeFor({
      client_id: DESKTOP.id,
      redirect_uri: DESKTOP.redirectUri,
    });
    await expectError(sandbox.exchange(flow, { client_secret: "anything" }), "invalid_client");
  });
});

describe("400 invalid_grant", () => {
  it("an unknown code", async () =>
    expectError(sandbox.exchange(await sandbox.codeFor(), { code: "unknown" }), "invalid_grant"));
  it("a code older than 30 seconds [LC-01] [LM-06]", async () => {
    const flow = await sandbox.codeFor();
    await sandbox.advance("30 seconds");
    await expectError(sandbox.exchange(flow), "invalid_grant");
  });
  it("a used code [OA-35]", async () => {
    const flow = await sandbox.codeFor();
    expect((await sandbox.exchange(flow)).status).toBe(200);
    await expectError(sandbox.exchange(flow), "invalid_grant");
  });
  it("another client's code", async () => {
    const flow = await sandbox.codeFor();
    await expectError(
      sandbox.exchange(flow, {
        client_id: "example-no-refresh",
        client_secret: sandbox.secretOf("example-no-refresh"),
      }),
      "invalid_grant",
    );
    expect((await sandbox.exchange(flow)).status).toBe(200);
  });
  it("another redirect_uri than the one the code was received with [OA-23]", async () => {
    const flow = await sandbox.codeFor();
    for (const redirectUri of [`${WEB.redirectUri}/`, "https://app.example.com/callback?x=1"]) {
      await expectError(sandbox.exchange(flow, { redirect_uri: redirectUri }), "invalid_grant");
    }
  });
  it("another port than the one the code was received at [OA-23]", async () => {
    const flow = await sandbox.codeFor({
      client_id: DESKTOP.id,
      redirect_uri: "http://127.0.0.1:5001/callback",
    });
    await expectError(
      sandbox.exchange(flow, { redirect_uri: "http://127.0.0.1:5002/callback" }),
      "invalid_grant",
    );
  });
  it("a verifier that does not match the challenge [OA-25]", async () =>
    expectError(
      sandbox.exchange(await sandbox.codeFor(), { code_verifier: pkce().verifier }),
      "invalid_grant",
    ));
  it("a refresh token that is unknown, used, revoked, expired, or another client's", async () => {
    await expectError(sandbox.refresh("unknown"), "invalid_grant");
    const used = await sandbox.tokensFor();
    await sandbox.refresh(used.refresh_token);
    await expectError(sandbox.refresh(used.refresh_token), "invalid_grant");
    const foreign = await sandbox.tokensFor();
    await expectError(sandbox.refresh(foreign.refresh_token, DESKTOP.id), "invalid_grant");
    expect((await sandbox.refresh(foreign.refresh_token)).status).toBe(200);
    const old = await sandbox.tokensFor();
    await sandbox.advance("90 days");
    await expectError(sandbox.refresh(old.refresh_token), "invalid_grant");
  });
  it("an access token in the place of a refresh token", async () => {
    const tokens = await sandbox.tokensFor();
    await expectError(sandbox.refresh(tokens.access_token), "invalid_grant");
  });
});

describe("400 unauthorized_client", () => {
  it("client_credentials of a public client [OA-38]", () =>
    expectError(
      sandbox.post("/oauth/token", {
        grant_type: "client_credentials",
        client_id: DESKTOP.id,
        scope: "account:profile",
      }),
      "unauthorized_client",
    ));
  it("authorization_code of a client without it", () =>
    expectError(
      sandbox.post("/oauth/token", {
        grant_type: "authorization_code",
        client_id: "example-service",
        client_secret: sandbox.secretOf("example-service"),
        code: "x",
        redirect_uri: "https://service.example.org/callback",
        code_verifier: pkce().verifier,
      }),
      "unauthorized_client",
    ));
  it("refresh_token of an application that has refresh tokens turned off [OA-49]", () =>
    expectError(sandbox.refresh("x", "example-no-refresh"), "unauthorized_client"));
});

it.each([
  "password",
  "urn:ietf:params:oauth:grant-type:device_code",
  "implicit",
  "toString",
  "__proto__",
])("400 unsupported_grant_type for %s [OA-21] [OA-35]", async (grantType) =>
  expectError(
    sandbox.exchange(await sandbox.codeFor(), { grant_type: grantType }),
    "unsupported_grant_type",
  ),
);

describe("400 invalid_scope", () => {
  it("client_credentials with an unknown scope, or without any [NS-31]", async () => {
    await expectError(sandbox.clientCredentials("service:nothing"), "invalid_scope");
    await expectError(sandbox.clientCredentials(""), "invalid_scope");
  });
  it("an exchange that asks for more than was authorized, which does not spend the code [NS-31]", async () => {
    const flow = await sandbox.codeFor({ scope: "account:profile" });
    await expectError(
      sandbox.exchange(flow, { scope: "account:profile account:stashes" }),
      "invalid_scope",
    );
    const answer = await sandbox.exchange(flow, { scope: "account:profile" });
    expect(answer.status).toBe(200);
  });
  it("a refresh that asks for more than was granted, which does not spend the token", async () => {
    const tokens = await sandbox.tokensFor({ scope: "account:profile" });
    await expectError(
      sandbox.refresh(tokens.refresh_token, WEB.id, { scope: "account:stashes" }),
      "invalid_scope",
    );
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe("405 with Allow: POST", () => {
  it.each(["/oauth/token", "/oauth/token/revoke", "/oauth/token/introspect"])(
    "GET, PUT, PATCH and DELETE on %s [OA-02] [OA-03] [OA-04]",
    async (path) => {
      for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
        const response = await sandbox.sandbox.fetch(
          new Request(`${sandbox.authUrl}${path}`, { method }),
        );
        expect(response.status).toBe(405);
        expect(response.headers.get("allow")).toBe("POST");
      }
    },
  );
});
