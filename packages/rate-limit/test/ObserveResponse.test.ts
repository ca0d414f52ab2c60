/**
 * Which of our hits a server's count shows to have left a window: those alone that surely came
 * before the ones it counts.
 */
import { describe, expect, it } from "vitest";
import { settle } from "../src/internal/observeResponse.ts";
import { entriesOf } from "../src/internal/Planner.ts";
import { type Hit, type PolicyState, unknownPolicy } from "../src/internal/PolicyState.ts";
import { xRateLimit } from "../src/RateLimitDialect.ts";

const hit = (id: string, at: number, settled: number, more: Partial<Hit> = {}): Hit => ({
  id,
  at,
  settled,
  lease: 60_000,
  ...more,
});

const answer = (state: PolicyState, id: string, sentAt: number, now: number, count: number) => {
  const headers = {
    "x-rate-limit-rules": "account",
    "x-rate-limit-account": "9:10:60",
    "x-rate-limit-account-state": `${count}:10:0`,
  };
  return settle(state, {
    id,
    now,
    sentAt,
    status: 200,
    reading: xRateLimit.read(headers, now),
    counted: true,
    assumedBucketOf: () => 5000,
  });
};

/**
 * Which hits the window may still count after an answer, sent at 1000, that counts `count`: its own
 * request and others.
 */
const leftAfter = (count: number, hits: ReadonlyArray<Hit>): ReadonlyArray<string> => {
  const known = answer(unknownPolicy("p"), "first", 0, 1, 1);
  const state = answer({ ...known, hits }, "self", 1000, 1010, count);
  const [window] = state.windows;
  return window ? entriesOf(state, window).map(({ id }) => id) : [];
};

describe("a hit is taken for gone", () => {
  it("when as many as the server counts were sent after its answer [NS-11]", () => {
    expect(leftAfter(2, [hit("a", 100, 150), hit("b", 200, 250)])).toEqual(["b", "self"]);
  });

  it("not when one of those was sent while it was under way: which came first is unknown [NS-11]", () => {
    const slow = hit("slow", 100, 900);
    const hits = [slow, hit("b", 200, 300), hit("c", 400, 500)];
    expect(leftAfter(3, hits)).toEqual(["slow", "b", "c", "self"]);
  });

  it("not when one of those may never have arrived [NS-11]", () => {
    const lost = hit("lost", 300, 400, { uncertain: true });
    expect(leftAfter(2, [hit("a", 100, 150), lost])).toEqual(["a", "lost", "self"]);
  });

  it("not when one of those is a stranger's [NS-11]", () => {
    const stranger = hit("stranger", 300, 300, { window: "account:10000" });
    expect(leftAfter(3, [hit("a", 100, 150), stranger])).toEqual(["a", "stranger", "self"]);
  });

  it("not when it was sent, answered and followed within one millisecond [NS-11]", () => {
    expect(leftAfter(2, [hit("a", 100, 100), hit("b", 200, 200)])).toEqual(["b", "self"]);
    expect(leftAfter(2, [hit("a", 200, 200), hit("b", 200, 200)])).toEqual(["a", "b", "self"]);
  });
});
