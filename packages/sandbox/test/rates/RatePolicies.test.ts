import { describe, expect, it } from "vitest";
import { routes as ROUTES } from "@game-data/contract/routes";
import { formatIssues, issuesOf } from "../../src/internal/issues.ts";
import { identities, RateLimits } from "../../src/rates/RateLimits.ts";
import { RatePolicies, rateProfiles } from "../../src/rates/RatePolicies.ts";

const { generous, realistic } = rateProfiles;

const withPolicies = (policies: RatePolicies["policies"], endpoints = {}): RatePolicies => ({
  enabled: true,
  hiddenBuckets: null,
  policies,
  endpoints,
});

const problemOf = (policies: RatePolicies) => formatIssues(issuesOf(RatePolicies, policies));

const WHO = { Ip: "i", Account: "a", Client: "c" };
const NOBODY = { Ip: undefined, Account: undefined, Client: undefined };

const policyOf = (policies: RatePolicies, endpoint: string) =>
  new RateLimits(policies).decide({ endpoint, isProbe: true }, WHO, 0);

describe("rate policies as data", () => {
  it("find the policy of an endpoint by the most precise name", () => {
    const policies = withPolicies(
      { one: { Ip: "1:1:1" }, group: { Ip: "1:1:1" }, all: { Ip: "1:1:1" } },
      { "leagues.ladder": "one", leagues: "group", "*": "all" },
    );
    expect(policyOf(policies, "leagues.ladder")?.policy).toBe("one");
    expect(policyOf(policies, "leagues.get")?.policy).toBe("group");
    expect(policyOf(policies, "profile.get")?.policy).toBe("all");
    expect(policyOf(withPolicies({}), "profile.get")).toBeUndefined();
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
    ["an unknown policy", withPolicies({}, { "*": "p" }), '/endpoints/*: there is no policy "p"'],
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
        const { headers = {} } = policyOf(document, `${group}.any`) ?? {};
        expect(headers["x-rate-limit-rules"]).toContain("Client");
      }
  });
});

it("counts no client named `public` with the public clients, and nobody by an address alone", () => {
  const holder = {
    kind: "confidential",
    grantType: "authorization_code",
    sub: "2f6c",
    username: "A#1",
    scopes: [],
  } as const;
  expect(identities("127.0.0.1", { ...holder, clientId: "public" })).toEqual({
    Ip: "127.0.0.1",
    Account: "2f6c",
    Client: "client:public",
  });
  expect(identities("127.0.0.1", undefined)).toEqual({ ...NOBODY, Ip: "127.0.0.1" });
  const clientOf = (
    kind: "public" | "confidential",
    grantType: typeof holder.grantType | "client_credentials",
  ) => identities("", { ...holder, kind, grantType, clientId: "c" }).Client;
  expect(clientOf("public", "authorization_code")).toBe("public");
  expect(clientOf("confidential", "client_credentials")).toBe("owner:2f6c");
});

const LADDER = { endpoint: "leagues.ladder", isProbe: false };

it("counts each rule apart, even where two identities have one name", () => {
  const policies = withPolicies({ two: { Account: "1:5:10", Client: "9:5:10" } }, { "*": "two" });
  const limits = new RateLimits(policies);
  limits.decide(LADDER, { ...NOBODY, Account: "x" }, 0);
  expect(limits.decide(LADDER, { ...NOBODY, Client: "x" }, 0)).toMatchObject({
    allowed: true,
    headers: { "x-rate-limit-rules": "Client", "x-rate-limit-client-state": "1:5:0" },
  });
});
