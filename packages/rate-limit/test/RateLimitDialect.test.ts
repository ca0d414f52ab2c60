import { describe, expect, it } from "vitest";
import * as RateLimitDialect from "../src/RateLimitDialect.ts";
import { generator } from "./model/simulate.ts";

const NOW = Date.UTC(2026, 10, 21);
const { ietf, xRateLimit, none, parseRetryAfter } = RateLimitDialect;

describe("the multi-window dialect", () => {
  it("reads policy, rules, windows, the server's counts and restrictions [NS-12]", () => {
    const reading = xRateLimit.read(
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
      retryAfterMillis: 120_000,
      windows: [
        {
          rule: "account",
          max: 15,
          periodMillis: 10_000,
          penaltyMillis: 60_000,
          hits: 3,
          restrictedMillis: 0,
        },
        {
          rule: "account",
          max: 30,
          periodMillis: 300_000,
          penaltyMillis: 300_000,
          hits: 31,
          restrictedMillis: 120_000,
        },
        {
          rule: "ip",
          max: 45,
          periodMillis: 60_000,
          penaltyMillis: 120_000,
          hits: 4,
          restrictedMillis: 0,
        },
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
    expect(xRateLimit.read(headers, NOW)).toEqual({
      policy: undefined,
      retryAfterMillis: undefined,
      windows: [{ rule: "account", max: 7, periodMillis: 20_000, penaltyMillis: 30_000 }],
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
      for (const dialect of [xRateLimit, ietf, none]) {
        for (const window of dialect.read(headers, NOW).windows) {
          expect(window.max).toBeGreaterThanOrEqual(1);
          expect(window.periodMillis).toBeGreaterThan(0);
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
      { rule: "burst", max: 100, periodMillis: 60_000, penaltyMillis: 0, hits: 60 },
      { rule: "daily", max: 1000, periodMillis: 86_400_000, penaltyMillis: 0 },
    ]);
  });

  it("reads Retry-After alone where a deployment has no rate headers [NS-12]", () => {
    expect(none.read({ "retry-after": "3", "x-rate-limit-policy": "p" }, NOW)).toEqual({
      policy: undefined,
      windows: [],
      retryAfterMillis: 3000,
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
