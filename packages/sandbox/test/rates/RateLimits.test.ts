import { Sandbox } from "@game-data/sandbox";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import type { RatePolicies } from "../../src/rates/RatePolicies.ts";
import { NOON, openForFile } from "../control/harness.ts";

const EMBERLYN = "Emberlyn#4071";

/**
 * Two hits in five seconds, for whatever rule; every endpoint has a policy of its own or shares
 * one.
 */
const tight: RatePolicies = {
  enabled: true,
  hiddenBuckets: null,
  policies: {
    "client-limit": { Client: "2:5:10" },
    "account-limit": { Account: "2:5:10" },
    "shared-limit": { Client: "2:5:10" },
    "token-limit": { Ip: "2:5:10" },
  },
  endpoints: {
    profile: "client-limit",
    characters: "account-limit",
    leagues: "shared-limit",
    pvpMatches: "shared-limit",
    "oauth.token": "token-limit",
  },
};

const sandbox = await openForFile({ rates: tight });

/** A token of a user for the profile. */
const profileToken = () => sandbox.tokenOf("example-web", ["account:profile"], EMBERLYN);

/** Statuses of paths, one after the other, by one token. */
const statuses = async (token: string, ...paths: ReadonlyArray<string>) => {
  const seen: Array<number> = [];
  for (const path of paths) seen.push((await sandbox.get(path, token)).status);
  return seen;
};
const profileStatuses = (token: string, count: number) =>
  statuses(token, ...Array<string>(count).fill("/profile"));

const rateHeadersOf = (response: Response) =>
  Object.fromEntries(
    [...response.headers].filter(([name]) => /^x-rate-limit|^retry-after/u.test(name)),
  );

describe("rate limits over the wire", () => {
  it("rate limits are announced with the headers of the default dialect [NS-12]", async () => {
    const token = await profileToken();
    const response = await sandbox.get("/profile", token);
    expect(response.status).toBe(200);
    expect(rateHeadersOf(response)).toEqual({
      "x-rate-limit-policy": "client-limit",
      "x-rate-limit-rules": "Client",
      "x-rate-limit-client": "2:5:10",
      "x-rate-limit-client-state": "1:5:0",
    });
  });

  it("rate limits answer 429 with code 3 and Retry-After, after which requests pass again [NS-10]", async () => {
    const token = await profileToken();
    await profileStatuses(token, 2);
    const refused = await sandbox.get("/profile", token);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toBe("application/json");
    expect(await refused.json()).toEqual({ error: { code: 3, message: "Rate limit exceeded" } });
    expect(rateHeadersOf(refused)).toEqual({
      "x-rate-limit-policy": "client-limit",
      "x-rate-limit-rules": "Client",
      "x-rate-limit-client": "2:5:10",
      "x-rate-limit-client-state": "3:5:10",
      "retry-after": "10",
    });
    await sandbox.advance("9 seconds");
    expect((await sandbox.get("/profile", token)).headers.get("retry-after")).toBe("1");
    await sandbox.advance("1 second");
    expect((await sandbox.get("/profile", token)).status).toBe(200);
  });

  // Clients in turn, the account where it is another one than the first, and the status.
  it.each([
    [
      "a confidential client by itself, whoever its user is",
      "/profile",
      "account:profile",
      `example-web 200, example-web 200, example-no-refresh 200,
       example-web 429, example-web Quillon#1182 429`,
    ],
    [
      "all public clients as one",
      "/profile",
      "account:profile",
      `example-desktop 200, example-tablet 200, example-desktop 429, example-tablet 429,
       example-web 200`,
    ],
    [
      "client credentials as the owning account",
      "/league",
      "service:leagues",
      `example-service 200, second-service 200, example-service 429, second-service 429,
       example-web 200`,
    ],
    [
      "the account of the token, whichever client holds it",
      "/character",
      "account:characters",
      `example-web 200, example-desktop 200, example-web 429, example-web Quillon#1182 200`,
    ],
  ])(
    "rate limits count %s [LM-11] [LM-12] [LM-13] [LM-15] [NS-25]",
    async (_, path, scope, requests) => {
      await sandbox.ask("POST", "/clients", {
        clientId: "second-service",
        kind: "confidential",
        redirectUris: [],
        scopes: ["service:leagues"],
        owner: "Quillon#1182",
        grants: ["client_credentials"],
      });
      for (const request of requests.split(",")) {
        const [clientId = "", ...rest] = request.trim().split(" ");
        const status = Number(rest.pop());
        const account = path === "/league" ? undefined : (rest[0] ?? EMBERLYN);
        const token = await sandbox.tokenOf(clientId, [scope], account);
        expect([request, ...(await statuses(token, path))]).toEqual([request, status]);
      }
    },
  );

  it("rate limits share one counter among endpoints of the same policy, but not across policies", async () => {
    const token = await sandbox.tokenOf("example-web", ["service:leagues", "service:pvp_matches"]);
    const seen = await statuses(token, "/league", "/pvp-match", "/league/Standard");
    expect(seen).toEqual([200, 200, 429]);
    const profile = await profileToken();
    expect((await sandbox.get("/profile", profile)).status).toBe(200);
  });

  it("rate limits also count requests that the service refuses with 403 or 400", async () => {
    const token = await sandbox.tokenOf("example-web", ["service:leagues"]);
    const seen = await statuses(token, "/pvp-match", "/league?limit=many", "/league");
    expect(seen).toEqual([403, 400, 429]);
  });

  it("rate limits do not count a request without a valid token, and add no headers", async () => {
    for (const token of [undefined, "unknown"]) {
      const response = await sandbox.get("/profile", token);
      expect(response.status).toBe(401);
      expect(rateHeadersOf(response)).toEqual({});
    }
  });

  it("rate limits answer a HEAD with 204 and the headers, and do not count it", async () => {
    const token = await profileToken();
    for (let probe = 0; probe < 3; probe++) {
      const response = await sandbox.get("/profile", token, { method: "HEAD" });
      expect(response.status).toBe(204);
      expect(response.headers.get("x-rate-limit-client-state")).toBe("0:5:0");
    }
    await profileStatuses(token, 3);
    const restricted = await sandbox.get("/profile", token, { method: "HEAD" });
    expect(restricted.status).toBe(204);
    expect(restricted.headers.get("x-rate-limit-client-state")).toBe("3:5:10");
    expect(restricted.headers.get("retry-after")).toBeNull();
  });

  it("rate limits of the token endpoint count by IP address, and refuse with an OAuth error", async () => {
    const body = new URLSearchParams("grant_type=refresh_token&refresh_token=a&client_id=x");
    const ask = () => fetch(`${sandbox.authUrl}/oauth/token`, { method: "POST", body });
    expect([(await ask()).status, (await ask()).status]).toEqual([401, 401]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(refused.headers.get("cache-control")).toBe("no-store");
    expect(await refused.json()).toMatchObject({ error: "temporarily_unavailable" });
  });
});

describe("rate policies of a running sandbox", () => {
  it("replacing the rate policies keeps the requests that were counted", async () => {
    const token = await profileToken();
    await profileStatuses(token, 2);
    const rules = { Account: "9:15:60", Client: "3:5:20,9:60:60" };
    const policies = { ...tight.policies, "client-limit": rules };
    await sandbox.ask("PUT", "/policies", { ...tight, policies });
    const third = await sandbox.get("/profile", token);
    expect(third.status).toBe(200);
    // The rules in their order, and each rule's limits and state in the same one.
    expect(rateHeadersOf(third)).toEqual({
      "x-rate-limit-policy": "client-limit",
      "x-rate-limit-rules": "Account,Client",
      "x-rate-limit-account": "9:15:60",
      "x-rate-limit-account-state": "1:15:0",
      "x-rate-limit-client": "3:5:20,9:60:60",
      "x-rate-limit-client-state": "3:5:0,1:60:0",
    });
    expect((await sandbox.get("/profile", token)).headers.get("retry-after")).toBe("20");
  });

  it("the rate profile `off` removes limits and rate headers", async () => {
    await sandbox.ask("PUT", "/policies", { profile: "off" });
    const token = await profileToken();
    expect(await profileStatuses(token, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(rateHeadersOf(await sandbox.get("/profile", token))).toEqual({});
  });

  it("a reset restores the first rate policies, and empties all counters", async () => {
    const token = await profileToken();
    await profileStatuses(token, 3);
    await sandbox.ask("POST", "/policies", { profile: "realistic" });
    await sandbox.ask("POST", "/reset");
    expect(await sandbox.ask("GET", "/policies")).toEqual(tight);
    const fresh = await profileToken();
    const response = await sandbox.get("/profile", fresh);
    expect(response.headers.get("x-rate-limit-client-state")).toBe("1:5:0");
  });
});

it("in an Effect test, rate windows, tokens and delays of faults follow the TestClock", async () => {
  const program = Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse(NOON));
    const { baseUrl, control, controlUrl, fault, fetch, token } = yield* Sandbox;
    const send = (url: string, init?: RequestInit) =>
      Effect.promise(() => fetch(new Request(url, init)));
    const access_token = yield* Effect.promise(() =>
      token({ clientId: "example-web", account: EMBERLYN, scopes: ["account:profile"] }),
    );
    const headers = { authorization: `Bearer ${access_token}` };
    const ask = send(`${baseUrl}/profile`, { headers }).pipe(Effect.map(({ status }) => status));
    const before = [yield* ask, yield* ask, yield* ask];
    yield* TestClock.adjust("10 seconds");
    const after = yield* ask;
    yield* Effect.promise(() => fault({ fault: { kind: "delay", milliseconds: 60_000 } }));
    const delayed = yield* Effect.forkChild(ask);
    // The request has reached its delay when the fault has fired.
    const faults = send(`${controlUrl}/faults`).pipe(
      Effect.flatMap((response) => Effect.promise(() => response.text())),
    );
    while (!(yield* faults).includes('"fired":1')) yield* Effect.yieldNow;
    const early = delayed.pollUnsafe();
    yield* TestClock.adjust("60 seconds");
    const late = yield* Fiber.join(delayed);
    yield* Effect.promise(() => control("DELETE", "/faults"));
    yield* TestClock.adjust("28 days");
    return { before, after, early, late, expired: yield* ask };
  });
  const outcome = await program.pipe(
    Effect.provide(Sandbox.layerInProcess({ rates: tight })),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  );
  const early = undefined;
  expect(outcome).toEqual({ before: [200, 200, 429], after: 200, early, late: 200, expired: 401 });
});
