import { assert, it } from "@effect/vitest";
import { Lifetimes } from "../src/Lifetimes.ts";
import { Limits, pageLimit, RateLimitHeaders, type Route, routes } from "../src/index.ts";

it("Limits has the default and largest page sizes of the specification [LM-01, LM-02, LM-03, LM-04]", () => {
  assert.deepStrictEqual(Limits.leagues, { default: 50, max: 50 });
  for (const ladder of [Limits.ladder, Limits.eventLadder])
    assert.deepStrictEqual(ladder, { default: 20, max: 500 });
  assert.deepStrictEqual(pageLimit("pvpMatches.ladder"), Limits.pvpLadder);
  assert.deepStrictEqual(Limits.pvpLadder, { default: 20, max: 200 });
});

it("every ladder operation is limited to the top 15000 entries [LM-05]", () => {
  assert.strictEqual(Limits.ladderDepth, 15_000);
  for (const [name, { depth }] of Object.entries<Route>(routes))
    assert.strictEqual(depth, /ladder$/iu.test(name) ? 15_000 : undefined, name);
});

it("Lifetimes has the specification's times of codes, tokens and streams in seconds [LM-06, LM-07, LM-08, LM-09]", () => {
  const days = (count: number) => count * 86_400;
  const { confidential, public: native, clientCredentials } = Lifetimes.accessToken;
  assert.strictEqual(Lifetimes.authorizationCode, 30);
  assert.deepStrictEqual([confidential, native, clientCredentials], [days(28), 36_000, null]);
  assert.deepInclude(Lifetimes.refreshToken, { confidential: days(90), public: days(7) });
  assert.strictEqual(Lifetimes.publicStashDelay, 300);
  assert.strictEqual(Lifetimes.exchangePeriod, 3600);
});

it("RateLimitHeaders names a header after its rule, in lower case", () => {
  const { policy, rule, state } = RateLimitHeaders;
  const names = ["x-rate-limit-policy", "x-rate-limit-account", "x-rate-limit-ip-state"];
  assert.deepStrictEqual([policy, rule("Account"), state("Ip")], names);
});
