/** The regimes in which the limiter is measured: 37 ways in which services count. */
import type { ModelWindow } from "./Server.ts";
import type { Regime } from "./simulate.ts";

const windows = (rule: string, ...list: ReadonlyArray<string>): Array<ModelWindow> =>
  list.map((text) => {
    const [limit, bucket = "0"] = text.split("b");
    const [max, period] = limit!.split(":");
    return { rule, max: Number(max), period: Number(period) * 1000, bucket: Number(bucket) * 1000 };
  });

export const one =
  (...list: ReadonlyArray<string>) =>
  (random: () => number) => ({
    policies: [{ name: "p", windows: windows("account", ...list) }],
    phase: Math.floor(random() * 60_000),
  });

const poisson = (perMinute: number) => (random: () => number, millis: number) => {
  const times: Array<number> = [];
  let now = 0;
  while (now < millis) {
    now += (-Math.log(1 - random()) * 60_000) / perMinute;
    times.push(now);
  }
  return times;
};

const users = Array.from({ length: 6 }, (_, index) => `user-${index}`);
const MINUTE = 60_000;

const lowered = (
  server: { options: { policies: ReadonlyArray<{ windows: Array<ModelWindow> }> } },
  now: number,
) => {
  const [policy] = server.options.policies;
  const wanted = now < 20 * MINUTE ? ["40:60"] : now < 40 * MINUTE ? ["10:60", "4:10"] : ["100:60"];
  const made = windows("account", ...wanted);
  const same = made.map(
    (window) =>
      policy!.windows.find((each) => each.period === window.period && each.max === window.max) ??
      window,
  );
  policy!.windows = same;
};

export const regimes: ReadonlyArray<Regime> = [
  { name: "nested 12:6 + 40:60, 3 fibers", server: one("12:6", "40:60"), target: 99.5 },
  {
    name: "four windows 12:6, 40:60, 150:300, 400:900",
    server: one("12:6", "40:60", "150:300", "400:900"),
    target: 99.7,
  },
  { name: "30:10, 8 at once", server: one("30:10"), fibers: 8, target: 98.3 },
  { name: "2:10 + 5:300", server: one("2:10", "5:300"), target: 98.8 },
  {
    name: "1:5",
    server: one("1:5"),
    target: 49.7,
    because: "one place: a request that every hypothesis allows teaches nothing",
  },
  { name: "15:10 b5", server: one("15:10b5"), target: 99.9 },
  { name: "15:10 b5 + 30:300 b60", server: one("15:10b5", "30:300b60"), target: 102.5 },
  { name: "2:10 b5 + 5:300 b60", server: one("2:10b5", "5:300b60"), target: 100.7 },
  { name: "15:10 b20", server: one("15:10b20"), target: 96 },
  { name: "30:60 b60", server: one("30:60b60"), target: 101.6 },
  { name: "15:10 b7", server: one("15:10b7"), target: 99.7 },
  {
    name: "30:10 b5, latency 1.5-3 s",
    server: one("30:10b5"),
    fibers: 30,
    oneWay: (random) => 750 + random() * 750,
    target: 95.3,
  },
  {
    name: "30:10, 20 % of answers take 4 s",
    server: one("30:10"),
    fibers: 30,
    oneWay: (random) => (random() < 0.2 ? 2000 : 50),
    target: 90.4,
    because: "a slot turns over once per period and round trip",
  },
  {
    name: "30:10, latency 0.2-0.6 s",
    server: one("30:10"),
    fibers: 8,
    oneWay: (random) => 100 + random() * 200,
    target: 95.9,
  },
  {
    name: "4 processes on one store, 15:10 + 40:60",
    server: one("15:10", "40:60"),
    fibers: 8,
    target: 99.8,
  },
  {
    name: "4 processes, 15:10 b5 + 30:60 b60",
    server: one("15:10b5", "30:60b60"),
    fibers: 8,
    target: 100,
  },
  {
    name: "6 users, ip 60:60, account 30:60",
    server: () => ({
      policies: [
        { name: "p", windows: [...windows("ip", "60:60"), ...windows("account", "30:60")] },
      ],
    }),
    identities: users,
    fibers: 6,
    target: 99.1,
  },
  {
    name: "6 users, ip 600:60, account 30:60",
    server: () => ({
      policies: [
        { name: "p", windows: [...windows("ip", "600:60"), ...windows("account", "30:60")] },
      ],
    }),
    identities: users,
    fibers: 6,
    target: 99.8,
  },
  {
    name: "foreign, steady 10/min of 30:60",
    server: one("30:60"),
    foreign: (random, millis) => {
      const start = random() * 6000;
      return Array.from({ length: Math.floor(millis / 6000) }, (_, index) => start + index * 6000);
    },
    target: 60,
    violations: 1,
    because: "what others send shows only in the next response",
  },
  {
    name: "foreign, Poisson 10/min of 30:60",
    server: one("30:60"),
    foreign: poisson(10),
    perMinute: 10,
    target: 75,
    violations: 1,
    because: "what others send shows only in the next response",
  },
  {
    name: "foreign, Poisson 30/min of 120:60",
    server: one("120:60"),
    foreign: poisson(30),
    perMinute: 30,
    target: 85.9,
    violations: 1,
    because: "what others send shows only in the next response",
  },
  {
    name: "foreign burst of 10 each 5 min, 30:60",
    server: one("30:60"),
    foreign: (random, millis) => {
      const times: Array<number> = [];
      for (let at = random() * 5 * MINUTE; at < millis; at += 5 * MINUTE)
        for (let index = 0; index < 10; index++) times.push(at + index * 100);
      return times;
    },
    target: 47.1,
    violations: 5,
    because: "nobody can tell of a burst before it shows",
  },
  {
    name: "no -State, no bucket, 15:10",
    server: (random) => ({ ...one("15:10")(random), state: false }),
    target: 93,
    because: "without counts the declared period is all there is",
  },
  {
    name: "no -State, b5, 15:10",
    server: (random) => ({ ...one("15:10b5")(random), state: false }),
    target: 93.7,
    violations: 1,
    because: "the refusal is the only evidence",
  },
  {
    name: "30 % of answers with missing or broken headers",
    server: (random) => ({
      ...one("15:10b5")(random),
      headers: (headers, _now, next) => {
        const draw = next();
        if (draw < 0.15) return {};
        if (draw < 0.3)
          return {
            ...headers,
            "x-rate-limit-account": "15:10",
            "x-rate-limit-account-state": "??",
          };
        return headers;
      },
    }),
    target: 97.5,
  },
  {
    name: "a rule absent for 30 s in 5 min, still enforced",
    server: () => ({
      policies: [
        { name: "p", windows: [...windows("ip", "60:60"), ...windows("account", "30:60")] },
      ],
      headers: (headers, now) => {
        if (now % (5 * MINUTE) < 4.5 * MINUTE) return headers;
        const { "x-rate-limit-account": _, "x-rate-limit-account-state": __, ...rest } = headers;
        return { ...rest, "x-rate-limit-rules": "ip" };
      },
    }),
    target: 98.8,
  },
  {
    name: "limits change 40 to 10, +4:10, to 100",
    server: one("40:60"),
    change: lowered,
    changesAt: [20 * MINUTE, 40 * MINUTE],
    target: 93,
    violations: 1,
    because: "the first request after the change is refused",
  },
  {
    name: "one route alternates between two policies",
    server: () => ({
      policies: [
        { name: "p", windows: windows("account", "15:10") },
        { name: "q", windows: windows("account", "30:60") },
      ],
      policyAt: (_route, _now, index) => (index % 2 === 0 ? "p" : "q"),
    }),
    target: 99.6,
  },
  {
    name: "route moves to a stricter policy",
    server: () => ({
      policies: [
        { name: "p", windows: windows("account", "30:10") },
        { name: "q", windows: windows("account", "10:10") },
      ],
      policyAt: (_route, now) => (now < 30 * MINUTE ? "p" : "q"),
    }),
    changesAt: [30 * MINUTE],
    target: 99.7,
  },
  {
    name: "server clock jitters by 50 ms either way",
    server: (random) => ({ ...one("12:6", "40:60")(random), jitter: 50 }),
    target: 98.8,
  },
  {
    name: "server clock 200 ppm fast, b5, 4 h",
    server: (random) => ({ ...one("15:10b5")(random), drift: 0.0002 }),
    hours: 4,
    target: 99.7,
  },
  {
    name: "client's wall clock one hour back",
    server: one("15:10"),
    wall: (now) => (now > 20 * MINUTE ? -60 * MINUTE : 0),
    target: 99.6,
  },
  {
    name: "client's wall clock one hour forward",
    server: one("15:10"),
    wall: (now) => (now > 20 * MINUTE ? 60 * MINUTE : 0),
    target: 99.6,
  },
  {
    name: "restart each 24 s, kept store, 30:60 b60",
    server: one("30:60b60"),
    restart: { every: 24_000, keeps: true },
    target: 100,
  },
  {
    name: "restart each 24 s, nothing kept, 30:60",
    server: one("30:60"),
    restart: { every: 24_000, keeps: false },
    core: { spare: (max) => (max >= 20 ? 1 : 0) },
    target: 70,
    violations: 3,
    because: "the first request of a process that knows nothing is blind",
  },
  {
    name: "half of the answers are 404",
    server: (random) => ({ ...one("15:10")(random), status: (next) => (next() < 0.5 ? 404 : 200) }),
    target: 99.6,
  },
  {
    name: "one refusal reaches four in flight",
    server: (random) => ({
      ...one("30:10")(random),
      // A minute in which everything is refused, once.
      refuse: (now) => (now > 10 * MINUTE && now < 10 * MINUTE + 200 ? 10 : 0),
    }),
    fibers: 4,
    target: 99.9,
    violations: 4,
  },
];

/** Three in ten responses carry the count of one so many responses before. */
export const stale =
  (back: number): Regime["server"] =>
  (random) => {
    const told: Array<string> = [];
    return {
      ...one("30:60")(random),
      headers: (headers, _, next) => {
        told.unshift(headers["x-rate-limit-account-state"]!);
        const old = told[Math.min(back, told.length - 1)]!;
        return next() < 0.3 ? { ...headers, "x-rate-limit-account-state": old } : headers;
      },
    };
  };

/**
 * Recorded as well, but of no table: servers whose clocks are late by less than a bucket, requests
 * that are never answered or late, new routes, limits that are stated, counts that cannot be, and a
 * pad that is given up after an hour.
 */
export const lateServers: ReadonlyArray<Regime> = [
  ...["0.25", "0.45"].map((bucket) => ({
    name: `15:10, late by up to ${bucket} s`,
    server: one(`15:10b${bucket}`),
    hours: 0.2,
    target: 0,
  })),
  {
    name: "2 % of the requests are never answered",
    server: one("30:60"),
    fibers: 8,
    late: (random) => (random() < 0.02 ? Number.POSITIVE_INFINITY : 0),
    target: 0,
  },
  {
    name: "5 % of the answers take 100 s",
    server: one("30:10"),
    fibers: 8,
    core: { inFlightTimeout: 20_000 },
    late: (random) => (random() < 0.05 ? 100_000 : random() * 1500),
    hours: 0.3,
    target: 0,
  },
  {
    name: "64 routes of one unknown policy",
    server: one("60:60"),
    fibers: 64,
    routes: Array.from({ length: 64 }, (_, index) => `GET /${index}`),
    hours: 0.2,
    target: 0,
  },
  {
    name: "a stated limit that is too high",
    server: (random) => ({
      ...one("30:60")(random),
      headers: (headers): Record<string, string> =>
        headers["retry-after"] ? { "retry-after": headers["retry-after"] } : {},
    }),
    core: { stated: [{ max: 40, period: MINUTE }] },
    target: 0,
  },
  {
    name: "3:10, and the count is always 1",
    server: (random) => ({
      ...one("3:10")(random),
      headers: (headers) => ({ ...headers, "x-rate-limit-account-state": "1:10:0" }),
    }),
    hours: 0.2,
    target: 0,
  },
  {
    name: "a window that ends 0.7 s early",
    server: (random) => ({
      ...one("30:59.3")(random),
      headers: ({ "x-rate-limit-account-state": state = "", ...headers }) => ({
        ...headers,
        "x-rate-limit-account": "30:60:60",
        "x-rate-limit-account-state": state.replace("59.3", "60"),
      }),
    }),
    hours: 0.3,
    target: 0,
  },
  ...[0.1, 0.5, 1].map((share) => ({
    name: `${share * 100} % of the counts cannot be`,
    server: (random: () => number) => ({
      ...one("30:60")(random),
      headers: (
        headers: Record<string, string>,
        _: number,
        next: () => number,
      ): Record<string, string> =>
        next() < share
          ? { ...headers, "x-rate-limit-account-state": `${1 + Math.floor(next() * 3)}:60:0` }
          : headers,
    }),
    hours: 0.5,
    target: 0,
  })),
  { name: "30 % of the counts are five responses old", server: stale(5), hours: 0.5, target: 0 },
  {
    name: "no -State, b5, 15:10, for longer than an hour",
    server: (random) => ({ ...one("15:10b5")(random), state: false }),
    hours: 1.1,
    target: 0,
  },
];
