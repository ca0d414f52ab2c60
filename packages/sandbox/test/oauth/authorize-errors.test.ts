/** The rows of the error table that `/oauth/authorize` answers, each a test named after it. */
import { isServiceScope, scopes, userScopes } from "@game-data/contract/Scope";
import { describe, expect, it } from "vitest";
import { openSandbox, WEB } from "./harness.ts";

const sandbox = await openSandbox();

type Changes = Record<string, string | undefined>;

/** The URL with one parameter set twice. */
const repeated = (name: string): string => {
  const url = sandbox.authorizeUrl();
  return `${url}&${name}=${new URL(url).searchParams.get(name) ?? "x"}`;
};

const expectPage = async (url: string) => {
  const response = await sandbox.get(url);
  expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  return response.text();
};

const expectRedirect = async (url: string, error: string, state: string | null = "a-state") => {
  const response = await sandbox.get(url);
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get("location") ?? "");
  expect(`${location.origin}${location.pathname}`).toBe(WEB.redirectUri);
  const { error_description: said, ...rest } = Object.fromEntries(location.searchParams);
  expect(rest).toEqual({ error, ...(state !== null && { state }) });
  expect(said).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/u);
  return said!;
};

describe("client or redirect URI not known good: 400 page and no redirect [OA-05] [OA-06] [OA-10] [NS-24]", () => {
  const noClient = "The application is not registered here.";
  const noAddress = "The address to return to is not registered for this application.";
  it.each<[string, string, string]>([
    ["an unknown client_id", sandbox.authorizeUrl({ client_id: "nobody" }), noClient],
    ["a missing client_id", sandbox.authorizeUrl({ client_id: undefined }), noClient],
    ["a repeated client_id", repeated("client_id"), noClient],
    ["a missing redirect_uri", sandbox.authorizeUrl({ redirect_uri: undefined }), noAddress],
    [
      "an unregistered redirect_uri",
      sandbox.authorizeUrl({ redirect_uri: "https://evil.example/" }),
      noAddress,
    ],
    [
      "a malformed redirect_uri",
      sandbox.authorizeUrl({ redirect_uri: "javascript:alert(1)" }),
      noAddress,
    ],
    ["a repeated redirect_uri", repeated("redirect_uri"), noAddress],
    ["bytes that are not UTF-8", `${sandbox.authorizeUrl()}&x=%ff`, "The request is not readable."],
  ])("an authorization request with %s gets an error page saying so", async (_, url, because) => {
    const markup = await expectPage(url);
    for (const text of ["This request cannot be answered", because]) expect(markup).toContain(text);
  });
  it("the error page of an authorization request contains no HTML from the request", async () => {
    const markup = await expectPage(
      sandbox.authorizeUrl({ client_id: '"><script>alert(1)</script>', redirect_uri: "<img>" }),
    );
    expect(markup).not.toContain("alert(1)");
    expect(markup).not.toContain("<img>");
  });
});

const NAMES = ["response_type", "scope", "code_challenge", "code_challenge_method"];

describe("invalid_request by redirect, with the state [OA-05] [OA-11] [OA-12] [OA-14] [ER-09]", () => {
  it.each<Changes>([
    ...NAMES.flatMap((name) => [{ [name]: undefined }, { [name]: "" }]),
    ...["short", "a".repeat(42), "a".repeat(129), `${"a".repeat(42)}=`, `${"a".repeat(42)}+`].map(
      (challenge) => ({ code_challenge: challenge }),
    ),
    ...["plain", "s256", "S512"].map((method) => ({ code_challenge_method: method })),
  ])("an authorization request with %j is redirected with invalid_request", async (changes) => {
    await expectRedirect(sandbox.authorizeUrl(changes), "invalid_request");
  });
  it.each(NAMES)(
    "an authorization request that repeats %s is redirected with invalid_request",
    async (name) => {
      expect(await expectRedirect(repeated(name), "invalid_request")).toContain("more than once");
    },
  );
  it("an authorization request without one state gets invalid_request, and no state back [OA-09]", async () => {
    for (const url of [sandbox.authorizeUrl({ state: undefined }), repeated("state")])
      await expectRedirect(url, "invalid_request", null);
  });
});

describe("another error by redirect [OA-07] [OA-08] [OA-35] [OA-43]", () => {
  it.each<[string, Changes]>([
    ...["token", "code token", "id_token", "CODE"].map((type): [string, Changes] => [
      "unsupported_response_type",
      { response_type: type },
    ]),
    ...[
      ...["account:everything", "account:profile nonsense", "ACCOUNT:PROFILE", 'account:"profile'],
      ...["account:profile  account:stashes", " account:profile"],
      ...scopes.filter(isServiceScope),
      "account:profile service:cxapi",
    ].map((scope): [string, Changes] => ["invalid_scope", { scope }]),
  ])("an authorization request is redirected with the error %s for %j", async (error, changes) => {
    await expectRedirect(sandbox.authorizeUrl(changes), error);
  });
  it("an authorization request with a scope that the client lacks gets invalid_scope", async () => {
    const redirect_uri = "https://narrow.example.com/callback";
    await sandbox.ask("/clients", {
      ...{ clientId: "narrow", kind: "confidential", scopes: ["account:profile"] },
      ...{ domains: ["example.com"], redirectUris: [redirect_uri] },
    });
    const asked = { client_id: "narrow", redirect_uri, scope: "account:stashes" };
    const back = await sandbox.redirectOf(asked);
    expect(back.searchParams.get("error")).toBe("invalid_scope");
  });
  it("an authorization request of a client without the code grant gets unauthorized_client", async () => {
    const back = await sandbox.redirectOf({
      client_id: "example-service",
      redirect_uri: "https://service.example.org/callback",
    });
    expect(back.searchParams.get("error")).toBe("unauthorized_client");
  });
  it("an authorization request that the user denies gets access_denied [OA-14]", async () => {
    const { searchParams } = await sandbox.redirectOf({}, { deny: true });
    expect([...searchParams.keys()]).toEqual(["error", "error_description", "state"]);
    expect(searchParams.get("error")).toBe("access_denied");
  });
});

it("an authorization request may have every scope that a user can grant [OA-08] [OA-45]", async () => {
  const scope = userScopes.join(" ");
  expect((await sandbox.tokensFor({ scope })).scope).toBe(scope);
});

it("POST /oauth/authorize is answered with 405 and Allow: GET", async () => {
  const response = await sandbox.post("/oauth/authorize", {});
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
});
