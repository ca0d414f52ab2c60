import { Effect, Redacted } from "effect";
import { describe, expect, it } from "vitest";
import { failureOf, lastResponse, useSandbox, type Use } from "./sandbox.ts";

const service = useSandbox();
const { call, failure, requestsDuring } = service;

const fault = (what: object, when?: object) => service.fault("profile", what, when);

const profile: Use<unknown> = (api) => api.profile.get();
const response = (options?: Parameters<typeof call>[1]) =>
  lastResponse((onResponse) => call((api) => api.profile.get({ onResponse }), options));

describe("tokens and scopes", () => {
  it("without a token the service refuses, and the client says so [DA-01] [ER-11]", async () => {
    const error = await failure(profile, { credentials: undefined });
    expect(error).toMatchObject({ _tag: "Unauthorized", reason: "no-token", status: 401, code: 8 });
  });

  it("an expired or revoked token is told apart from everything else [ER-01]", async () => {
    expect(await failure(profile, { credentials: "nobody-issued-this" })).toMatchObject({
      _tag: "Unauthorized",
      reason: "refused",
      isRetryable: false,
    });
  });

  it("after a 401 gets one new token and sends the call once more [CL-11]", async () => {
    const tokenOf = (text: string) => ({ token: Redacted.make(text), scopes: undefined });
    const credentials = {
      current: Effect.succeed(tokenOf("stale")),
      renew: () => Effect.succeed(tokenOf(service.token)),
    };
    expect(await response({ credentials })).toMatchObject({ status: 200, attempts: 2 });
  });

  it("a token without the scope is refused with the scope's name, and not sent again [ER-02] [CL-12]", async () => {
    const poor = await service.tokenFor(["account:characters"]);
    const requests = await requestsDuring(async () => {
      expect(await failure(profile, { credentials: poor })).toMatchObject({
        _tag: "Forbidden",
        status: 403,
        code: 6,
        scopesNeeded: ["account:profile"],
        isRetryable: false,
      });
    });
    expect(requests).toBe(1);
  });
});

describe("refused requests", () => {
  it("parameters that an endpoint does not take are refused before anything is sent [NS-08]", async () => {
    expect(await failure((api) => api.leagues.list({ limit: 51 }))).toMatchObject({
      _tag: "InvalidRequest",
      attempts: 0,
    });
    expect(await failure((api) => api.characters.get({ name: ".." }))).toMatchObject({
      _tag: "InvalidRequest",
      attempts: 0,
    });
  });

  it("a 429 is waited out, and is an error only when there is no time for that [NS-10]", async () => {
    await fault({ kind: "status", status: 429, retryAfter: 1 }, { count: 1 });
    const answer = await response();
    expect(answer).toMatchObject({ status: 200, attempts: 2 });
    expect(answer?.waitedMillis).toBeGreaterThanOrEqual(1000);
    await fault({ kind: "status", status: 429, retryAfter: 120 });
    const error = await failure((api) => api.profile.get({ maxWait: "1 second" }));
    expect(error).toMatchObject({
      _tag: "RateLimited",
      reason: "wait-too-long",
      isRetryable: true,
    });
    expect(error._tag === "RateLimited" && error.retryAfter).toBeTruthy();
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      retryAfterMillis: expect.closeTo(120_000, -4),
    });
    expect(await failure((api) => api.profile.get({ retries: 0 }))).toMatchObject({
      _tag: "RateLimited",
      reason: "server",
      status: 429,
      code: 3,
    });
  });

  it("a firewall's page is no 403 of the service's, is never repeated and stops everything", async () => {
    await fault({ kind: "firewallPage" }, { count: 1 });
    const requests = await requestsDuring(async () => {
      const exits = await call((api) => Effect.replicateEffect(Effect.exit(api.profile.get()), 2));
      for (const exit of exits)
        expect(failureOf(exit)).toMatchObject({ _tag: "Forbidden", reason: "firewall" });
    });
    expect(requests).toBe(1);
  });
});

describe("a service in trouble", () => {
  it.each([
    ["a connection that is reset", { kind: "reset" }],
    ["a body that is cut", { kind: "truncate", atByte: 40 }],
    ["a body that is reset", { kind: "truncate", atByte: 40, ending: "reset" }],
    ["a body shorter than announced", { kind: "contentLength", differsBy: 10 }],
  ])("%s is a transport error, and is tried again", async (_, what) => {
    await fault(what, { count: 1 });
    expect(await response()).toMatchObject({ attempts: 2 });
    await fault(what);
    expect(
      await failure((api) => api.profile.get({ retries: 1, timeout: "2 seconds" })),
    ).toMatchObject({
      _tag: expect.stringMatching(/^(TransportError|Timeout)$/u),
      attempts: 2,
    });
  });

  it("a broken gzip body is a transport error, and is tried again", async () => {
    await service.fault("publicStashTabs", { kind: "gzipCut", fraction: 0.5 });
    const page: Use<unknown> = (api) => api.publicStashTabs.page({}, { retries: 1 });
    const broken = { _tag: "TransportError", reason: "body", attempts: 2 };
    expect(await failure(page)).toMatchObject(broken);
  });
});
