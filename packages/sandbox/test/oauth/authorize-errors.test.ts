/** The rows of the error table that `/oauth/authorize` answers, each a test named after it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox, type TestSandbox, WEB } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** The URL with one parameter set twice. */
const repeated = (url: string, name: string): string =>
  `${url}&${name}=${new URL(url).searchParams.get(name) ?? "x"}`;

const expectPage = async (url: string) => {
  const response = await sandbox.get(url);
  expect(response.status).toBe(400);
  expect(response.headers.get("location")).toBeNull();
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  return response.text();
};

const expectRedirect = async (url: string, error: string, state: string | null = "a-state") => {
  const response = await sandbox.get(url);
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get("location") ?? "");
  expect(`${location.origin}${location.pathname}`).toBe(WEB.redirectUri);
  expect(location.searchParams.get("error")).toBe(error);
  expect(location.searchParams.get("state")).toBe(state);
  expect(location.searchParams.get("code")).toBeNull();
  expect(location.searchParams.get("error_description")).toMatch(
    /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/u,
  );
};

describe("client or redirect URI not known good: 400 page and no redirect", () => {
  it("refuses an unknown client_id [OA-06] [NS-24]", () =>
    expectPage(sandbox.authorizeUrl({ client_id: "nobody" })));
  it("refuses a missing client_id [OA-05]", () =>
    expectPage(sandbox.authorizeUrl({ client_id: undefined })));
  it("refuses a repeated client_id", () =>
    expectPage(repeated(sandbox.authorizeUrl(), "client_id")));
  it("refuses a missing redirect_uri [OA-05]", () =>
    expectPage(sandbox.authorizeUrl({ redirect_uri: undefined })));
  it("refuses an unregistered redirect_uri [OA-10] [NS-24]", () =>
    expectPage(sandbox.authorizeUrl({ redirect_uri: "https://evil.example/callback" })));
  it("refuses a malformed redirect_uri", () =>
    expectPage(sandbox.authorizeUrl({ redirect_uri: "javascript:alert(1)" })));
  it("refuses a repeated redirect_uri", () =>
    expectPage(repeated(sandbox.authorizeUrl(), "redirect_uri")));
  it("reflects no HTML of the request", async () => {
    const markup = await expectPage(
      sandbox.authorizeUrl({ client_id: '"><script>alert(1)</script>', redirect_uri: "<img>" }),
    );
    expect(markup).not.toContain("alert(1)");
    expect(markup).not.toContain("<img>");
  });
});

describe("invalid_request by redirect, with the state [OA-14] [ER-09]", () => {
  it.each(["response_type", "scope", "code_challenge", "code_challenge_method"])(
    "a missing %s [OA-05]",
    (name) => expectRedirect(sandbox.authorizeUrl({ [name]: undefined }), "invalid_request"),
  );
  it.each(["response_type", "scope", "code_challenge", "code_challenge_method"])(
    "an empty %s counts as missing [OA-05]",
    (name) => expectRedirect(sandbox.authorizeUrl({ [name]: "" }), "invalid_request"),
  );
  it("a missing state [OA-05] [OA-09]", () =>
    expectRedirect(sandbox.authorizeUrl({ state: undefined }), "invalid_request", null));
  it.each(["response_type", "scope", "code_challenge", "code_challenge_method"])(
    "a repeated %s",
    async (name) => {
      const url = repeated(sandbox.authorizeUrl(), name);
      await expectRedirect(url, "invalid_request");
      const response = await sandbox.get(url);
      const location = new URL(response.headers.get("location") ?? "");
      expect(location.searchParams.get("error_description")).toContain("more than once");
    },
  );
  it("a repeated state, which is then not sent back", () =>
    expectRedirect(repeated(sandbox.authorizeUrl(), "state"), "invalid_request", null));
  it.each(["short", "a".repeat(42), "a".repeat(129), `${"a".repeat(42)}=`, `${"a".repeat(42)}+`])(
    "a code_challenge that no S256 hash can be: %s [OA-11]",
    (challenge) =>
      expectRedirect(sandbox.authorizeUrl({ code_challenge: challenge }), "invalid_request"),
  );
  it.each(["plain", "s256", "S512"])("the code_challenge_method %s [OA-12]", (method) =>
    expectRedirect(sandbox.authorizeUrl({ code_challenge_method: method }), "invalid_request"),
  );
});

it.each(["token", "code token", "id_token", "CODE"])(
  "unsupported_response_type for response_type %s [OA-07] [OA-35]",
  (type) =>
    expectRedirect(sandbox.authorizeUrl({ response_type: type }), "unsupported_response_type"),
);

describe("invalid_scope by redirect", () => {
  it.each(["account:everything", "account:profile nonsense", "ACCOUNT:PROFILE"])(
    "an unknown scope: %s [OA-08]",
    (scope) => expectRedirect(sandbox.authorizeUrl({ scope }), "invalid_scope"),
  );
  it.each(["account:profile  account:stashes", " account:profile", 'account:"profile'])(
    "a malformed scope: %s [OA-08]",
    (scope) => expectRedirect(sandbox.authorizeUrl({ scope }), "invalid_scope"),
  );
  it.each([
    "service:leagues",
    "service:leagues:ladder",
    "service:pvp_matches",
    "service:pvp_matches:ladder",
    "service:psapi",
    "account:profile service:cxapi",
  ])("a service scope in the user flow: %s [OA-43]", (scope) =>
    expectRedirect(sandbox.authorizeUrl({ scope }), "invalid_scope"),
  );
  it("a scope that the client is not registered for", async () => {
    const redirectUri = "https://narrow.example.com/callback";
    await sandbox.control("/clients", {
      clientId: "narrow",
      kind: "confidential",
      domains: ["example.com"],
      redirectUris: [redirectUri],
      scopes: ["account:profile"],
    });
    const response = await sandbox.get(
      sandbox.authorizeUrl({
        client_id: "narrow",
        redirect_uri: redirectUri,
        scope: "account:stashes",
      }),
    );
    expect(new URL(response.headers.get("location") ?? "").searchParams.get("error")).toBe(
      "invalid_scope",
    );
  });
});

it("unauthorized_client for a client that may not use the code grant", async () => {
  const response = await sandbox.get(
    sandbox.authorizeUrl({
      client_id: "example-service",
      redirect_uri: "https://service.example.org/callback",
    }),
  );
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get("location") ?? "");
  expect(location.searchParams.get("error")).toBe("unauthorized_client");
});

it("access_denied when the user denies [OA-14]", async () => {
  const answer = await sandbox.control("/authorize", { url: sandbox.authorizeUrl(), deny: true });
  const { redirect } = (await answer.json()) as { redirect: string };
  const location = new URL(redirect);
  expect(location.searchParams.get("error")).toBe("access_denied");
  expect(location.searchParams.get("state")).toBe("a-state");
  expect(location.searchParams.has("code")).toBe(false);
});

it("accepts every scope that a user can be asked for [OA-08] [OA-45]", async () => {
  const scopes = [
    "account:profile",
    "account:leagues",
    "account:stashes",
    "account:characters",
    "account:league_accounts",
    "account:item_filter",
    "oauth:revoke",
    "oauth:introspect",
  ];
  const tokens = await sandbox.tokensFor({ scope: scopes.join(" ") });
  expect(tokens.scope).toBe(scopes.join(" "));
});

it("answers other methods than GET with 405", async () => {
  const response = await sandbox.post("/oauth/authorize", {});
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET");
});
