/** What is believed of hidden buckets, against the plain arithmetic of each of them. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEVER } from "../src/core/basics.ts";
import {
  age,
  BUCKET_SIZES,
  cutoff,
  departure,
  isTelling,
  MAX_SLACK,
  medianDeparture,
  memoOf,
  newBelief,
  observeClock,
  refute,
  refuteStill,
  relax,
  REVIVE_MILLIS,
  startOver,
  strain,
} from "../src/core/Belief.ts";
import type { Belief, Hypothesis } from "../src/core/Belief.ts";

const PERIOD = 1000;
/** Their 64 phases are whole milliseconds: what is at a boundary is exactly there. */
const SIZES = [64, 128, 640];
const PHASES = 64;
const HOUR = 3_600_000;

const plain: Hypothesis = { size: 0, from: 0, to: 0, strained: false };
const bucket = (size: number, index: number, strained = false): Hypothesis => ({
  size,
  from: (index * size) / PHASES,
  to: ((index + 1) * size) / PHASES,
  strained,
});
const all = (sizes: ReadonlyArray<number>): ReadonlyArray<Hypothesis> => [
  plain,
  ...sizes.flatMap((size) => Array.from({ length: PHASES }, (_, index) => bucket(size, index))),
];

/** The first boundary of a bucket after `x`, of those at `from` and whole sizes from there. */
const boundaryAfter = (x: number, from: number, size: number): number =>
  from + size * (Math.floor((x - from) / size) + 1);
/** The times between which a hit stamped `x` leaves. */
const leaves = (
  { from, size, to }: Hypothesis,
  x: number,
): readonly [first: number, last: number] =>
  size === 0
    ? [x + PERIOD, x + PERIOD]
    : [
        boundaryAfter(x, to, size) - to + from + PERIOD,
        boundaryAfter(x, from, size) - from + to + PERIOD,
      ];

/** The same by one hypothesis after the other. */
const worst = ({ living, pad, slack }: Belief, counts: boolean, x: number) => {
  const flat = x + PERIOD + slack + pad;
  if (!counts) return { safe: flat, likely: flat };
  const lasts = (some: ReadonlyArray<Hypothesis>) => some.map((h) => leaves(h, x)[1] + slack);
  const safe = Math.max(flat, ...lasts(living));
  return { safe, likely: Math.min(safe, ...lasts(living.filter(({ strained }) => !strained))) };
};
const lowest = ({ living, pad, slack }: Belief, counts: boolean, at: number) => {
  const end = at - PERIOD - slack;
  if (!counts) return { safe: end - pad, likely: end - pad };
  const starts = (some: ReadonlyArray<Hypothesis>) =>
    some.map(({ from, size, to }) =>
      size === 0 ? end : boundaryAfter(end, to, size) - size - to + from,
    );
  const safe = Math.min(end - pad, ...starts(living));
  return { safe, likely: Math.max(safe, ...starts(living.filter(({ strained }) => !strained))) };
};
const median = ({ living, slack }: Belief, x: number): number => {
  const voters = living.filter(({ strained }) => !strained);
  const buckets = voters.filter(({ size }) => size > 0);
  const votes = voters
    .flatMap((h) =>
      Array<number>(h.size > 0 ? 1 : Math.max(1, buckets.length)).fill(leaves(h, x)[1]),
    )
    .toSorted((a, b) => a - b);
  return votes[Math.ceil(votes.length / 2) - 1]! + slack + 10;
};

/** What one reading does to the hypotheses. */
const relaxed = (living: ReadonlyArray<Hypothesis>): ReadonlyArray<Hypothesis> =>
  living.map((h) => ({ ...h, strained: false }));
const after: Readonly<
  Record<
    string,
    (
      living: ReadonlyArray<Hypothesis>,
      x: number,
      y: number,
      slack: number,
    ) => ReadonlyArray<Hypothesis>
  >
> = {
  refute: (living, x, by) => living.filter((h) => h.size === 0 || leaves(h, x)[0] <= by),
  still: (living, from, to) =>
    living.filter(
      (h) =>
        h.size === 0 ||
        // Some boundary, moved by the period, lies behind `from` and not behind `to`.
        boundaryAfter(from - PERIOD, h.to, h.size) - h.to + h.from <= to - PERIOD,
    ),
  strain: (living, x, at, slack) => {
    const late = (h: Hypothesis) => at - slack - leaves(h, x)[1];
    return living.every((h) => late(h) > 0)
      ? living
      : living.map((h) => (late(h) > 0 ? { ...h, strained: true } : h));
  },
  relax: relaxed,
  over: () => all(SIZES.slice(1)),
};

const same = (a: ReadonlyArray<Hypothesis>, b: ReadonlyArray<Hypothesis>): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

const steps = fc.array(
  fc.record({
    what: fc.constantFrom("refute", "refute", "still", "strain", "strain", "relax", "over"),
    x: fc.nat(700),
    more: fc.nat(150),
    early: fc.nat(75),
    reads: fc.boolean(),
    counts: fc.boolean(),
  }),
  { minLength: 12, maxLength: 24 },
);

it("a belief departs and cuts as its worst hypothesis, whatever was read", () => {
  fc.assert(
    fc.property(steps, (every) => {
      const belief = newBelief(PERIOD, 5, SIZES, 0);
      expect(belief.living).toEqual(all(SIZES));
      for (const { counts, early, more, reads, what, x } of every) {
        const { living, pad, slack, version } = belief;
        const asked = more > 75 ? more : 0;
        const y = what === "still" ? x + more : x + PERIOD + slack + more - early;
        const expected = after[what]!(living, x, y, slack);
        if (what === "refute") refute(belief, x, y);
        else if (what === "still") refuteStill(belief, x, y);
        else if (what === "relax") relax(belief);
        else if (what === "over") startOver(belief, SIZES.slice(1), asked, 0);
        else
          expect(strain(belief, x, y)).toBe(
            Math.min(...living.map((h) => y - slack - leaves(h, x)[1])),
          );
        expect(belief.pad).toBe(what === "over" ? Math.max(pad, asked) : pad);
        // Those that are all strained were misled.
        const isMisled = expected.every(({ strained }) => strained);
        expect(belief.living).toEqual(isMisled ? relaxed(expected) : expected);
        if (what !== "relax" && what !== "over")
          expect(belief.version > version).toBe(!same(belief.living, living));
        if (counts !== belief.counts)
          Object.assign(belief, { counts, version: belief.version + 1 });
        if (!reads) continue;
        const times = [x, x + 1, x + more, x - more, x + 64, x - 640, x];
        expect(times.map((at) => [departure(belief, at), cutoff(belief, at + PERIOD)])).toEqual(
          times.map((at) => [worst(belief, counts, at), lowest(belief, counts, at + PERIOD)]),
        );
        expect(departure(belief, NEVER)).toEqual({ safe: NEVER, likely: NEVER });
        const voters = belief.living.filter(({ strained }) => !strained);
        expect(memoOf(belief)).toMatchObject({
          voters: voters.length,
          largest: Math.max(...voters.map(({ size }) => size)),
          isPlain: voters.some(({ size }) => size === 0),
        });
        expect(medianDeparture(belief, x)).toBe(median(belief, x));
        expect(isTelling(belief, x, y)).toBe(
          belief.living.some((h) => leaves(h, x - belief.slack)[0] > y),
        );
      }
    }),
    { numRuns: 8, seed: 11, endOnFailure: true },
  );
});

it.each([
  [1025, false, false, 1],
  [1026, true, false, 2],
  [1090, true, false, 2],
  [1091, false, false, 1],
])("a hit of 0 that counts at %i strains what explains it less", (at, first, second, version) => {
  const belief = { ...newBelief(PERIOD, 5, [], 0), living: [plain, bucket(64, 0)] };
  expect(strain(belief, 0, at)).toBe(at - 1090);
  expect(belief.living.map(({ strained }) => strained)).toEqual([first, second]);
  expect(belief.version).toBe(version);
});

/** Sizes that no test had before: the phases of each are made once. */
let fresh = 0;

it("a bucket of any size has 64 phases", () => {
  const size = 64 * 1000 + 128 * ++fresh;
  expect(newBelief(HOUR, 5, [size], 0).living).toEqual(all([size]));
});

describe("a new belief", () => {
  it.each([
    [PERIOD, 5, 25, 5000],
    [5000, 5, 100, 10_000],
    [10_000, 5, MAX_SLACK, 20_000],
    [60_000, 5, MAX_SLACK, 60_000],
    [59_999, 1, 25, 5000],
    [60_000, 1, 25, 60_000],
  ])(
    "of %i ms for %i has a slack of %i ms, and buckets up to %i",
    (period, max, slack, largest) => {
      const belief = newBelief(period, max, BUCKET_SIZES, 7);
      expect(belief).toMatchObject({ slack, padSince: 7, revivedAt: 7, pad: 0, counts: false });
      expect(memoOf(belief).largest).toBe(largest);
    },
  );
});

describe("a server's clock", () => {
  const after150 = (...millis: ReadonlyArray<number>) => {
    const belief = newBelief(60_000, 5, [], 0);
    for (let index = 0; index < 149; index++) observeClock(belief, 4);
    expect(belief).toMatchObject({ slack: MAX_SLACK, version: 1 });
    return millis.map((each) => {
      observeClock(belief, each);
      return [belief.slack, belief.version];
    });
  };

  it.each([
    [[4], [[45, 2]]],
    [[6], [[55, 2]]],
    [
      [4, 4, 3, 5],
      [
        [45, 2],
        [45, 2],
        [45, 2],
        [50, 3],
      ],
    ],
    [[90], [[MAX_SLACK, 2]]],
  ])("that is seen 150 times has as much slack as it needs: %o", (millis, seen) => {
    expect(after150(...millis)).toEqual(seen);
  });
});

describe("a belief ages", () => {
  const aged = (
    living: ReadonlyArray<Hypothesis>,
    now: number,
    more: Partial<Belief> = {},
  ): Belief => {
    const belief = { ...newBelief(PERIOD, 5, [], 100), living, ...more };
    age(belief, now);
    return belief;
  };
  const one = [plain, bucket(64, 1, true)];

  it.each([
    [0, 100 + HOUR + 1, 0, 1],
    [50, 100 + HOUR, 50, 1],
    [50, 100 + HOUR + 1, 0, 2],
  ])("so that a pad of %i ms at %i is %i", (pad, now, left, version) => {
    expect(aged([plain], now, { pad, revivedAt: now })).toMatchObject({ pad: left, version });
  });

  it("so that the neighbours of what lives may live, every ten minutes", () => {
    expect(aged(one, 99 + REVIVE_MILLIS)).toMatchObject({
      living: one,
      version: 1,
      revivedAt: 100,
    });
    const now = 100 + REVIVE_MILLIS;
    const living = [...one, ...[63, 0, 2, 3].map((index) => bucket(64, index, true))];
    expect(aged(one, now)).toMatchObject({ living, version: 2, revivedAt: now });
  });

  it("without a change where no bucket lives", () => {
    expect(aged([plain], HOUR)).toMatchObject({ living: [plain], version: 1, revivedAt: HOUR });
  });

  it.each([
    [PHASES, PHASES + 6, 2],
    [PHASES + 1, PHASES + 1, 1],
  ])(
    "unless so many live that the buckets are not known: of %i live %i",
    (before, count, version) => {
      const living = [...all([64]).slice(0, before - 1), bucket(128, 5)];
      const belief = aged(living, HOUR);
      expect([belief.living.length, belief.version]).toEqual([count, version]);
    },
  );
});
