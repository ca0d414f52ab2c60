import { assert, describe, it } from "@effect/vitest";
import { Lifetimes } from "../src/Lifetimes.ts";
import { Limits, RateLimitHeaders, type Route, routes } from "../src/index.ts";

describe("limits", () => {
  it("GET /league: default 50, maximum 50 [LM-01]", () =>
    assert.deepStrictEqual(Limits.leagues, { default: 50, max: 50 }));
  it("ladders: default 20 [LM-02]", () => {
    for (const limit of [Limits.ladder, Limits.eventLadder, Limits.pvpLadder])
      assert.strictEqual(limit.default, 20);
  });
  it("league ladder and event ladder: maximum 500 [LM-03]", () => {
    assert.strictEqual(Limits.ladder.max, 500);
    assert.strictEqual(Limits.eventLadder.max, 500);
  });
  it("PvP match ladder: maximum 200 [LM-04]", () => assert.strictEqual(Limits.pvpLadder.max, 200));
  it("ladders hold their top 15000 entries [LM-05]", () => {
    assert.strictEqual(Limits.ladderDepth, 15_000);
    for (const [name, { depth }] of Object.entries<Route>(routes))
      assert.strictEqual(depth, /ladder$/iu.test(name) ? 15_000 : undefined, name);
  });
});

describe("lifetimes", () => {
  it("authorization code: 30 seconds [LM-06]", () =>
    assert.strictEqual(Lifetimes.authorizationCode, 30));
  it("access token: 28 days, 10 hours, none for client credentials [LM-07]", () => {
    const { confidential, public: native, clientCredentials } = Lifetimes.accessToken;
    assert.strictEqual(confidential, 2_419_200);
    assert.strictEqual(native, 36_000);
    assert.isNull(clientCredentials);
  });
  it("refresh token: 90 days and 7 days [LM-08]", () => {
    assert.strictEqual(Lifetimes.refreshToken.confidential, 90 * 86_400);
    assert.strictEqual(Lifetimes.refreshToken.public, 7 * 86_400);
  });
  it("public stash stream delay: 5 minutes [LM-09]", () =>
    assert.strictEqual(Lifetimes.publicStashDelay, 5 * 60));
  it("currency exchange: one hour per answer", () =>
    assert.strictEqual(Lifetimes.exchangePeriod, 3600));
});

describe("rate-limit headers", () => {
  it("are named after the rule, in lower case", () => {
    assert.strictEqual(RateLimitHeaders.policy, "x-rate-limit-policy");
    assert.strictEqual(RateLimitHeaders.rules, "x-rate-limit-rules");
    assert.strictEqual(RateLimitHeaders.rule("Account"), "x-rate-limit-account");
    assert.strictEqual(RateLimitHeaders.state("Ip"), "x-rate-limit-ip-state");
    assert.strictEqual(RateLimitHeaders.retryAfter, "retry-after");
  });
});
