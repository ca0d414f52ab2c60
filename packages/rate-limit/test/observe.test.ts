/** What the count of one response tells about a window: tables of one reading each. */
import { describe, expect, it } from "vitest";
import { NEVER } from "../src/core/basics.ts";
import { MAX_SLACK, newBelief } from "../src/core/Belief.ts";
import type { Belief } from "../src/core/Belief.ts";
import { ARRIVAL_MEMORY, newLog } from "../src/core/Log.ts";
import type { Foreign, Log, Reading, WindowState } from "../src/core/Log.ts";
import { observe } from "../src/core/observe.ts";

type Sent = readonly [sent: number, received: number, uncertain?: "uncertain"];

interface Scene {
  readonly period?: number;
  readonly max?: number;
  readonly buckets?: ReadonlyArray<number>;
  readonly isPlain?: boolean;
  readonly belief?: Partial<Belief>;
  /** Named by their order: `0`, `1`, … */
  readonly hits?: ReadonlyArray<Sent>;
  readonly last?: Partial<Reading>;
  readonly lowest?: Partial<Reading>;
  readonly foreign?: Partial<Foreign>;
}

const SLACK = 25;
const read = (
  {
    belief: more,
    buckets = [],
    foreign,
    hits = [],
    isPlain,
    last,
    lowest,
    max = 5,
    period = 1000,
  }: Scene,
  k: Partial<Reading>,
) => {
  const belief = { ...newBelief(period, max, buckets, 0), slack: SLACK, counts: true, ...more };
  const window: WindowState = {
    key: "w",
    rule: "w",
    max,
    period,
    seenAt: 0,
    isPlain,
    belief,
    logs: new Map(),
  };
  const log: Log = {
    ...newLog(),
    hits: hits.map(([sent, received, uncertain], index) => ({
      id: `${index}`,
      sent,
      received,
      lostAt: NEVER,
      ...(uncertain && { uncertain: true }),
    })),
    ordered: 0,
    reading: last && { id: "last", count: 1, sent: 0, received: 10, ...last },
    lowest: lowest && { id: "lowest", count: 3, sent: 9950, received: 9960, ...lowest },
    foreign: foreign && { hits: [], arrivals: [], residual: 0, ...foreign },
  };
  const reading = { id: "k", count: 1, sent: 10_000, received: 10_010, ...k };
  observe(window, log, reading);
  return { belief, log, reading, ids: log.hits.map(({ id }) => id) };
};

const arrival = (at: number) => ({ at, millis: 100, weight: 1 });

describe("of a window with many requests", () => {
  it.each([
    [511, 600, 5000, 32],
    [512, 600, 1200, 32],
    [1024, 1100, 2200, 16],
    [1024, 1100, 2201, 1],
  ])(
    "some counts are studied: of %i requests and %i counted of %i, %i of 32",
    (size, count, max, studied) => {
      const hits = Array.from({ length: size }, () => [9000, 9001] as const);
      let seen = 0;
      let readings = 0;
      for (let index = 0; index < 32; index++) {
        // The first one that is studied shows that the server counts.
        const belief = { readings, counts: false };
        const scene = { hits, max, period: 60_000, belief };
        const { belief: found, log, reading } = read(scene, { count });
        expect(log.reading).toBe(reading);
        ({ readings } = found);
        if (found.counts) seen++;
      }
      expect([seen, readings]).toEqual([studied, size < 512 ? 0 : 32]);
    },
  );
});

it("a reading finds the requests in order", () => {
  const { ids } = read(
    {
      hits: [
        [9500, NEVER],
        [9600, 9900],
      ],
    },
    { count: 3 },
  );
  expect(ids).toEqual(["1", "0"]);
});

describe("a count that falls", () => {
  const hits: ReadonlyArray<Sent> = [
    [5, 40],
    [20, 50],
    [10, 60],
    [30, 70, "uncertain"],
    [50, NEVER],
  ];
  it.each([
    [6, 17],
    [7, 64],
  ])("refutes buckets without a boundary in between: to %i leaves %i of 64", (count, left) => {
    const scene = { buckets: [640], hits, last: { count: 5 } };
    const { belief } = read(scene, { count, sent: 100, received: 110 });
    expect(belief.living.length - 1).toBe(left);
  });

  it("tells nothing beside a response that came later", () => {
    const scene = { buckets: [640], hits, last: { count: 5, received: 100 } };
    const { belief } = read(scene, { count: 4, sent: 100, received: 110 });
    expect(belief.living).toHaveLength(65);
  });
});

describe("what is counted no more", () => {
  const hits: ReadonlyArray<Sent> = [
    [0, 10],
    [200, 210],
    [300, 310, "uncertain"],
    [5000, 5010],
  ];

  it("is forgotten, but for what is uncertain", () => {
    const { ids } = read({ hits }, { count: 2, sent: 6000, received: 6010 });
    expect(ids).toEqual(["2", "3"]);
  });

  it("is remembered for a period, as its count may still come", () => {
    const recent = [...hits.slice(0, 2), [4300, 4310], ...hits.slice(3)] as const;
    const { ids } = read({ hits: recent }, { count: 2, sent: 5500, received: 5510 });
    expect(ids).toEqual(["2", "3"]);
  });

  it("is not taken from those that are uncertain", () => {
    const uncertain = [...hits.slice(0, 2), [5000, 5010, "uncertain"] as const];
    const { ids } = read({ hits: uncertain }, { count: 2, sent: 6000, received: 6010 });
    expect(ids).toEqual(["0", "1", "2"]);
  });

  it("is nothing, where as many are counted as were sent", () => {
    const { ids } = read({ hits }, { count: 5, sent: 6000, received: 6010 });
    expect(ids).toEqual(["0", "1", "2", "3"]);
  });

  it.each([
    [990, 5],
    [1000, 6],
    [1100, 16],
  ])("refutes the buckets that would keep it: gone by %i leaves %i of 64", (received, left) => {
    const scene = { buckets: [640], hits: [[0, 10]] as const };
    const { belief } = read(scene, { count: 1, sent: received - 10, received });
    expect(belief.living.length - 1).toBe(left);
  });
});

describe("a count that cannot be", () => {
  /** The hit has left so long before its period ended. */
  const early = (millis: number, more: Scene = {}) =>
    read(
      { period: 5000, hits: [[100, 110]], ...more },
      { count: 1, sent: 5090 - millis, received: 5100 - millis },
    );

  it.each<[number, Scene, Partial<Belief>, boolean]>([
    [1000, {}, { lies: 0, counts: true, version: 1 }, true],
    [1001, {}, { lies: 1, counts: true, version: 1 }, false],
    [1001, { isPlain: true }, { lies: 0, counts: true, version: 1 }, true],
    [1001, { belief: { lies: 3 } }, { lies: 4, counts: false, version: 2 }, false],
    [1001, { belief: { lies: 4, counts: false } }, { lies: 4, counts: false, version: 1 }, false],
    [1001, { belief: { counts: false } }, { lies: 1, counts: false, version: 1 }, false],
    [0, { belief: { lies: 4, counts: false } }, { lies: 4, counts: false, version: 1 }, false],
    [0, { belief: { lies: 2, counts: false } }, { lies: 2, counts: true }, true],
  ])("is not believed, %i ms early, with %o", (millis, more, belief, isBelieved) => {
    const seen = early(millis, more);
    expect(seen.belief).toMatchObject(belief);
    expect(seen.log.reading !== undefined).toBe(isBelieved);
  });

  it.each([
    [1, 2, 2],
    [2, 2, 1],
    [2, 0, 0],
  ])("is made good by one that can: of %i, after %i leaves %i", (count, lies, left) => {
    const { belief } = read({ hits: [[9500, 9510]], belief: { lies } }, { count });
    expect(belief.lies).toBe(left);
  });
});

describe("a departure at an edge", () => {
  // Of the own ones, the one that is counted last left so late, or the one that is gone so early.
  it.each<[string, Scene, Partial<Reading>, number, number]>([
    ["gone 200 ms early", { hits: [[9210, 9220]] }, { count: 1 }, 1, 200],
    ["gone 201 ms early", { hits: [[9211, 9221]] }, { count: 1 }, 0, 0],
    ["gone 201 ms late", { hits: [[8809, 8819]] }, { count: 1 }, 0, 0],
    ["counted 60 ms late", { hits: [[8930, 8940]] }, { count: 2 }, 1, 60],
    ["counted 201 ms late", { hits: [[8790, 8799]] }, { count: 2 }, 0, 0],
    ["gone late, beside buckets", { hits: [[9010, 9020]], buckets: [640] }, { count: 1 }, 0, 0],
  ])("shows how exact the clock is: %s", (_, scene, k, samples, offset) => {
    expect(read(scene, k).belief).toMatchObject({ samples, offset });
  });

  it("is none of the request that the count answers", () => {
    const scene = {
      period: 100,
      hits: [
        [990, 1000],
        [995, NEVER],
      ] as const,
    };
    const { belief } = read(scene, { id: "0", count: 2, sent: 990, received: 1000 });
    expect(belief.samples).toBe(0);
  });
});

it.each([
  ["0", 3, 1],
  ["1", 3, 1],
  ["0", 2, 0],
  ["another one", 3, 0],
])("the request %s is one of those it counts: of %i others sent %s", (id, count, weight) => {
  const hits = [
    [9900, 10_010],
    [9950, 9990],
  ] as const;
  const { log } = read({ hits }, { id, count, sent: 9900 });
  expect(log.foreign?.hits.map((each) => each.weight)).toEqual(weight > 0 ? [weight] : undefined);
});

describe("a hit that counts after its time", () => {
  const period = 10_000;
  const late = (millis: number, more: Scene = {}) =>
    read(
      { period, hits: [[90, 100]], belief: { slack: MAX_SLACK }, ...more },
      { count: 2, sent: 100 + period + MAX_SLACK + millis },
    ).belief;

  it.each<[number, Scene, number, number]>([
    [0, {}, MAX_SLACK, 1],
    [1, {}, MAX_SLACK + 6, 2],
    [150, {}, MAX_SLACK + 155, 2],
    [151, {}, MAX_SLACK, 1],
    [150, { foreign: {} }, MAX_SLACK + 155, 2],
    [150, { foreign: { arrivals: [arrival(50)] } }, MAX_SLACK, 1],
    [1, { hits: [[90, NEVER]] }, MAX_SLACK, 1],
  ])("widens the slack, unless others send: %i ms late, %o", (millis, more, slack, version) => {
    expect(late(millis, more)).toMatchObject({ slack, version });
  });
});

describe("requests of others", () => {
  const foreignHits = (...weights: ReadonlyArray<number>) =>
    weights.map((weight, index) => ({ sent: 9600 + index, received: 9700 + index, weight }));

  it.each<[string, Sent, number]>([
    ["one that is sure to count", [9500, 9600], 1],
    ["one that came with the next request", [9500, 10_000], 1],
    ["one that came later", [9500, 10_001], 2],
    ["one whose period is over", [9010, 9600], 2],
    ["one whose period is not quite over", [9011, 9600], 1],
    ["one that is uncertain", [9500, 9600, "uncertain"], 2],
  ])("leave where the count has no room for them, beside %s", (_, hit, left) => {
    const scene = { hits: [hit], foreign: { hits: foreignHits(3) } };
    const { log } = read(scene, { count: 3 });
    expect(log.foreign!.hits).toEqual(foreignHits(left));
  });

  it("leave one after the other", () => {
    const { log } = read({ foreign: { hits: foreignHits(1, 2, 3) } }, { count: 5 });
    expect(log.foreign!.hits).toEqual(
      foreignHits(1, 2, 3)
        .slice(1)
        .map((hit, index) => ({ ...hit, weight: index === 0 ? 1 : 3 })),
    );
  });

  /** Two that were shown by counts, of which so many are left. */
  const shown = (count: number, sent: readonly [number, number], residual = 2) => {
    const hits = sent.map((at, index) => ({ sent: at, received: at + 10 + index, weight: 1 }));
    const arrivals = hits.map(({ received }) => arrival(received));
    const scene = { period: 5000, foreign: { hits, arrivals, residual }, belief: { slack: 0 } };
    const { log } = read(scene, { count });
    return { ats: log.foreign!.arrivals.map(({ at }) => at), residual: log.foreign!.residual };
  };

  it.each<[string, number, readonly [number, number], ReadonlyArray<number>, boolean]>([
    ["both leave in time", 1, [6000, 6010], [6010, 6021], false],
    ["one leaves just in time", 2, [6010, 6500], [6020, 6511], false],
    ["one leaves too early", 2, [6011, 6500], [6511], false],
    ["both leave too early", 1, [6500, 6600], [], true],
    ["neither leaves", 3, [9500, 9600], [9510, 9611], false],
  ])("that leave before their time have not been: %s", (_, count, sent, ats, isOver) => {
    const seen = shown(count, sent);
    expect(seen.ats).toEqual(ats);
    expect(seen.residual === 0).toBe(isOver);
  });

  it("are so many on average as were counted beside the own ones of a period", () => {
    const hits = [
      [8000, 8010],
      [9500, 9600],
    ] as const;
    const { log } = read({ hits, foreign: { hits: foreignHits(2) } }, { count: 4 });
    expect(log.foreign!.residual).toBeCloseTo(0.2);
  });

  it("are so many on average, though none of them arrived lately", () => {
    const { log } = read({ foreign: { hits: foreignHits(1), residual: 2 } }, { count: 2 });
    expect(log.foreign).toMatchObject({ arrivals: [], residual: 1.9 });
  });

  const missing = (scene: Scene, k: Partial<Reading> = {}) =>
    read(scene, { count: 4, ...k }).log.foreign;

  it("are those that the own ones do not explain: the first count shows the past", () => {
    expect(
      missing({
        hits: [
          [8000, 8010],
          [9900, 9950],
        ],
      }),
    ).toEqual({
      hits: [{ sent: 9000, received: 10_010, weight: 2 }],
      arrivals: [],
      residual: 2,
    });
  });

  it.each([
    [9500, 9600, 9500, [10_010]],
    [9500, 10_000, 9500, [10_010]],
    [9500, 10_001, 9500, []],
    [10_001, 10_005, 10_000, []],
  ])("arrived since the last count, sent at %i and received at %i", (sent, received, from, ats) => {
    const foreign = missing({ last: { sent, received } })!;
    expect(foreign.hits).toEqual([{ sent: from, received: 10_010, weight: 3 }]);
    expect(foreign.arrivals.map(({ at }) => at)).toEqual(ats);
  });

  it.each<[string, ReadonlyArray<Sent>, number, number]>([
    ["nothing else", [], 1, 3],
    ["a count as high", [], 4, 0],
    ["a count that was higher", [], 5, 0],
    ["an own one since", [[9400, 9501]], 1, 2],
    ["an own one of the same time", [[9400, 9500]], 1, 3],
    ["an own one before", [[9400, 9450]], 1, 3],
    ["the last one itself", [[9400, 9501]], -1, 3],
  ])("are so many as the count rose, beside %s", (_, hits, count, weight) => {
    const last = {
      count: Math.abs(count),
      sent: 9500,
      received: 9600,
      ...(count < 0 && { id: "0" }),
    };
    expect(missing({ hits, last }, { count: 4 })!.arrivals).toEqual([
      { at: 10_010, millis: 510, weight },
    ]);
  });

  it("clear the strain of hypotheses as they first come, and not again", () => {
    const strained = newBelief(1000, 5, [640], 0).living.map((h) => ({
      ...h,
      strained: h.size > 0,
    }));
    const last = { sent: 9500, received: 9600 };
    const votes = (arrivals: ReadonlyArray<number>) =>
      read(
        {
          last,
          buckets: [640],
          belief: { living: strained },
          foreign: { arrivals: arrivals.map(arrival) },
        },
        { count: 4 },
      ).belief.living.filter((h) => !h.strained).length;
    expect([votes([]), votes([9000])]).toEqual([65, 1]);
  });

  it.each([
    [ARRIVAL_MEMORY, 1],
    [ARRIVAL_MEMORY - 1, 2],
  ])("are remembered for half an hour: those of %i ms before", (millis, count) => {
    const foreign = { arrivals: [arrival(10_010 - millis)] };
    const seen = missing({ last: { sent: 9500, received: 9600 }, foreign })!;
    expect(seen.arrivals).toHaveLength(count);
  });
});

describe("a reading is remembered", () => {
  const hits = Array.from({ length: 4 }, () => [9900, NEVER] as const);

  it.each<[string, Partial<Reading> | undefined, string]>([
    ["the first one", undefined, "k"],
    ["a later one", { sent: 9999 }, "k"],
    ["one of the same time", { sent: 10_000 }, "k"],
    ["no earlier one", { sent: 10_001 }, "last"],
  ])("as the last one: %s", (_, last, id) => {
    expect(read({ hits, ...(last && { last }) }, {}).log.reading).toMatchObject({ id });
  });

  it.each<[string, Scene, Partial<Reading>, string]>([
    ["the first one", {}, {}, "k"],
    ["a lower one", { lowest: {} }, { count: 2 }, "k"],
    ["none as low", { lowest: {} }, { count: 3 }, "lowest"],
    ["none that is higher", { lowest: {} }, { count: 4 }, "lowest"],
    ["the last one, where it took no time", { lowest: {} }, { count: 4, received: 10_000 }, "k"],
    ["the last one, while others send", { lowest: {}, foreign: {} }, { count: 4 }, "k"],
    [
      "the last one, though an earlier one is lower",
      { lowest: {}, foreign: {}, last: { sent: 10_001 } },
      { count: 1 },
      "last",
    ],
  ])("as the one by which least is counted: %s", (_, scene, k, id) => {
    expect(read({ hits, ...scene }, k).log.lowest).toMatchObject({ id });
  });
});
