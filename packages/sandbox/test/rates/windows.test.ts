import { describe, expect, it } from "@effect/vitest";
import { Schema } from "effect";
import { RateLimits } from "../../src/rates/RateLimits.ts";

const START = Date.UTC(2026, 0, 1);

/** Rate limits of one rule. */
const limitsOf = (windows: string, hidden = false): RateLimits =>
  new RateLimits({
    enabled: true,
    hiddenBuckets: hidden ? { shortSeconds: 5, longSeconds: 60, longFromSeconds: 60 } : null,
    policies: { p: { Client: windows } },
    endpoints: { "*": "p" },
  });

const decide = (limits: RateLimits, now: number, client = "c", isProbe = false) =>
  limits.decide(
    { endpoint: "any.any", isProbe },
    { Client: client, Ip: undefined, Account: undefined },
    now,
  )!;

/** Asks once, `seconds` after the start. */
const asker = (windows: string, hidden = false, limits = limitsOf(windows, hidden)) => {
  const ask = (seconds: number, isProbe = false) =>
    decide(limits, START + seconds * 1000, "c", isProbe);
  return { ask, limits };
};

/**
 * The rules as sentences: every hit is kept for ever, and all of them are looked at again for every
 * request.
 */
const naiveModel = (
  windows: ReadonlyArray<readonly [max: number, period: number, restrict: number]>,
  hidden: boolean,
) => {
  const hits: Array<number> = [];
  const restrictedUntil = windows.map(() => 0);
  const endOfBucket = (t: number, period: number) => {
    const bucketMillis = period < 60 ? 5_000 : 60_000;
    return hidden ? (Math.floor(t / bucketMillis) + 1) * bucketMillis : t;
  };
  return (now: number): boolean => {
    if (restrictedUntil.some((until) => until > now)) return false;
    hits.push(now);
    const within = windows.map(([max, period, restrict], index) => {
      const inWindow = hits.filter((hit) => endOfBucket(hit, period) + period * 1000 > now).length;
      if (inWindow <= max) return true;
      restrictedUntil[index] = restrict === 0 ? 0 : endOfBucket(now + restrict * 1000, period);
      return false;
    });
    return within.every(Boolean);
  };
};

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }));

const Case = Schema.Struct({
  short: Schema.Tuple([between(1, 6), between(1, 20), between(0, 15)]),
  long: Schema.Tuple([between(1, 12), between(21, 90), between(0, 40)]),
  // Whole seconds, or one millisecond beside them, so that the ends of windows and buckets are met.
  steps: Schema.Array(Schema.Tuple([between(0, 40), between(-1, 1)])).check(Schema.isMaxLength(80)),
});

describe("sliding windows", () => {
  for (const hidden of [false, true])
    it.prop(
      `rate windows decide like a model that keeps every hit, ${hidden ? "with" : "without"} hidden buckets`,
      [Case],
      ([{ long, short, steps }]) => {
        const limits = limitsOf(`${short.join(":")},${long.join(":")}`, hidden);
        const model = naiveModel([short, long], hidden);
        let now = START;
        return steps.every(([seconds, millis]) => {
          now += Math.max(0, seconds * 1000 + millis);
          return decide(limits, now).allowed === model(now);
        });
      },
      { arbitrary: { runs: 300, seed: "sliding windows" } },
    );

  it("a request must pass all rate windows, and Retry-After is the longest of their waits", () => {
    const { ask } = asker("2:5:5,3:60:120");
    expect([0, 1, 6].map((at) => ask(at).allowed)).toEqual([true, true, true]);
    const refused = ask(7);
    expect(refused.allowed).toBe(false);
    expect(refused.headers["retry-after"]).toBe("120");
  });

  it("a rate window that restricts for 0 seconds sends the wait until it has room again", () => {
    const { ask } = asker("2:10:0");
    ask(0);
    ask(4);
    // Counted with those at 0 and 4: fewer than two are left when the one at 4 has gone.
    expect(ask(5).headers["retry-after"]).toBe("9");
    expect(ask(14).allowed).toBe(true);
  });

  it("with hidden buckets, a hit and a restriction last until the end of their bucket", () => {
    const { ask } = asker("1:10:10", true);
    ask(1);
    // 1 s lies in the bucket that ends at 5 s: the hit leaves at 15 s, though the arithmetic says
    // 11 s.
    const refused = ask(12);
    expect(refused.allowed).toBe(false);
    expect(refused.headers["retry-after"]).toBe("10");
    expect(refused.headers["x-rate-limit-client-state"]).toBe("2:10:10");
    // The header's 10 seconds are over at 22 s, the bucket at 25 s.
    expect(ask(22).allowed).toBe(false);
    expect(ask(25).allowed).toBe(true);
  });

  it("rate windows are empty after the clock was set back", () => {
    const { ask } = asker("1:10:3600");
    ask(1000);
    expect(ask(1001).allowed).toBe(false);
    expect(ask(0).allowed).toBe(true);
  });

  it("a rate window keeps at most one hit more than its maximum", () => {
    const { ask, limits } = asker("3:60:0");
    for (let hit = 0; hit < 1000; hit++) ask(0);
    expect(limits.snapshot().counters[0]?.[1].expiries.length).toBe(4);
  });

  it("rate limits remove the windows of identities without hits, and no others", () => {
    const limits = limitsOf("1:1:1,5:60:1");
    const others = Array.from({ length: 9_999 }, (_, client) => `${client}`);
    for (const client of others) decide(limits, START, client);
    decide(limits, START + 59_500, "kept");
    for (const client of [...others, "kept"]) decide(limits, START + 61_000, client, true);
    decide(limits, START + 61_000, "new");
    const kept = limits.snapshot().counters.map(([key]) => key.split(" ")[2]);
    expect([...new Set(kept)]).toEqual(["kept", "new"]);
  });
});
