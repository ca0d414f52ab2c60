/** Properties of the planner's parts, over random states. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addHighCount, leavesBy, narrow, newBuckets } from "../src/Buckets.ts";
import { addHit, countFrom, mapDocuments, removeHits, type Window } from "../src/Documents.ts";
import { accountWindow, nextOpening } from "../src/Window.ts";

/** The time at which a server with buckets forgets a request stamped `x`. */
const departure = (x: number, size: number, phase: number, period: number): number =>
  (size === 0 ? x : (Math.floor((x - phase) / size) + 1) * size + phase) + period;

const SIZES = [0, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000];

describe("hidden buckets", () => {
  it("true counts never rule out the real bucket size, and no request is expected to leave too early", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SIZES),
        fc.integer({ min: 0, max: 19_999 }),
        fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 1, maxLength: 60 }),
        (size, phase, stamps) => {
          const period = 10_000;
          const buckets = newBuckets({ period, max: 15, isExact: false }, 0);
          buckets.hasCounts = true;
          for (const stamp of stamps.toSorted((a, b) => a - b)) {
            const leaves = departure(stamp, size, phase, period);
            expect(leavesBy(buckets, stamp)).toBeGreaterThanOrEqual(leaves);
            // A count before the departure, and one after it.
            addHighCount(buckets, stamp, leaves - 1);
            narrow(buckets, stamp, leaves);
          }
        },
      ),
      { numRuns: 200, seed: 3 },
    );
  });
});

const time = fc.integer({ min: 0, max: 100_000 });
const state = fc.record({
  max: fc.integer({ min: 1, max: 4 }),
  period: fc.constantFrom(2000, 10_000, 60_000),
  hits: fc.array(fc.tuple(time, fc.integer({ min: 0, max: 2000 })), { maxLength: 8 }),
  foreign: fc.array(fc.tuple(time, fc.integer({ min: 1, max: 5 })), { maxLength: 4 }),
  count: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  mean: fc.option(fc.float({ min: 0, max: 9, noNaN: true }), { nil: undefined }),
  reserve: fc.integer({ min: 0, max: 3 }),
  now: fc.integer({ min: 100_000, max: 130_000 }),
});

const makeTarget = ({
  count,
  foreign,
  hits,
  max,
  mean,
  period,
}: typeof state extends fc.Arbitrary<infer A> ? A : never) => {
  const window: Window = {
    key: "w",
    rule: "account",
    period,
    isExact: false,
    max,
    seenAt: 0,
    impossibleCounts: 0,
    buckets: { ...newBuckets({ period, max, isExact: false }, 0), hasCounts: count !== undefined },
  };
  const log = mapDocuments(new Map()).requestLog("p", "");
  for (const [sentAt, trip] of hits) addHit(log, { sentAt, receivedAt: sentAt + trip });
  log.windows["w"] = {
    leftBefore: 0,
    foreign: foreign
      .toSorted(([one], [other]) => one - other)
      .map(([until, weight]) => ({ until, weight })),
    reading: count === undefined ? undefined : { count, sentAt: 99_000, receivedAt: 99_500 },
    foreignLevel: mean === undefined ? undefined : { at: 99_500, mean },
  };
  return accountWindow(window, log);
};

describe("a window with nothing in flight", () => {
  it("nextOpening returns a time for a window with nothing in flight, and the window is open then", () => {
    fc.assert(
      fc.property(state, (input) => {
        const target = makeTarget(input);
        let { now } = input;
        for (let looks = 0; looks < 20; looks++) {
          const at = nextOpening(target, now, input.reserve);
          expect(at).toBeLessThan(Number.POSITIVE_INFINITY);
          if (at <= now) return;
          now = at;
        }
        expect.fail("it opens only later each time");
      }),
      { numRuns: 3000, seed: 11 },
    );
  });
});

describe("a log", () => {
  const newLog = () => mapDocuments(new Map()).requestLog("p", "");

  it.each([
    ["in the order of arrival", [1, 2, 3], [1, 2, 3]],
    ["in the order of their responses", [3, 1, 2], [1, 2, 3]],
  ])("a request log keeps its hits %s, each with a running total", (_, times, expected) => {
    const log = newLog();
    for (const [sentAt, receivedAt] of times.entries()) addHit(log, { sentAt, receivedAt });
    expect(log.hits.map(({ receivedAt }) => receivedAt)).toEqual(expected);
    expect(log.hits.map(({ total }) => total)).toEqual([1, 2, 3]);
    removeHits(log, 2, 9);
    expect(log).toMatchObject({ removed: 2, hits: [{ total: 3 }] });
  });

  it("a request log that merges old hits keeps their number, and no request leaves earlier", () => {
    const log = newLog();
    const [period, step] = [60_000, 5];
    const exact: Array<number> = [];
    for (let index = 0; index < 20_000; index++) {
      const receivedAt = index * step;
      const isLost = index % 5000 === 0;
      addHit(log, { sentAt: receivedAt - 3, receivedAt, ...(isLost && { isLost }) });
      exact.push(receivedAt + period);
      const first = log.hits.findIndex((hit) => hit.receivedAt + period > receivedAt);
      if (index % 100 === 0) removeHits(log, first, receivedAt);
    }
    const now = 20_000 * step;
    expect(countFrom(log, 0)).toBeGreaterThanOrEqual(exact.filter((at) => at > now).length);
    expect(log.hits.length).toBeLessThan(1100);
    // No time is off by more than a 32nd of the age, and a lost request is not merged with others.
    for (const { isLost, receivedAt, sentAt } of log.hits)
      expect(receivedAt - sentAt).toBeLessThanOrEqual(isLost ? 3 : 3 + (now - sentAt) / 32);
    expect(log.hits.filter(({ isLost }) => isLost).length).toBeGreaterThanOrEqual(2);
  });
});
