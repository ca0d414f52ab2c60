/** Requests in flight: each is counted once, and each ends. */
import { Effect } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settle } from "../src/core/learn.ts";
import { busyUntil, closeLease, expireLeases, firstDeadline } from "../src/core/leases.ts";
import { cancel, tryAcquire } from "../src/core/plan.ts";
import type { Grant } from "../src/core/State.ts";
import { defaultOptions, newState, policyNamed } from "../src/core/State.ts";
import type { State } from "../src/core/State.ts";
import type { LimiterEvent } from "../src/Model.ts";
import { PolicyLimiter } from "../src/effect/index.ts";
import { createLimiter, RequestNotSentError } from "../src/index.ts";
import { one } from "./model/regimes.ts";
import { simulate } from "./model/simulate.ts";
import { sliding } from "./model/sliding.ts";
import { startQueue } from "./model/startQueue.ts";

describe("requests that never end", () => {
  it("give their places back after `inFlightTimeout`; the error before tells of them", async () => {
    const events: Array<LimiterEvent> = [];
    const { call, granted, pass, queue, refused } = startQueue({
      maxInFlight: 2,
      inFlightTimeout: 90_000,
      onEvent: (event) => events.push(event),
    });
    call("GET /a");
    await pass(10_000);
    call("GET /b");
    await pass(51_000);
    call("GET /c", 2000);
    await pass(3000);
    expect(granted).toHaveLength(2);
    expect(refused[0]).toMatchObject({
      kind: "wait-too-long",
      retryAfterMillis: 27_000,
      inFlight: { count: 2, oldestMillis: 63_000 },
    });
    expect(new RequestNotSentError(refused[0]!).message).toBe(
      "The request was not sent: 2 requests are in flight, the oldest for 63 s, and none ended within its maximum wait. Try again in 27 s.",
    );
    call("GET /c");
    await pass(27_000);
    expect(granted).toHaveLength(3);
    expect(events).toContainEqual({ type: "lost", route: "GET /a", afterMillis: 90_000 });
    // Its response comes all the same, and gives no place back a second time.
    await queue.settle(granted[0]!, { status: 200 });
    call("GET /d", 1000);
    await pass(2000);
    expect(granted).toHaveLength(3);
  });

  it("are told at that time, also while nothing else is asked", async () => {
    const lost: Array<LimiterEvent> = [];
    const onEvent = (event: LimiterEvent) => event.type === "lost" && lost.push(event);
    const { call, pass, queue } = startQueue({ inFlightTimeout: 90_000, maxInFlight: 2, onEvent });
    call("GET /a");
    await pass(60_000);
    call("GET /b");
    await pass(30_000);
    expect(lost).toEqual([{ type: "lost", route: "GET /a", afterMillis: 90_000 }]);
    await pass(59_999);
    expect(lost).toHaveLength(1);
    await pass(1);
    expect(lost).toHaveLength(2);
    call("GET /c");
    await queue.close();
    await pass(90_000);
    expect(lost).toHaveLength(2);
  });

  it("make way at that time for those who wait for their responses", async () => {
    const { call, granted, pass } = startQueue({ inFlightTimeout: 1000 });
    call();
    call();
    await pass(999);
    expect(granted).toHaveLength(1);
    await pass(1);
    expect(granted).toHaveLength(2);
  });

  it("keep no program from ending", async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await createLimiter().acquire({ route: "GET /a" });
    const closed = createLimiter();
    closed.pause();
    const refused = closed.acquire({ route: "GET /a", maxWait: 60_000 });
    await Promise.all([expect(refused).rejects.toThrow("closed"), closed.close()]);
    const silent = createLimiter();
    for (let index = 0; index < 2; index++) {
      const { settle: end } = await silent.acquire({ route: "GET /a" });
      if (index === 1) await silent.acquire({ route: "GET /a" });
      await end({ status: 200 });
    }
    const acquire = Effect.flatMap(PolicyLimiter, ({ submit }) =>
      Effect.sync(() =>
        submit({ route: "GET /a" }, { granted: () => undefined, refused: () => undefined }),
      ),
    );
    await Effect.runPromise(Effect.provide(acquire, PolicyLimiter.layerMemory()));
    expect(timers()).toBe(before);
  });

  it.each([1, 2, 3])("cost few of the requests that fit, seed %i [NS-11]", (seed) => {
    const server = one("30:60");
    const never = { late: (random: () => number) => (random() < 0.02 ? Infinity : 0) };
    const run = simulate(
      { name: "2 % never answered", server, fibers: 8, target: 90, ...never },
      seed,
    );
    expect(run.violations).toBe(0);
    expect(run.utilisation).toBeGreaterThanOrEqual(90);
    const late = { late: (random: () => number) => (random() < 0.05 ? 100_000 : 0) };
    const slow = simulate(
      {
        name: "5 % after 100 s",
        server,
        fibers: 8,
        core: { inFlightTimeout: 20_000 },
        target: 84,
        ...late,
      },
      seed,
    );
    expect(slow.violations).toBe(0);
    expect(slow.utilisation).toBeGreaterThanOrEqual(84);
  });
});

describe("the table of leases", () => {
  /** Each policy counts the leases that name it, and each log is in order. */
  const isConsistent = (state: State): boolean =>
    [...state.policies.values()].every(({ inFlight, name, windows }) => {
      const named = [...state.leases.values()].filter(({ policies }) => policies.includes(name));
      const ids = named.map(({ id }) => id).toSorted();
      const logs = windows.flatMap((window) => [...window.logs.values()]);
      return (
        ids.join() === [...inFlight.keys()].toSorted().join() &&
        logs.every(({ hits, ordered }) =>
          hits
            .slice(0, ordered)
            .every((hit, at) => at === 0 || hits[at - 1]!.received <= hit.received),
        )
      );
    });

  it("holds over random outcomes, expiries and late answers", () => {
    const step = fc.record({
      kind: fc.constantFrom("ask", "ask", "answer", "late", "cancel", "refused", "pass"),
      pick: fc.nat(),
      millis: fc.integer({ min: 0, max: 4000 }),
    });
    let steps = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 400, maxLength: 600 }), (list) => {
        const state = newState();
        const options = { ...defaultOptions, inFlightTimeout: 9000 };
        const service = sliding("p", [{ max: 8, period: 10_000 }]);
        const open: Array<Grant> = [];
        const gone: Array<Grant> = [];
        let now = 0;
        for (const { kind, millis, pick } of list) {
          steps++;
          now += millis / 8;
          for (const grant of expireLeases(state, now)) {
            open.splice(open.indexOf(grant), 1);
            gone.push(grant);
          }
          if (firstDeadline(state) <= now) return false;
          const pool = kind === "late" ? gone : open;
          const [grant] =
            kind === "ask" || kind === "pass" ? [] : pool.splice(pick % (pool.length || 1), 1);
          if (kind === "ask") {
            const route = `GET /${pick % 3}`;
            const ask = { id: `${steps}`, route, identity: `${pick % 2}` };
            const answer = tryAcquire(state, ask, now, options);
            if (!("until" in answer)) open.push(answer);
          } else if (kind === "pass") now += millis;
          else if (grant && kind === "cancel") cancel(state, grant, options);
          else if (grant) {
            const { headers } = service.handle(now);
            const policy = { policy: "p", windows: [], retryAfterMillis: 500 };
            const count = Number(headers["x-rate-limit-account-state"]?.split(":")[0]);
            const window = {
              rule: "account",
              max: 8,
              periodMillis: 10_000,
              hits: count,
            };
            const info = { ...policy, windows: [window] };
            settle(
              state,
              grant,
              { status: kind === "refused" ? 429 : 200, info, at: now },
              options,
            );
          }
          if (!isConsistent(state)) return false;
        }
        return true;
      }),
      { numRuns: 205, seed: 7, endOnFailure: true },
    );
    expect(steps).toBeGreaterThan(100_000);
  });
});

describe("what is in flight in a policy", () => {
  it.each([
    ["leaves room", [0, 1000], 0, 3, 500, 500],
    ["is waited for", [0], 0, 1, 500, 5000],
    ["is waited for as long as eight round trips", [0], 1000, 1, 500, 8000],
    ["is overdue", [0], 0, 1, 6000, 6000],
    ["is looked at again when the oldest is overdue", [0, 4000], 0, 1, 4500, 5000],
    ["is as many as are not overdue", [0, 4000], 0, 1, 5000, 9000],
  ] as const)("%s", (_, grantedAt, roundTrip, most, now, until) => {
    const inFlight = new Map(grantedAt.map((at) => [`${at}`, at]));
    const policy = { ...policyNamed(newState(), "p"), inFlight, roundTrip };
    expect(busyUntil(policy, most, now)).toBe(until);
  });

  it("closes once, also when its policy is forgotten meanwhile", () => {
    const state = newState();
    const ask = (id: string, now: number): Grant => {
      const answer = tryAcquire(
        state,
        { id, route: "GET /a", identity: "me" },
        now,
        defaultOptions,
      );
      if ("until" in answer) throw new Error(answer.reason);
      return answer;
    };
    const lost = ask("1", 0);
    expect(expireLeases(state, 89_999)).toEqual([]);
    expect(expireLeases(state, 90_000)).toEqual([lost]);
    cancel(state, ask("2", 90_000), defaultOptions);
    expect(state.policies.size).toBe(0);
    expect(closeLease(state, lost)).toBe(false);
    expect(closeLease(state, ask("3", 90_000))).toBe(true);
  });
});

describe("a response after the deadline", () => {
  it("is counted from when it came", () => {
    const state = newState();
    const options = { ...defaultOptions, bucketSizes: [], inFlightTimeout: 1000 };
    const window = { rule: "account", max: 3, periodMillis: 30_000 };
    const info = { policy: "p", windows: [window], retryAfterMillis: undefined };
    const ask = (now: number) =>
      tryAcquire(state, { id: `${now}`, route: "GET /a", identity: "me" }, now, options);
    const grantAt = (now: number): Grant => {
      const answer = ask(now);
      if ("until" in answer) throw new Error(answer.reason);
      return answer;
    };
    const answer = (grant: Grant, at: number) =>
      settle(state, grant, { status: 200, info, at }, options);
    answer(grantAt(0), 10);
    const late = grantAt(40_000);
    expireLeases(state, 41_000);
    answer(grantAt(42_000), 42_010);
    settle(state, late, { status: 200, info: undefined, at: 55_000 }, options);
    answer(grantAt(56_000), 56_010);
    // The service may have counted the late one as late as it came.
    expect(ask(57_000)).toMatchObject({ reason: "window" });
    answer(grantAt(72_500), 72_510);
    const { hits } = state.policies.get("p")!.windows[0]!.logs.get("me")!;
    expect(hits.map(({ id, received }) => [id, received])).toContainEqual(["40000", 55_000]);
    expect(ask(84_000)).toMatchObject({ reason: "window" });
  });
});

describe("a success", () => {
  it("of before a refusal does not end the caution after it", () => {
    const state = newState();
    const window = { rule: "account", max: 9, periodMillis: 10_000, hits: 1 };
    const info = { policy: "p", windows: [window], retryAfterMillis: undefined };
    const ask = (id: string, now: number): Grant => {
      const wanted = { id, route: "GET /a", identity: "me" };
      const answer = tryAcquire(state, wanted, now, defaultOptions);
      if ("until" in answer) throw new Error(answer.reason);
      return answer;
    };
    settle(state, ask("1", 0), { status: 200, info, at: 10 }, defaultOptions);
    const [second, third] = [ask("2", 20_000), ask("3", 20_000)];
    settle(state, second, { status: 429, info, at: 20_010 }, defaultOptions);
    settle(state, third, { status: 200, info, at: 20_020 }, defaultOptions);
    expect(state.policies.get("p")).toMatchObject({ recovering: true, refusals: 1 });
  });

  it.each([
    [200, false, 0],
    [499, false, 0],
    [500, true, 1],
    [429, true, 2],
    [undefined, true, 1],
  ])(
    "is what ends it: status %s, still cautious %s, refusals %i",
    (status, recovering, refusals) => {
      const state = newState();
      const info = { policy: "p", windows: [], retryAfterMillis: undefined };
      for (const [index, each] of [200, 429, status].entries()) {
        const at = index * 20_000;
        const ask = { id: `${index}`, route: "GET /a", identity: "me" };
        const grant = tryAcquire(state, ask, at, defaultOptions);
        if ("until" in grant) throw new Error(grant.reason);
        settle(state, grant, { status: each, info, at: at + 10 }, defaultOptions);
      }
      expect(state.policies.get("p")).toMatchObject({ recovering, refusals });
    },
  );
});
