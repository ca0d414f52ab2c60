import { describe, expect, it } from "vitest";
import { routes as ROUTES } from "@game-data/contract/routes";
import { RateLimits } from "../../src/rates/RateLimits.ts";
import { type RatePolicies, rateProfiles } from "../../src/rates/RatePolicies.ts";

const { generous, realistic } = rateProfiles;

const withPolicies = (policies: RatePolicies["policies"], endpoints = {}): RatePolicies => ({
  enabled: true,
  hiddenBuckets: null,
  policies,
  endpoints,
});

const WHO = { Ip: "i", Account: "a", Client: "c" };

const policyOf = (policies: RatePolicies, endpoint: string) =>
  new RateLimits(policies).decide({ endpoint, isProbe: true }, WHO, 0);

describe("rate policies as data", () => {
  it("the most precise key of `endpoints` selects the rate policy of an endpoint", () => {
    const policies = withPolicies(
      { one: { Ip: "1:1:1" }, group: { Ip: "1:1:1" }, all: { Ip: "1:1:1" } },
      { "leagues.ladder": "one", leagues: "group", "*": "all" },
    );
    expect(policyOf(policies, "leagues.ladder")?.policy).toBe("one");
    expect(policyOf(policies, "leagues.get")?.policy).toBe("group");
    expect(policyOf(policies, "profile.get")?.policy).toBe("all");
    expect(policyOf(withPolicies({}), "profile.get")).toBeUndefined();
  });

  it("the ready-made rate policies limit every endpoint of the data API [LM-14] [NS-11]", () => {
    const groups = new Set(Object.keys(ROUTES).map((name) => name.split(".")[0]!));
    expect(groups.size).toBe(11);
    for (const document of [generous, realistic])
      for (const group of groups) {
        const { headers = {} } = policyOf(document, `${group}.any`) ?? {};
        expect(headers["x-rate-limit-rules"]).toContain("Client");
      }
  });
});
