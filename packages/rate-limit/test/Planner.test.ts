import { describe, expect, it } from "vitest";
import { generator, simulate } from "./simulate.ts";
import { SlidingServer } from "./SlidingServer.ts";
import type { ServerWindow } from "./SlidingServer.ts";

const window = (max: number, seconds: number, bucketSeconds: number): ServerWindow => ({
  max,
  period: seconds * 1000,
  bucket: bucketSeconds * 1000,
  penalty: 60_000,
});

/**
 * What the server permits in the long run: a hit in a bucketed window is gone after the period and
 * one bucket.
 */
const permitted = (windows: ReadonlyArray<ServerWindow>, minutes: number) =>
  Math.min(
    ...windows.map(({ max, period, bucket }) => (max / (period + bucket)) * minutes * 60_000),
  );

describe("the planner against true sliding windows", () => {
  const profiles: ReadonlyArray<readonly [string, ReadonlyArray<ServerWindow>]> = [
    ["stash windows, hidden buckets of 5 s and 60 s", [window(15, 10, 5), window(30, 300, 60)]],
    ["stash windows, exact", [window(15, 10, 0), window(30, 300, 0)]],
    ["list windows, hidden buckets of 5 s and 60 s", [window(10, 15, 5), window(30, 60, 60)]],
    ["list windows, exact", [window(10, 15, 0), window(30, 60, 0)]],
    ["one short window, hidden buckets of 5 s", [window(60, 30, 5)]],
    ["one short window, exact", [window(15, 10, 0)]],
    ["a handful per window, hidden buckets of 5 s", [window(5, 10, 5)]],
    ["a handful per window, exact", [window(5, 10, 0)]],
    ["a long window alone, hidden buckets of 60 s", [window(100, 60, 60)]],
  ];
  for (const [name, windows] of profiles) {
    it(`sees no 429 and uses at least 95 % of the permitted rate in ten minutes: ${name} [NS-11]`, () => {
      for (const [phase, start] of [
        [0, 0],
        [1234, 58_000],
        [0, 4900],
      ] as const) {
        const server = new SlidingServer("policy", windows, { phase });
        simulate({ server, minutes: 10, start });
        expect(server.violations).toBe(0);
        expect(server.served).toBeGreaterThanOrEqual(0.95 * permitted(windows, 10));
      }
    });
  }

  it("follows limits that change while it runs, up and down, without a 429", () => {
    for (const bucket of [0, 5]) {
      const server = new SlidingServer("policy", [
        window(15, 10, bucket),
        window(60, 60, bucket && 60),
      ]);
      let phase = 0;
      simulate({
        server,
        minutes: 10,
        change: ({ windows }, elapsed) => {
          const next = Math.floor(elapsed / 150_000);
          const [short, long] = windows;
          if (next === phase || !short || !long) return;
          // A limit that falls below what is used already refuses the next request, whoever asks:
          // fall when there is room.
          if (next % 2 === 1 && server.counted(long, 1_700_000_000_000 + elapsed) > 20) return;
          phase = next;
          short.max = next % 2 === 1 ? 8 : 15;
          long.max = next % 2 === 1 ? 40 : 60;
        },
      });
      expect(phase).toBeGreaterThan(1);
      expect(server.violations).toBe(0);
    }
  });

  it("keeps its record over random windows, latencies and rhythms", () => {
    const random = generator(11);
    let served = 0;
    let violations = 0;
    for (let round = 0; round < 60; round++) {
      const seconds = [2, 5, 10, 15, 30, 60, 120, 300][Math.floor(random() * 8)] ?? 10;
      const bucket = random() < 0.5 ? 0 : seconds < 60 ? 5 : 60;
      const server = new SlidingServer(
        "policy",
        [window(1 + Math.floor(random() * random() * 60), seconds, bucket)],
        { phase: Math.floor(random() * 60_000) },
      );
      simulate({
        server,
        minutes: 10,
        latency: 5 + random() * 300,
        inFlight: 1 + Math.floor(random() * 10),
        seed: round + 1,
        start: Math.floor(random() * 60_000),
      });
      served += server.served;
      violations += server.violations;
    }
    expect(served).toBeGreaterThan(10_000);
    expect(violations).toBe(0);
  });

  it.each([0, 1])(
    "sees no 429 where answers overtake each other by more than a bucket is long (buckets: %i) [NS-11]",
    (buckets) => {
      // One way in thirty takes longer than the short window itself.
      const oneWay = (random: () => number) => {
        const luck = random();
        if (luck < 0.8) return 1 + 6 * random();
        return luck < 0.97 ? 10 + 60 * random() : 100 + 400 * random();
      };
      let served = 0;
      for (let seed = 1; seed <= 60; seed++) {
        const server = new SlidingServer(
          "policy",
          [
            { max: 15, period: 500, bucket: 250 * buckets, penalty: 3000 },
            { max: 30, period: 3000, bucket: 3000 * buckets, penalty: 15_000 },
          ],
          { phase: (seed * 7919) % 3000 },
        );
        simulate({
          server,
          minutes: 0.5,
          seed,
          start: seed * 137,
          inFlight: 16,
          oneWay,
          assumedBucketOf: (period) => (period < 3000 ? 250 : 3000),
        });
        expect(server.violations).toBe(0);
        served += server.served;
      }
      const rate = permitted([{ max: 30, period: 3000, bucket: 3000 * buckets, penalty: 0 }], 0.5);
      expect(served / 60).toBeGreaterThanOrEqual(0.8 * rate);
    },
  );

  it("sees no 429 where most answers come within the millisecond [NS-11]", () => {
    // On one machine: a request, its answer and the next request bear the same time.
    const oneWay = (random: () => number) => {
      const luck = random();
      return luck < 0.5 ? 0 : luck < 0.75 ? 1 : Math.floor(300 * random());
    };
    const windows = [
      { max: 15, period: 500, bucket: 0, penalty: 3000 },
      { max: 30, period: 3000, bucket: 0, penalty: 15_000 },
    ];
    let served = 0;
    let violations = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const server = new SlidingServer("policy", windows);
      const assumedBucketOf = (period: number) => (period < 3000 ? 250 : 3000);
      simulate({ server, minutes: 1, seed, oneWay, assumedBucketOf });
      served += server.served;
      violations += server.violations;
    }
    expect(violations).toBe(0);
    expect(served / 20).toBeGreaterThanOrEqual(0.8 * permitted(windows, 1));
  });

  it("recovers from a bucket that nobody suspected", () => {
    const server = new SlidingServer("policy", [window(20, 20, 60)]);
    simulate({ server, minutes: 60 });
    expect(server.violations).toBeLessThanOrEqual(6);
    expect(server.served).toBeGreaterThan(0.7 * permitted(server.windows, 60));
  });

  it("needs no counts from the server: without them a 429 is the only evidence", () => {
    const exact = new SlidingServer("policy", [window(15, 10, 0)], { state: false });
    simulate({ server: exact, minutes: 10 });
    expect(exact.violations).toBe(0);
    expect(exact.served).toBeGreaterThanOrEqual(0.95 * permitted(exact.windows, 10));
    const bucketed = new SlidingServer("policy", [window(15, 10, 5)], { state: false });
    simulate({ server: bucketed, minutes: 30 });
    // The eight requests in flight at the first violation, and none ever after.
    expect(bucketed.violations).toBeLessThanOrEqual(8);
  });
});
