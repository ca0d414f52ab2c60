import { describe, expect, it } from "@effect/vitest";
import type { FaultMatch, FaultWhen } from "../../src/faults/Fault.ts";
import { FaultRules, type FaultTarget } from "../../src/faults/FaultRules.ts";

const NOW = Date.UTC(2026, 0, 1);
const fault = { kind: "status", status: 503 } as const;
const stream: FaultTarget = {
  method: "GET",
  path: "/public-stash-tabs",
  endpoint: "publicStashTabs.page",
  route: "/public-stash-tabs/:realm?",
  clientId: "example-service",
  account: "Quillon#1182",
  accountId: "uuid-1",
};

/** Which of `requests` requests are hit, counted from 1. */
const hits = (when: FaultWhen, requests: number, now = (_nth: number) => NOW) => {
  let clock = NOW;
  const rules = new FaultRules(() => clock);
  rules.add({ when, fault });
  return Array.from({ length: requests }, (_, index) => index + 1).filter((nth) => {
    clock = now(nth);
    return rules.fire(stream).faults.length > 0;
  });
};

describe("which requests a fault hits", () => {
  it.each<[string, FaultWhen, number, ReadonlyArray<number>]>([
    ["every one, when nothing is said", {}, 3, [1, 2, 3]],
    ["the nth", { nth: 2 }, 4, [2]],
    ["several of them", { nth: [1, 4] }, 5, [1, 4]],
    ["so many at most", { count: 2 }, 5, [1, 2]],
    ["those after the first n", { after: 3 }, 5, [4, 5]],
    ["so many of those", { after: 1, count: 2 }, 5, [2, 3]],
    ["every nth", { every: 3 }, 7, [3, 6]],
    ["none, without a chance", { probability: 0 }, 100, []],
    ["all, for certain", { probability: 1 }, 3, [1, 2, 3]],
  ])("%s: %j", (_, when, requests, expected) => {
    expect(hits(when, requests)).toEqual(expected);
  });

  it("a fault with `from` and `until` hits requests between these virtual times", () => {
    const minute = (nth: number) => NOW + nth * 60_000;
    const when = { from: "2026-01-01T00:02:00Z", until: "2026-01-01T00:04:00Z" };
    expect(hits(when, 6, minute)).toEqual([2, 3]);
  });

  it("a fault hits no request after `ttlSeconds`, and its rule is removed", () => {
    let clock = NOW;
    const rules = new FaultRules(() => clock);
    rules.add({ when: { ttlSeconds: 60 }, fault });
    clock += 59_999;
    expect(rules.fire(stream).faults).toHaveLength(1);
    clock += 1;
    expect(rules.fire(stream).faults).toHaveLength(0);
    expect(rules.list()).toEqual([]);
    expect(rules.list()).toEqual([]);
  });

  it("a fault with a probability hits about this share, and the same requests for a seed", () => {
    const first = hits({ probability: 0.3, seed: 7 }, 1000);
    expect(hits({ probability: 0.3, seed: 7 }, 1000)).toEqual(first);
    expect(hits({ probability: 0.3, seed: 8 }, 1000)).not.toEqual(first);
    expect(first.length).toBeGreaterThan(250);
    expect(first.length).toBeLessThan(350);
  });

  it.each<[string, FaultMatch, boolean]>([
    ["the group", { endpoint: "publicStashTabs" }, true],
    ["the endpoint", { endpoint: "publicStashTabs.page" }, true],
    ["another endpoint", { endpoint: "publicStashTabs.other" }, false],
    ["the route", { route: "/public-stash-tabs/:realm?" }, true],
    ["another route", { route: "/league" }, false],
    ["the begin of the path", { path: "/public" }, true],
    ["another path", { path: "/stash" }, false],
    ["the method", { method: "GET" }, true],
    ["another method", { method: "POST" }, false],
    ["the client", { clientId: "example-service" }, true],
    ["another client", { clientId: "example-web" }, false],
    ["the account's name", { account: "Quillon#1182" }, true],
    ["the account's uuid", { account: "uuid-1" }, true],
    ["another account", { account: "Emberlyn#4071" }, false],
    ["all of several", { endpoint: "publicStashTabs", clientId: "example-service" }, true],
    ["only one of several", { endpoint: "publicStashTabs", clientId: "example-web" }, false],
  ])("a fault that matches %s (%j) hits the request: %s", (_, match, isHit) => {
    const rules = new FaultRules(() => NOW);
    rules.add({ match, fault });
    expect(rules.fire(stream).faults).toHaveLength(isHit ? 1 : 0);
  });

  it("the `nth` of a fault counts only the requests that match its own rule", () => {
    const rules = new FaultRules(() => NOW);
    rules.add({ match: { endpoint: "leagues" }, when: { nth: 2 }, fault });
    const league = { ...stream, endpoint: "leagues.list" };
    expect([stream, league, stream, league].map((t) => rules.fire(t).faults.length)).toEqual([
      0, 0, 0, 1,
    ]);
  });
});

describe("the list of rules", () => {
  it("all fault rules that are due fire, in the order in which they were added", () => {
    const rules = new FaultRules(() => NOW);
    rules.add({ id: "b", fault: { kind: "delay", milliseconds: 1 } });
    rules.add({ id: "a", fault });
    expect(rules.fire(stream).faults.map(({ id }) => id)).toEqual(["b", "a"]);
  });
});
