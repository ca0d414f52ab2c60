/** S11 and S7: tokens of applications for themselves, and how an application proves who it is. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, openSandbox, type TestSandbox, type TokenBody, WEB } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const own = async (scope: string, client = WEB.id): Promise<TokenBody> =>
  (await (await sandbox.clientCredentials(scope, client)).json()) as TokenBody;

describe("S11: client credentials", () => {
  it("get every service scope [OA-37] [OA-43]", async () => {
    const scope =
      "service:leagues service:leagues:ladder service:pvp_matches service:pvp_matches:ladder service:psapi service:cxapi";
    expect((await own(scope)).scope).toBe(scope);
  });
  it("get no refresh token [OA-34]", async () => {
    expect("refresh_token" in (await own("service:psapi"))).toBe(false);
  });
  it("carry the identity of the application's owner [OA-47]", async () => {
    const tokens = await own("service:psapi", "example-service");
    const owner = sandbox.accounts.find(({ name }) => name === "Quillon#1182");
    expect([tokens.username, tokens.sub]).toEqual([owner?.name, owner?.uuid]);
  });
  it("reach the owner's account details with account scopes [OA-48]", async () => {
    const tokens = await own("account:profile", "example-service");
    const profile = await sandbox.get(
      `${sandbox.baseUrl}/profile`,
      sandbox.bearer(tokens.access_token),
    );
    expect(((await profile.json()) as { name: string }).name).toBe("Quillon#1182");
  });
  it("are not mistaken for a user's consent: they stand apart on the applications page", async () => {
    const tokens = await own("account:profile");
    const answer = await sandbox.post("/oauth/token", {
      grant_type: "refresh_token",
      client_id: WEB.id,
      client_secret: sandbox.secretOf(WEB.id),
      refresh_token: tokens.access_token,
    });
    expect((await errorOf(answer)).error).toBe("invalid_grant");
  });
});

describe("S7: client authentication", () => {
  it("takes the secret from the body or by Basic, with percent-encoded parts", async () => {
    await sandbox.control("/clients", {
      clientId: "odd:client+id",
      kind: "confidential",
      clientSecret: "s3cr%t: +&",
      domains: [],
      redirectUris: [],
    });
    const encoded = ["odd:client+id", "s3cr%t: +&"].map(encodeURIComponent).join(":");
    const answer = await sandbox.post(
      "/oauth/token",
      { grant_type: "client_credentials", scope: "service:psapi" },
      { authorization: `Basic ${Buffer.from(encoded).toString("base64")}` },
    );
    expect(answer.status).toBe(200);
    const inBody = await sandbox.post("/oauth/token", {
      grant_type: "client_credentials",
      scope: "service:psapi",
      client_id: "odd:client+id",
      client_secret: "s3cr%t: +&",
    });
    expect(inBody.status).toBe(200);
  });
  it.each([
    "Basic",
    "Basic !!!",
    "Basic eA==",
    `Basic ${Buffer.from("a%zz:b").toString("base64")}`,
  ])("refuses the malformed header %j with 401", async (authorization) => {
    const answer = await sandbox.post(
      "/oauth/token",
      { grant_type: "client_credentials", scope: "service:psapi" },
      { authorization },
    );
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /u);
  });
  it("makes whoever guesses secrets wait, and lets go of it after a minute", async () => {
    const wrong = () =>
      sandbox.clientCredentials("service:psapi", "example-service", { client_secret: "guess" });
    for (let guess = 0; guess < 20; guess += 1) expect((await wrong()).status).toBe(401);
    const braked = await wrong();
    expect(braked.status).toBe(429);
    expect(Number(braked.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await errorOf(braked)).error).toBe("temporarily_unavailable");
    expect((await sandbox.clientCredentials("service:psapi", WEB.id)).status).toBe(200);
    await sandbox.advance("60 seconds");
    expect((await sandbox.clientCredentials("service:psapi", "example-service")).status).toBe(200);
  });
});
