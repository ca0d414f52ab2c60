import { ietf, retryAfterMillis, xRateLimit } from "@game-data/rate-limit";
import { describe, expect, it, vi } from "vitest";
import { generator } from "./model/simulate.ts";

const NOW = Date.UTC(2026, 10, 21);

describe("xRateLimit", () => {
  it("xRateLimit reads policy, rules, windows, the server's counts and restrictions [NS-12]", () => {
    const headers = {
      "x-rate-limit-policy": " stash-request-limit ",
      "x-rate-limit-rules": "Account,Ip",
      "x-rate-limit-account": "15:10:60,30:300:300",
      "x-rate-limit-account-state": "3:10:0,31:300:120",
      "x-rate-limit-ip": "45.25:0.25:120.75",
      "x-rate-limit-ip-state": "4:0.25:12.25",
      "retry-after": "120",
    };
    expect(xRateLimit(headers, NOW)).toEqual({
      policy: "stash-request-limit",
      retryAfter: 120_000,
      windows: [
        { rule: "account", max: 15, period: 10_000, count: 3 },
        { rule: "account", max: 30, period: 300_000, count: 31, restricted: 120_000 },
        { rule: "ip", max: 45, period: 250, count: 4, restricted: 12_250 },
      ],
    });
  });

  it("xRateLimit omits headers that it cannot parse", () => {
    const headers = {
      "x-rate-limit-policy": " ",
      "x-rate-limit-rules": "Account, ,Client,Nobody",
      "x-rate-limit-account": "15:10,a:b:c,0:5:5,5:-1:1,5:0:1,5:1:1x,7:20:30",
      "x-rate-limit-account-state": "nonsense",
      "x-rate-limit-client": "",
      "retry-after": "soon",
    };
    const windows = [{ rule: "account", max: 7, period: 20_000 }];
    expect(xRateLimit(headers, NOW)).toEqual({ windows });
    expect(xRateLimit({ "retry-after": "3" }, NOW)).toEqual({ windows: [], retryAfter: 3000 });
  });
});

describe("ietf", () => {
  const both = '"a";q=100;w=60,"b";q=9;w=3600';
  const six = "5;w=2, 1000;w=3600";
  const zero = { "ratelimit-remaining": "0", "ratelimit-reset": "50" };
  /** Describes a window as rule, maximum, period, count and restriction in seconds. */
  const read = (headers: Record<string, string>) => {
    const { policy, windows } = ietf(headers, NOW);
    const texts = windows.map(({ count = "-", isExact, max, period, restricted = 0, rule }) =>
      [rule, max, period / 1000, count, restricted / 1000, isExact ? "" : "!"].join(" ").trim(),
    );
    return [policy, ...texts].join(", ");
  };

  it.each([
    ["one report of two quotas", both, '"a";r=40;t=30', "a+b, a 100 60 60 0, b 9 3600 - 0"],
    ["the remaining time of a full window", both, '"b";r=0;t=9', "a+b, a 100 60 - 0, b 9 3600 9 9"],
    ["a full window without a time", both, '"b";r=0', "a+b, a 100 60 - 0, b 9 3600 9 0"],
    ["no report", both, "", "a+b, a 100 60 - 0, b 9 3600 - 0"],
    ["a name with a comma", '"a,b";q=9;w=60', '"a,b";r=4', "a,b, a,b 9 60 5 0"],
    ["a name with a semicolon", '"a;b";q=9;w=60', '"a;b";r=4', "a;b, a;b 9 60 5 0"],
    ["a name with an equals sign", '"a=b";q=9;w=60', '"a=b";r=4', "a=b, a=b 9 60 5 0"],
    ["the last report of a name", '"a";q=9;w=60', '"a";r=9,"a";r=1', "a, a 9 60 8 0"],
    ["no quota of bytes", '"a";q=9;qu="content-bytes";w=1, "b";q=9;w=60', "", "b, b 9 60 - 0"],
    ["no quota of bytes without quotes", '"a";q=9;w=1;qu=content-bytes', "", ""],
    ["requests as the unit", '"a";qu="requests";q=9;w=60', "", "a, a 9 60 - 0"],
    ["requests as a unit without quotes", '"a";qu=requests;q=9;w=60', "", "a, a 9 60 - 0"],
    ["the name of an unusable quota", '"a";q=9;w=60, "b";q=9;w=0', "", "a+b, a 9 60 - 0"],
    ["parameters without a value", '"a";q=9;new;w=60', '"a";new;r', "a, a 9 60 - 0"],
  ])("ietf reads from the headers of draft 8: %s [NS-12]", (_, policy, report, expected) => {
    expect(read({ "ratelimit-policy": policy, ratelimit: report })).toBe(expected);
  });

  it.each([
    ["the quota of draft 6", { "ratelimit-limit": "9;w=60", ...zero }, "9;w=60, 9;w=60 9 60 9 50"],
    ["the quota of draft 7", { "ratelimit-policy": "9;w=60", ...zero }, "9;w=60, 9;w=60 9 60 9 50"],
    ["no limit without a window", { "ratelimit-limit": "9", ...zero }, ""],
    [
      "the state of the quota that `limit` of draft 7 names",
      { "ratelimit-policy": six, ratelimit: "limit=5, remaining=0, reset=2" },
      "5;w=2+1000;w=3600, 5;w=2 5 2 5 2, 1000;w=3600 1000 3600 - 0",
    ],
    [
      "the state of the quota that `RateLimit-Limit` names",
      { "ratelimit-policy": six, "ratelimit-limit": "1000", "ratelimit-remaining": "1" },
      "5;w=2+1000;w=3600, 5;w=2 5 2 - 0, 1000;w=3600 1000 3600 999 0",
    ],
    [
      "no state if it is unknown to which quota it belongs",
      { "ratelimit-policy": six, ratelimit: "remaining=0, reset=2" },
      "5;w=2+1000;w=3600, 5;w=2 5 2 - 0, 1000;w=3600 1000 3600 - 0",
    ],
  ])("ietf reads from the headers of drafts 6 and 7: %s", (_, headers, expected) => {
    expect(read(headers as Record<string, string>)).toBe(expected);
  });
});

it("xRateLimit and ietf never throw, and read at most 64 windows, whatever the headers hold", () => {
  const random = generator(5);
  const parts = '9:60:5|9:|:0|,|"a"|;q=9|;w=60|;w=0|=|-1|. |\u0000ü\n'.split("|");
  const noise = () =>
    Array.from({ length: Math.floor(random() * 20) }, () => parts.at(random() * parts.length)).join(
      "",
    );
  let found = 0;
  for (let round = 0; round < 2000; round++) {
    const headers = {
      "x-rate-limit-policy": noise(),
      "x-rate-limit-rules": `a,${noise()}`,
      "x-rate-limit-a": noise(),
      "x-rate-limit-a-state": noise(),
      "ratelimit-policy": noise(),
      ratelimit: noise(),
      "retry-after": noise(),
    };
    for (const { max, period } of [xRateLimit, ietf].flatMap(
      (reader) => reader(headers, NOW).windows,
    )) {
      found++;
      expect(max).toBeGreaterThanOrEqual(1);
      expect(period).toBeGreaterThan(0);
    }
  }
  expect(found).toBeGreaterThan(50);
  const many = (item: (index: number) => string) =>
    Array.from({ length: 100 }, (_, i) => item(i + 1)).join();
  const rules = { "x-rate-limit-rules": "a", "x-rate-limit-a": many((index) => `9:${index}:1`) };
  expect(xRateLimit(rules, NOW).windows).toHaveLength(64);
  expect(ietf({ "ratelimit-policy": many((index) => `9;w=${index}`) }, NOW).windows).toHaveLength(
    64,
  );
});

describe("Retry-After", () => {
  it.each([
    [" 12 ", 12_000],
    ["1.5", 1500],
    ["1e3", undefined],
    ["soon", undefined],
    ["1000000000", 86_400_000],
    ["Sat, 21 Nov 2026 00:01:30 GMT", 90_000],
    ["Saturday, 21-Nov-26 00:01:30 GMT", 90_000],
    ["Sat Nov 21 00:01:30 2026", 90_000],
    ["Sat, 21 Nov 2026 00:01:30", 90_000],
    ["Sat, 21 Nov 2026 01:01:30 +0100", 90_000],
    ["Fri, 20 Nov 2026 00:00:00 GMT", 0],
    ["Sat, 99 Nov 2026 00:01:30 GMT", undefined],
  ])("retryAfterMillis reads a Retry-After of %o as %o ms in any time zone", (value, expected) => {
    vi.stubEnv("TZ", "America/New_York");
    expect(retryAfterMillis({ "retry-after": value }, NOW)).toBe(expected);
    vi.unstubAllEnvs();
  });

  it("retryAfterMillis reads a date relative to the response's `Date`, not to this machine's clock", () => {
    const headers = {
      "retry-after": "Sat, 21 Nov 2026 00:01:30 GMT",
      date: "Sat, 21 Nov 2026 00:01:22 GMT",
    };
    expect(retryAfterMillis(headers, NOW)).toBe(8000);
    expect(retryAfterMillis(headers, NOW + 600_000)).toBe(8000);
    expect(retryAfterMillis({ ...headers, date: "today" }, NOW)).toBe(90_000);
  });
});
