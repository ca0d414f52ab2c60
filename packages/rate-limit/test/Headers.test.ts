import { ietf, retryAfterMillis, xRateLimit } from "@game-data/rate-limit";
import { describe, expect, it, vi } from "vitest";
import { generator } from "./model/simulate.ts";

const NOW = Date.UTC(2026, 10, 21);

describe("xRateLimit", () => {
  it("reads policy, rules, windows, the server's counts and restrictions [NS-12]", () => {
    const headers = {
      "x-rate-limit-policy": "stash-request-limit",
      "x-rate-limit-rules": "Account,Ip",
      "x-rate-limit-account": "15:10:60,30:300:300",
      "x-rate-limit-account-state": "3:10:0,31:300:120",
      "x-rate-limit-ip": "45:60:120",
      "x-rate-limit-ip-state": "4:60:0",
      "retry-after": "120",
    };
    expect(xRateLimit(headers, NOW)).toEqual({
      policy: "stash-request-limit",
      retryAfter: 120_000,
      windows: [
        { rule: "account", max: 15, period: 10_000, count: 3 },
        { rule: "account", max: 30, period: 300_000, count: 31, restricted: 120_000 },
        { rule: "ip", max: 45, period: 60_000, count: 4 },
      ],
    });
  });

  it("leaves out headers that it cannot parse", () => {
    const headers = {
      "x-rate-limit-policy": " ",
      "x-rate-limit-rules": "Account, ,Client,Nobody",
      "x-rate-limit-account": "15:10,a:b:c,0:5:5,5:-1:1,7:20:30",
      "x-rate-limit-account-state": "nonsense",
      "x-rate-limit-client": "",
      "retry-after": "soon",
    };
    expect(xRateLimit(headers, NOW)).toEqual({
      windows: [{ rule: "account", max: 7, period: 20_000 }],
    });
  });

  it("reads at most 64 windows", () => {
    const rule = Array.from({ length: 100 }, (_, index) => `9:${index + 1}:1`).join();
    const headers = { "x-rate-limit-rules": "a", "x-rate-limit-a": rule };
    expect(xRateLimit(headers, NOW).windows).toHaveLength(64);
  });

  it("reads Retry-After alone if a deployment has no rate-limit headers [NS-12]", () => {
    expect(xRateLimit({ "retry-after": "3" }, NOW)).toEqual({ windows: [], retryAfter: 3000 });
  });
});

describe("ietf", () => {
  it("reads the RateLimit fields of draft 8", () => {
    const headers = {
      "ratelimit-policy": '"burst";q=100;w=60,"daily";q=1000;w=86400',
      ratelimit: '"burst";r=40;t=30',
    };
    expect(ietf(headers, NOW)).toEqual({
      policy: "burst+daily",
      windows: [
        { rule: "burst", max: 100, period: 60_000, isExact: true, count: 60 },
        { rule: "daily", max: 1000, period: 86_400_000, isExact: true },
      ],
    });
  });

  it("leaves quotas of bytes out, and cuts no name at its comma [NS-12]", () => {
    const headers = {
      "ratelimit-policy": '"bw";q=65535;qu="content-bytes";w=10, "a,b";q=10;qu="requests";w=60',
      ratelimit: '"bw";r=20000, "a,b";r=4',
    };
    const window = { rule: "a,b", max: 10, period: 60_000, isExact: true, count: 6 };
    expect(ietf(headers, NOW)).toMatchObject({ policy: "a,b", windows: [window] });
  });

  it("reads the RateLimit fields of drafts 6 and 7, and the remaining time of a full window", () => {
    const headers = { "ratelimit-remaining": "0", "ratelimit-reset": "50" };
    const window = { max: 100, period: 60_000, count: 100, restricted: 50_000 };
    for (const name of ["ratelimit-limit", "ratelimit-policy"])
      expect(ietf({ ...headers, [name]: "100;w=60" }, NOW).windows).toMatchObject([window]);
    expect(ietf({ ...headers, "ratelimit-limit": "100" }, NOW).windows).toEqual([]);
  });

  it("applies the remaining requests of drafts 6 and 7 to the quota of `limit` alone", () => {
    const policy = { "ratelimit-policy": "5;w=2, 1000;w=3600" };
    const windows = [
      { rule: "5;w=2", max: 5, period: 2000, isExact: true, count: 5, restricted: 2000 },
      { rule: "1000;w=3600", max: 1000, period: 3_600_000, isExact: true },
    ];
    for (const state of [
      { ratelimit: "limit=5, remaining=0, reset=2" },
      { "ratelimit-limit": "5", "ratelimit-remaining": "0", "ratelimit-reset": "2" },
    ])
      expect(ietf({ ...policy, ...state }, NOW)).toMatchObject({
        policy: "5;w=2+1000;w=3600",
        windows,
      });
    // Without `limit`, nobody knows to which of them the state belongs.
    const unknown = ietf({ ...policy, ratelimit: "remaining=0, reset=2" }, NOW);
    expect(unknown.windows.map(({ count }) => count)).toEqual([undefined, undefined]);
  });
});

it("readers never throw, whatever the headers hold", () => {
  const random = generator(5);
  const letters = '0123456789:,;="-. aZ\u0000ü';
  const noise = () =>
    Array.from(
      { length: Math.floor(random() * 20) },
      () => letters[Math.floor(random() * letters.length)],
    ).join("");
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
      (read) => read(headers, NOW).windows,
    )) {
      expect(max).toBeGreaterThanOrEqual(1);
      expect(period).toBeGreaterThan(0);
    }
  }
});

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    ["1", 1000],
    [" 12 ", 12_000],
    ["1.5", 1500],
    ["-5", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
    ["1000000000", 86_400_000],
    ["Sat, 21 Nov 2026 00:01:30 GMT", 90_000],
    ["Saturday, 21-Nov-26 00:01:30 GMT", 90_000],
    ["Sat Nov 21 00:01:30 2026", 90_000],
    ["Sat, 21 Nov 2026 00:01:30", 90_000],
    ["Sat, 21 Nov 2026 01:01:30 +0100", 90_000],
    ["Fri, 20 Nov 2026 00:00:00 GMT", 0],
    ["Sat, 99 Nov 2026 00:01:30 GMT", undefined],
  ])("reads a Retry-After of %o as %o ms in any time zone", (value, expected) => {
    vi.stubEnv("TZ", "America/New_York");
    expect(retryAfterMillis({ "retry-after": value }, NOW)).toBe(expected);
    vi.unstubAllEnvs();
  });

  it("reads a Retry-After date relative to the response's own `Date`, not to this machine's clock", () => {
    const headers = {
      "retry-after": "Sat, 21 Nov 2026 00:01:30 GMT",
      date: "Sat, 21 Nov 2026 00:01:22 GMT",
    };
    expect(retryAfterMillis(headers, NOW)).toBe(8000);
    expect(retryAfterMillis(headers, NOW + 600_000)).toBe(8000);
    expect(retryAfterMillis({ ...headers, date: "today" }, NOW)).toBe(90_000);
  });
});
