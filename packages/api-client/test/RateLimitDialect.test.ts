import { describe, expect, it } from "vitest";
import { RateLimitDialect } from "../src/index.ts";
import { generator } from "./simulate.ts";

const NOW = Date.UTC(2026, 10, 21);
const { ietf, multiWindow, none, parseRetryAfter } = RateLimitDialect;

describe("the multi-window dialect", () => {
  it("reads policy, rules, windows, the server's counts and restrictions [NS-12]", () => {
    const reading = multiWindow.read(
      {
        "x-rate-limit-policy": "stash-request-limit",
        "x-rate-limit-rules": "Account,Ip",
        "x-rate-limit-account": "15:10:60,30:300:300",
        "x-rate-limit-account-state": "3:10:0,31:300:120",
        "x-rate-limit-ip": "45:60:120",
        "x-rate-limit-ip-state": "4:60:0",
        "retry-after": "120",
      },
      NOW,
    );
    expect(reading).toEqual({
      policy: "stash-request-limit",
      retryAfter: 120_000,
      windows: [
        { rule: "account", max: 15, period: 10_000, penalty: 60_000, hits: 3, restricted: 0 },
        {
          rule: "account",
          max: 30,
          period: 300_000,
          penalty: 300_000,
          hits: 31,
          restricted: 120_000,
        },
        { rule: "ip", max: 45, period: 60_000, penalty: 120_000, hits: 4, restricted: 0 },
      ],
    });
  });

  it("leaves out what it cannot read", () => {
    const headers = {
      "x-rate-limit-policy": " ",
      "x-rate-limit-rules": "Account, ,Client,Nobody",
      "x-rate-limit-account": "15:10,a:b:c,0:5:5,5:-1:1,7:20:30",
      "x-rate-limit-account-state": "nonsense",
      "x-rate-limit-client": "",
      "retry-after": "soon",
    };
    expect(multiWindow.read(headers, NOW)).toEqual({
      policy: undefined,
      retryAfter: undefined,
      windows: [{ rule: "account", max: 7, period: 20_000, penalty: 30_000 }],
    });
  });

  it("never throws, whatever the headers hold", () => {
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
      for (const dialect of [multiWindow, ietf, none]) {
        for (const window of dialect.read(headers, NOW).windows) {
          expect(window.max).toBeGreaterThanOrEqual(1);
          expect(window.period).toBeGreaterThan(0);
        }
      }
    }
  });
});

describe("the other dialects", () => {
  it("reads the IETF draft's fields", () => {
    const reading = ietf.read(
      {
        "ratelimit-policy": '"burst";q=100;w=60,"daily";q=1000;w=86400',
        ratelimit: '"burst";r=40;t=30',
      },
      NOW,
    );
    expect(reading.policy).toBe("burst+daily");
    expect(reading.windows).toEqual([
      { rule: "burst", max: 100, period: 60_000, penalty: 0, hits: 60 },
      { rule: "daily", max: 1000, period: 86_400_000, penalty: 0 },
    ]);
  });

  it("reads Retry-After alone where a deployment has no rate headers [NS-12]", () => {
    expect(none.read({ "retry-after": "3", "x-rate-limit-policy": "p" }, NOW)).toEqual({
      policy: undefined,
      windows: [],
      retryAfter: 3000,
    });
  });
});

describe("Retry-After", () => {
  it("comes as seconds and as a date, and is bounded", () => {
    expect(parseRetryAfter("0", NOW)).toBe(0);
    expect(parseRetryAfter(" 12 ", NOW)).toBe(12_000);
    expect(parseRetryAfter("Sat, 21 Nov 2026 00:01:30 GMT", NOW)).toBe(90_000);
    expect(parseRetryAfter("Fri, 20 Nov 2026 00:00:00 GMT", NOW)).toBe(0);
    expect(parseRetryAfter("99999999999", NOW)).toBe(86_400_000);
    expect(parseRetryAfter("-5", NOW)).toBeUndefined();
    expect(parseRetryAfter("1e3", NOW)).toBeUndefined();
    expect(parseRetryAfter(undefined, NOW)).toBeUndefined();
  });
});
