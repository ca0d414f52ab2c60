/** S11 and S7: tokens of applications for themselves, and how an application proves who it is. */
import { isServiceScope, scopes } from "@game-data/contract/Scope";
import { describe, expect, it } from "vitest";
import { Effect } from "effect";
import { makeThrottle } from "../../src/oauth/authenticate.ts";
import { basic, bearer, errorOf, openSandbox, tokenOf, WEB } from "./harness.ts";

const sandbox = await openSandbox();

const own = async (scope: string, client = WEB.id) =>
  tokenOf(await sandbox.clientCredentials(scope, client));

describe("S11: client credentials", () => {
  it("client credentials may have every service scope, and get no refresh token [OA-34] [OA-37] [OA-43]", async () => {
    const scope = scopes.filter(isServiceScope).join(" ");
    const tokens = await own(scope);
    expect(tokens.scope).toBe(scope);
    expect(tokens).not.toHaveProperty("refresh_token");
  });
  it("client credentials act as the application's owner, also with account scopes [OA-47] [OA-48]", async () => {
    const tokens = await own("account:profile", "example-service");
    const { name, uuid } = sandbox.accounts.find((one) => one.name === "Quillon#1182")!;
    expect(tokens).toMatchObject({ username: name, sub: uuid });
    const profile = await sandbox.get(`${sandbox.baseUrl}/profile`, bearer(tokens.access_token));
    expect(await profile.json()).toMatchObject({ name });
  });
});

describe("S7: client authentication", () => {
  const ask = (form: Record<string, string>, headers?: Record<string, string>) =>
    sandbox.post(
      "/oauth/token",
      { grant_type: "client_credentials", scope: "service:psapi", ...form },
      headers,
    );
  it("the token endpoint accepts a secret in the body, or percent-encoded in HTTP Basic", async () => {
    const [clientId, clientSecret] = ["odd:client+id", "s3cr%t: +&"];
    const client = { clientId, kind: "confidential", clientSecret, domains: [], redirectUris: [] };
    await sandbox.ask("/clients", client);
    const encoded = [clientId, clientSecret].map(encodeURIComponent).join(":");
    expect((await ask({}, basic(encoded))).status).toBe(200);
    expect((await ask({ client_id: clientId, client_secret: clientSecret })).status).toBe(200);
  });
  it.each(["Basic", "Basic !!!", "Basic eA==", basic("a%zz:b").authorization])(
    "the token endpoint refuses the malformed Authorization header %j with 401",
    async (authorization) => {
      const answer = await ask({}, { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /u);
    },
  );
  it("the token endpoint answers 429 after 20 wrong secrets of a client, for a minute or until a reset", async () => {
    const wrong = () =>
      sandbox.clientCredentials("service:psapi", "example-service", { client_secret: "guess" });
    for (let guess = 0; guess < 20; guess += 1) expect((await wrong()).status).toBe(401);
    const braked = await wrong();
    expect(braked.status).toBe(429);
    expect(Number(braked.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await errorOf(braked)).error).toBe("temporarily_unavailable");
    expect((await sandbox.clientCredentials("service:psapi", WEB.id)).status).toBe(200);
    const right = () => sandbox.clientCredentials("service:psapi", "example-service");
    await sandbox.control("POST", "/reset");
    expect((await right()).status).toBe(200);
    for (let guess = 0; guess < 21; guess += 1) await wrong();
    await sandbox.advance("60 seconds");
    expect((await right()).status).toBe(200);
  });
  it("without `throttle`, the token endpoint never answers 429 to wrong secrets", async () => {
    const lenient = await openSandbox({ throttle: false });
    const wrong = { client_secret: "wrong" };
    const seen = new Set<number>();
    for (let time = 0; time < 30; time++)
      seen.add((await lenient.clientCredentials("service:psapi", WEB.id, wrong)).status);
    expect([...seen]).toEqual([401]);
  });
});

it("the throttle remembers 1000 clients, and forgets the oldest first", () => {
  let now = 0;
  const throttle = makeThrottle(1, () => now);
  const waits = (name: string) =>
    throttle.check(name).pipe(
      Effect.match({
        onSuccess: () => undefined,
        onFailure: ({ headers }) => headers?.["retry-after"],
      }),
      Effect.runSync,
    );
  for (let index = 0; index < 1_001; index += 1) throttle.failed(`name ${index}`);
  expect([waits("name 0"), waits("name 1")]).toEqual([undefined, "60"]);
  now = 59_999;
  expect(waits("name 1000")).toBe("1");
  now = 60_000;
  expect(waits("name 1000")).toBeUndefined();
});
