import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/contract.ts";
import { issuesOf } from "../../src/internal/document.ts";
import { rateIdentityOf, RateLimits } from "../../src/rates/RateLimits.ts";
import type { RatePolicyInvalid } from "../../src/Errors.ts";
import { compilePolicies, RatePolicies } from "../../src/rates/RatePolicy.ts";
import { rateProfiles } from "../../src/rates/RateProfiles.ts";

const { generous, realistic } = rateProfiles;

const withPolicies = (policies: RatePolicies["policies"], endpoints = {}): RatePolicies => ({
  enabled: true,
  hiddenBuckets: null,
  policies,
  endpoints,
});

const problemOf = (policies: RatePolicies) => {
  try {
    compilePolicies(policies);
    return "none";
  } catch (cause) {
    const { at, reason } = cause as RatePolicyInvalid;
    return `${at}: ${reason}`;
  }
};

describe("rate policies as data", () => {
  it("find the policy of an endpoint by the most precise name", () => {
    const { policyOf } = compilePolicies(
      withPolicies(
        { one: { Ip: "1:1:1" }, group: { Ip: "1:1:1" }, all: { Ip: "1:1:1" } },
        { "leagues.ladder": "one", leagues: "group", "*": "all" },
      ),
    );
    expect(policyOf("leagues", "ladder")?.name).toBe("one");
    expect(policyOf("leagues", "get")?.name).toBe("group");
    expect(policyOf("profile", "get")?.name).toBe("all");
    expect(compilePolicies(withPolicies({})).policyOf("profile", "get")).toBeUndefined();
  });

  const ofIp = (Ip: string) => withPolicies({ p: { Ip } });
  it.each([
    ["a period of 0 seconds", ofIp("1:5:1,1:0:1"), "/policies/p/Ip: has a period of 0 seconds"],
    [
      "no hit at all",
      ofIp("1:9:1,0:5:10"),
      "/policies/p/Ip: permits nothing; a fault of status 429",
    ],
    ["one period twice", ofIp("1:5:1,9:5:1"), "/policies/p/Ip: has two windows of the same period"],
    ["a policy without a rule", withPolicies({ p: {} }), "/policies/p: has no rule"],
    [
      "an odd name",
      withPolicies({ "a b": { Ip: "1:1:1" } }),
      "/policies/a b: is no name for a policy",
    ],
    [
      "an unknown policy",
      withPolicies({}, { "*": "p" }),
      "/endpoints/*: names the unknown policy p",
    ],
  ])("refuse %s, and say where and why", (_, policies, problem) => {
    expect(problemOf(policies)).toContain(problem);
  });

  it("refuse windows in another notation than that of the headers", () => {
    const isUsable = (windows: string) =>
      issuesOf(RatePolicies, withPolicies({ p: { Client: windows } })).length === 0;
    expect(isUsable("10:5:10")).toBe(true);
    expect(isUsable("10:15:60,30:60:300")).toBe(true);
    for (const text of ["", "10", "10:5", "10:5:-1", "1.5:5:1", "10:5:10,", "10:5:10;30:60:300"])
      expect(isUsable(text)).toBe(false);
  });

  it("limit every data endpoint in the ready-made documents [LM-14] [NS-11]", () => {
    const groups = new Set(Object.keys(ROUTES).map((name) => name.split(".")[0]!));
    expect(groups.size).toBe(11);
    for (const document of [generous, realistic])
      for (const group of groups) {
        const rules = compilePolicies(document)
          .policyOf(group, "any")
          ?.rules.map((rule) => rule.name);
        expect(rules).toContain("Client");
      }
  });
});

it("counts no client named `public` with the public clients, and nobody by an address alone", () => {
  const holder = { kind: "confidential", grantType: "authorization_code", sub: "2f6c" } as const;
  expect(rateIdentityOf("127.0.0.1", { ...holder, clientId: "public" })).toEqual({
    Ip: "127.0.0.1",
    Account: "2f6c",
    Client: "client:public",
  });
  expect(rateIdentityOf("127.0.0.1", undefined)).toEqual({ Ip: "127.0.0.1" });
  const clientOf = (
    kind: "public" | "confidential",
    grantType: typeof holder.grantType | "client_credentials",
  ) => rateIdentityOf("", { ...holder, kind, grantType, clientId: "c" }).Client;
  expect(clientOf("public", "authorization_code")).toBe("public");
  expect(clientOf("confidential", "client_credentials")).toBe("owner:2f6c");
});

it("counts each rule apart, even where two identities have one name", () => {
  const policies = withPolicies({ two: { Account: "1:5:10", Client: "9:5:10" } }, { "*": "two" });
  const limits = new RateLimits(policies, () => 0);
  const of = { group: "leagues", endpoint: "ladder", isProbe: false, now: 0 };
  limits.decide({ ...of, identity: { Account: "x" } });
  expect(limits.decide({ ...of, identity: { Client: "x" } })).toMatchObject({
    allowed: true,
    rules: [{ rule: { name: "Client" }, states: [{ hits: 1 }] }],
  });
});

it("shows the windows that hold anything, of the policies in force, until a reset", () => {
  let now = 0;
  const two = withPolicies({ two: { Account: "1:5:10,9:60:0", Client: "9:5:10" } }, { "*": "two" });
  const limits = new RateLimits(two, () => now);
  const of = { group: "leagues", endpoint: "ladder", isProbe: false };
  limits.decide({ ...of, now, identity: { Account: "a b", Client: "c", Ip: "i" } });
  const long = { rule: "Account", identity: "a b", maxHits: 9, periodSeconds: 60 };
  const held = { policy: "two", hits: 1, restrictedSeconds: 0 };
  expect(limits.windows()).toEqual([
    { ...held, ...long, maxHits: 1, periodSeconds: 5 },
    { ...held, ...long },
    { ...held, rule: "Client", identity: "c", maxHits: 9, periodSeconds: 5 },
  ]);
  now = 5000;
  expect(limits.windows()).toEqual([{ ...held, ...long }]);
  limits.replace(withPolicies({ other: { Ip: "1:1:1" } }));
  expect(limits.windows()).toEqual([]);
  limits.replace(two);
  const copy = new RateLimits(two, () => now);
  copy.decide({ ...of, now, identity: { Account: "gone" } });
  copy.restore(JSON.parse(JSON.stringify(limits.snapshot())));
  for (const one of [limits, copy]) expect(one.windows()).toEqual([{ ...held, ...long }]);
  expect(copy.policies()).toEqual(two);
  limits.replace(withPolicies({}));
  limits.reset();
  expect([limits.windows(), limits.policies()]).toEqual([[], two]);
});
