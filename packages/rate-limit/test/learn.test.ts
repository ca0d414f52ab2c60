/** What one response changes of everything that is known: tables of one response each. */
import { describe, expect, it } from "vitest";
import { NEVER } from "../src/core/basics.ts";
import { settle } from "../src/core/learn.ts";
import { expireLeases } from "../src/core/leases.ts";
import { tryAcquire } from "../src/core/plan.ts";
import { defaultOptions, namePolicy, newState, policyNamed, STATED } from "../src/core/State.ts";
import type { CoreOptions, Grant, Policy, Response, State } from "../src/core/State.ts";
import type { RateLimitInfo, RateLimitWindow } from "../src/RateLimitDialect.ts";

const plainOptions = { ...defaultOptions, bucketSizes: [] };

/** `account:5:10` allows five in ten seconds; `account:5:10:3` has counted three of them. */
const windowOf = (text: string): RateLimitWindow => {
  const [rule = "", max, seconds, hits] = text.split(":");
  const window = { rule, max: Number(max), periodMillis: Number(seconds) * 1000 };
  return hits === undefined ? window : { ...window, hits: Number(hits) };
};
const infoOf = (
  policy: string | undefined,
  windows: ReadonlyArray<string> = [],
  more: Partial<RateLimitInfo> = {},
): RateLimitInfo => ({
  policy,
  windows: windows.map(windowOf),
  retryAfterMillis: undefined,
  ...more,
});

let serial = 0;
const ask = (state: State, at: number, route = "GET /a", options: CoreOptions = plainOptions) => {
  const answer = tryAcquire(state, { id: `${serial++}`, route, identity: "me" }, at, options);
  if ("until" in answer) throw new Error(answer.reason);
  return answer;
};
const answer = (
  state: State,
  grant: Grant,
  response: Partial<Response> = {},
  options: CoreOptions = plainOptions,
): Grant => {
  const at = response.at ?? grant.grantedAt + 10;
  settle(state, grant, { status: 200, info: undefined, ...response, at }, options);
  return grant;
};

/** A route whose policy `p` has these windows. */
const learned = (...windows: ReadonlyArray<string>) => {
  const state = newState();
  answer(state, ask(state, 0), { info: infoOf("p", windows) });
  return { state, policy: policyNamed(state, "p") };
};
const idsOf = ({ windows }: Policy) =>
  windows.map(({ logs }) => [...logs.values()].flatMap(({ hits }) => hits.map(({ id }) => id)));
const keysOf = ({ windows }: Policy) => windows.map(({ key }) => key);

describe("a request without a response", () => {
  it("tells nothing, and may have been counted", () => {
    const state = newState();
    const grant = answer(state, ask(state, 0), { status: undefined });
    expect(grant.hit.uncertain).toBe(true);
    expect(state.isHeard).toBe(false);
    expect(policyNamed(state, "?GET /a")).toMatchObject({ limits: "unknown", trips: 0 });
  });

  it("keeps its place under the policy whose guest it was", () => {
    const { policy, state } = learned("account:50:10");
    const guest = ask(state, 1000, "GET /b");
    expect(guest.guestOf).toBe("p");
    answer(state, guest, { status: undefined });
    expect(idsOf(policy)[0]).toContain(guest.id);
  });
});

describe("a response", () => {
  it("is heard, and certain", () => {
    const state = newState();
    const grant = answer(state, ask(state, 0));
    expect([grant.hit.uncertain, grant.hit.received, state.isHeard]).toEqual([undefined, 10, true]);
  });

  it.each([
    [200, "none"],
    [399, "none"],
    [400, "unknown"],
    [500, "unknown"],
  ])("with %i and without limits leaves them %s", (status, limits) => {
    const state = newState();
    answer(state, ask(state, 0), { status });
    expect(policyNamed(state, "?GET /a").limits).toBe(limits);
  });

  it("whose windows have no name tells those of its route, and teaches no guess", () => {
    const { policy, state } = learned("account:50:10");
    const guest = ask(state, 1000, "GET /b");
    answer(state, guest, { info: infoOf(undefined, ["ip:7:5"]) });
    expect(keysOf(policyNamed(state, "?GET /b"))).toEqual(["ip:5000"]);
    expect(keysOf(policy)).toEqual(["account:10000"]);
    expect(idsOf(policy)[0]).not.toContain(guest.id);
    answer(state, ask(state, 2000), { info: infoOf(undefined, ["account:40:10"]) });
    expect(policy.windows[0]!.max).toBe(40);
  });

  it("of a guest that tells nothing teaches its host nothing", () => {
    const { policy, state } = learned("account:50:10");
    const { trips } = policy;
    answer(state, ask(state, 1000, "GET /b"));
    expect(policy.trips).toBe(trips);
  });

  it("has its earliest stamp moved once, however many policies its route has", () => {
    const { policy, state } = learned("account:50:10");
    namePolicy(state, "GET /a", "q", 500);
    for (const each of [policy, policyNamed(state, "q")])
      Object.assign(each, { limits: "learned", minRoundTrip: 100, shortest: 100 });
    const grant = answer(state, ask(state, 1000), { at: 1100 });
    expect(grant.policies).toEqual(["p", "q"]);
    expect(grant.hit.sent).toBe(1070);
  });
});

describe("a response after its deadline", () => {
  const lateOf = (state: State) => {
    const late = ask(state, 1000);
    expireLeases(state, late.hit.lostAt);
    const next = answer(state, ask(state, late.hit.lostAt + 1));
    expect(late.hit).toMatchObject({ received: late.hit.lostAt, uncertain: true });
    return { late, next, at: late.hit.lostAt + 1000 };
  };

  it("is certain, and stands where it came", () => {
    const { policy, state } = learned("account:50:600");
    const { at, late, next } = lateOf(state);
    answer(state, late, { at });
    expect(late.hit.received).toBe(at);
    expect("uncertain" in late.hit).toBe(false);
    expect(idsOf(policy)[0]!.slice(-2)).toEqual([next.id, late.id]);
  });

  it("is counted nowhere anew where it was counted no more, or where its policy is gone", () => {
    const { policy, state } = learned("account:50:600");
    const { at, late } = lateOf(state);
    for (const log of policy.windows[0]!.logs.values()) log.hits = [];
    answer(state, late, { at });
    expect(idsOf(policy)).toEqual([[]]);
    state.policies.delete("p");
    answer(state, late, { at, info: infoOf("q", ["account:5:10"]) });
    expect(idsOf(policyNamed(state, "q"))).toEqual([[late.id]]);
  });
});

describe("the windows of a policy", () => {
  it.each<[string, ReadonlyArray<string>, number, ReadonlyArray<string>]>([
    ["stay, where they are named again", ["a:5:10", "b:9:60"], 5000, ["a:10000", "b:60000"]],
    ["stay, though one is not named", ["a:5:10"], 300_009, ["a:10000", "b:60000"]],
    ["go, where they have long not been named", ["a:5:10"], 300_010, ["a:10000"]],
    ["go, where their rule has another period", ["a:5:20", "b:9:60"], 5000, ["b:60000", "a:20000"]],
    [
      "are more, where a rule has one more",
      ["a:5:10", "a:9:20"],
      5000,
      ["a:10000", "b:60000", "a:20000"],
    ],
    ["go, where other rules come", ["a:5:10", "c:9:60"], 5000, ["a:10000", "c:60000"]],
    ["are replaced by those of other rules", ["c:9:60"], 5000, ["c:60000"]],
  ])("%s", (_, windows, at, keys) => {
    const { policy, state } = learned("a:5:10", "b:9:60");
    answer(state, ask(state, at - 10), { info: infoOf("p", windows), at });
    expect(keysOf(policy)).toEqual(keys);
  });

  it("are remembered for two of their periods, if that is longer", () => {
    const { policy, state } = learned("a:5:10", "b:9:200");
    const sizes = [400_009, 400_010].map((at) => {
      answer(state, ask(state, at - 10), { info: infoOf("p", ["a:5:10"]), at });
      return policy.windows.length;
    });
    expect(sizes).toEqual([2, 1]);
  });

  it("have the requests that were sent before they were known, each once", () => {
    const state = newState();
    const first = answer(state, ask(state, 0));
    const [second, third] = [ask(state, 100), ask(state, 100)];
    answer(state, second, { info: infoOf("p", ["account:50:60"]) });
    const policy = policyNamed(state, "p");
    expect(idsOf(policy)).toEqual([[second.id, first.id, third.id].toSorted()]);
    expect(policy.unplaced).toEqual([]);
    answer(state, third, { at: 200, info: infoOf("p", ["account:50:60"]) });
    expect(idsOf(policy)[0]).toHaveLength(3);
  });

  it("forget what was sent before, once they are known", () => {
    const state = newState();
    answer(state, ask(state, 0));
    const policy = policyNamed(state, "?GET /a");
    expect(policy.unplaced).toHaveLength(1);
    answer(state, ask(state, 100), { info: infoOf(undefined, ["account:50:60"]) });
    expect(policy.unplaced).toEqual([]);
  });

  it("make those wait that come while others are in flight", () => {
    const state = newState();
    answer(state, ask(state, 0));
    const policy = policyNamed(state, "?GET /a");
    const [second, third] = [ask(state, 100), ask(state, 100)];
    answer(state, second, { info: infoOf(undefined, ["account:50:60"]) });
    expect(policy.waitedAt).toBe(110);
    answer(state, third, { at: 200, info: infoOf(undefined, ["account:50:60"]) });
    expect(policy.waitedAt).toBe(110);
    expect(learned("account:50:60").policy.waitedAt).toBe(-NEVER);
  });
});

describe("a restriction", () => {
  it.each([
    [undefined, 6000],
    [5, 5005],
  ])("holds its policy for as long as it says, to %i ms", (roundingMillis, millis) => {
    const { policy, state } = learned("account:50:10");
    const window = { ...windowOf("account:50:10"), restrictedMillis: 5000 };
    const rounding = roundingMillis === undefined ? {} : { roundingMillis };
    const info = { ...infoOf("p"), windows: [window], ...rounding };
    answer(state, ask(state, 1000), { info });
    expect(policy.blockedUntil).toBe(1010 + millis);
  });
});

describe("after a refusal", () => {
  const refused = { recovering: true, refusals: 2 };
  it.each([
    [200, 0, true],
    [404, 0, true],
    [499, 0, true],
    [500, 0, false],
    [502, 0, false],
    [200, 1, false],
  ])("%i of a request sent %i ms before it ends the caution: %s", (status, before, isOver) => {
    const { policy, state } = learned("account:50:10");
    const lessons: Array<number | undefined> = [];
    const adaptive: CoreOptions["adaptive"] = (_, lesson) => void lessons.push(lesson.status);
    const grant = ask(state, 1000);
    Object.assign(policy, refused, { blockedSince: 1000 + before });
    answer(state, grant, { status }, { ...plainOptions, adaptive });
    expect(policy).toMatchObject(isOver ? { recovering: false, refusals: 0 } : refused);
    expect(lessons).toEqual(isOver ? [status] : []);
  });

  it("one that was refused at once is told once", () => {
    const { policy, state } = learned("account:50:10");
    const lessons: Array<number | undefined> = [];
    const adaptive: CoreOptions["adaptive"] = (_, lesson) => void lessons.push(lesson.status);
    answer(state, ask(state, 1000), { status: 429, at: 1000 }, { ...plainOptions, adaptive });
    expect(policy).toMatchObject({ recovering: true, refusals: 1, blockedUntil: 16_000 });
    expect(lessons).toEqual([429]);
  });

  it.each<[string, Partial<RateLimitInfo> | undefined, number, number]>([
    ["nothing", undefined, 30_000, 2],
    ["no wait", {}, 30_000, 2],
    ["a wait", { retryAfterMillis: 5000 }, 6000, 1],
    ["an exact wait", { retryAfterMillis: 5000, roundingMillis: 5 }, 5005, 1],
  ])("with %s a policy waits", (_, more, millis, refusals) => {
    const { policy, state } = learned("account:50:10");
    Object.assign(policy, { refusals: 1, blockedSince: 1000 });
    const info = more && infoOf("p", [], more);
    answer(state, ask(state, 1000), { status: 429, info });
    expect(policy).toMatchObject({ blockedUntil: 1010 + millis, refusals, blockedSince: 1010 });
  });

  it("those sent before it are part of the same incident", () => {
    const { policy, state } = learned("account:50:10");
    const grant = ask(state, 1000);
    Object.assign(policy, { blockedSince: 1001 });
    answer(state, grant, { status: 429 });
    expect(policy).toMatchObject({ refusals: 0, blockedSince: 1001, recovering: true });
  });
});

describe("a refusal under limits that the program stated", () => {
  it.each([
    [20, 5, 18],
    [20, 19, 18],
    [20, 20, 19],
    [20, 30, 19],
    [2, 2, 1],
    [1, 1, 1],
  ])("lowers them: from %i, of which %i were used, to %i", (max, used, lowered) => {
    const state = newState();
    const options = { ...plainOptions, stated: [{ max, period: 60_000 }] };
    const grant = ask(state, 1000, "GET /a", options);
    const [window] = policyNamed(state, STATED).windows;
    const [log] = [...window!.logs.values()];
    for (let index = 1; index < used; index++)
      log!.hits.unshift({ id: "x", sent: 0, received: 10, lostAt: 90_000 });
    answer(state, grant, { status: 429 }, options);
    expect(window!.max).toBe(lowered);
  });
});

describe("a refusal that the own count did not foresee", () => {
  interface Blamed {
    readonly counts?: boolean;
    readonly isPlain?: boolean;
    readonly pad?: number;
    readonly arrivals?: boolean;
    readonly buckets?: ReadonlyArray<number>;
  }
  /** The pad and the number of hypotheses of a window after a refusal; one request is known. */
  const blamed = (window: string, told: ReadonlyArray<string> | undefined, more: Blamed = {}) => {
    const { arrivals, buckets = [], counts = false, isPlain, pad = 0 } = more;
    const options = { ...plainOptions, bucketSizes: buckets };
    const state = newState();
    answer(state, ask(state, 0), { info: infoOf("p", ["other:900:9", window]) }, options);
    const [, known] = policyNamed(state, "p").windows;
    const grant = ask(state, 1000, "GET /a", options);
    Object.assign(known!, { isPlain });
    Object.assign(known!.belief, { counts, pad });
    const [log] = [...known!.logs.values()];
    const arrived = [{ at: 500, millis: 100, weight: 1 }];
    if (arrivals !== undefined)
      log!.foreign = { hits: [], arrivals: arrivals ? arrived : [], residual: 0 };
    const windows = told?.map((text) => ({ ...windowOf(text), ...(isPlain && { isPlain }) }));
    const info = told && { ...infoOf("p"), windows: windows! };
    answer(state, grant, { status: 429, info }, options);
    return [known!.belief.pad, known!.belief.living.length];
  };

  it.each<[string, number, number]>([
    ["a:5:10", 0, 5000],
    ["a:5:59", 0, 5000],
    ["a:5:60", 0, 60_000],
    ["a:5:10", 5000, 60_000],
    ["a:5:10", 60_000, 60_000],
  ])("pads a window without counts: %s, padded by %i, by %i", (window, pad, padded) => {
    expect(blamed(window, undefined, { pad })[0]).toBe(padded);
  });

  it("pads none of which counts are known, though not in this response", () => {
    expect(blamed("a:5:10", undefined, { counts: true })).toEqual([0, 1]);
  });

  it.each<[string, ReadonlyArray<string>, Blamed, ReadonlyArray<number>]>([
    ["more than are allowed, and than are known", ["other:900:9", "a:5:10:6"], {}, [1000, 1]],
    ["no more than are allowed", ["other:900:9", "a:5:10:5"], {}, [0, 1]],
    ["no more than are known", ["other:900:9", "a:1:10:2"], {}, [0, 1]],
    ["one more than are known", ["other:900:9", "a:1:10:3"], {}, [1000, 1]],
    ["others sent", ["other:900:9", "a:5:10:6"], { arrivals: true }, [0, 1]],
    ["others sent, and do no more", ["other:900:9", "a:5:10:6"], { arrivals: false }, [1000, 1]],
    ["a pad was too short", ["other:900:9", "a:5:10:6"], { pad: 2000 }, [4000, 1]],
    ["a pad is as long as can be", ["other:900:9", "a:5:10:6"], { pad: 50_000 }, [60_000, 1]],
    ["buckets explain it", ["other:900:9", "a:5:10:6"], { buckets: [1000] }, [0, 65]],
    ["it has no buckets", ["other:900:9", "a:5:10:6"], { buckets: [1000], isPlain: true }, [0, 1]],
    ["another window counts", ["other:900:9:950", "a:5:10"], {}, [5000, 1]],
  ])("starts over where it counts %s", (_, told, more, seen) => {
    expect(blamed("a:5:10", told, { counts: !told[1]!.endsWith("a:5:10"), ...more })).toEqual(seen);
  });
});
