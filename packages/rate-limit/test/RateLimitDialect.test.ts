import { describe, expect, it, vi } from "vitest";
import * as RateLimitDialect from "../src/RateLimitDialect.ts";
import { createLimiter, retryAfterMillis } from "../src/index.ts";
import { generator } from "./model/simulate.ts";

const NOW = Date.UTC(2026, 10, 21);
const { discord, github, ietf, xRateLimit } = RateLimitDialect;

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
          hits: 3,
          restrictedMillis: 0,
        },
        {
          rule: "account",
          max: 30,
          periodMillis: 300_000,
          hits: 31,
          restrictedMillis: 120_000,
        },
        {
          rule: "ip",
          max: 45,
          periodMillis: 60_000,
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
      windows: [{ rule: "account", max: 7, periodMillis: 20_000 }],
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
      for (const dialect of [xRateLimit, ietf]) {
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
      { rule: "burst", max: 100, periodMillis: 60_000, isPlain: true, hits: 60 },
      { rule: "daily", max: 1000, periodMillis: 86_400_000, isPlain: true },
    ]);
  });

  it("leaves quotas of bytes out, and cuts no name at its comma [NS-12]", () => {
    const headers = {
      "ratelimit-policy": '"bw";q=65535;qu="content-bytes";w=10, "a,b";q=10;qu="requests";w=60',
      ratelimit: '"bw";r=20000, "a,b";r=4',
    };
    const window = { rule: "a,b", max: 10, periodMillis: 60_000, isPlain: true, hits: 6 };
    expect(ietf.read(headers, NOW)).toMatchObject({ policy: "a,b", windows: [window] });
  });

  it("takes no epoch for the rest of an IETF window", () => {
    const headers = { "ratelimit-limit": "100", "ratelimit-remaining": "0" };
    const held = ietf.read({ ...headers, "ratelimit-reset": "50" }, NOW);
    expect(held.windows).toMatchObject([{ max: 100, hits: 100, restrictedMillis: 50_000 }]);
    expect(ietf.read({ ...headers, "ratelimit-reset": "1795675380" }, NOW).windows).toEqual([]);
  });

  it("reads Retry-After alone where a deployment has no rate headers [NS-12]", () => {
    expect(xRateLimit.read({ "retry-after": "3" }, NOW)).toEqual({
      policy: undefined,
      windows: [],
      retryAfterMillis: 3000,
    });
  });
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
  ])("of %o is %o ms, wherever the machine stands", (value, expected) => {
    vi.stubEnv("TZ", "America/New_York");
    expect(retryAfterMillis({ "retry-after": value }, NOW)).toBe(expected);
    vi.unstubAllEnvs();
  });

  it("that is a date counts from the response's own `Date`, whatever this machine's clock says", () => {
    const headers = {
      "retry-after": "Sat, 21 Nov 2026 00:01:30 GMT",
      date: "Sat, 21 Nov 2026 00:01:22 GMT",
    };
    expect(retryAfterMillis(headers, NOW)).toBe(8000);
    expect(retryAfterMillis(headers, NOW + 600_000)).toBe(8000);
    expect(retryAfterMillis({ ...headers, date: "today" }, NOW)).toBe(90_000);
  });
});

describe("GitHub's headers", () => {
  const SINCE = 1_700_000_000_000;
  const headers = {
    "x-ratelimit-limit": "5000",
    "x-ratelimit-remaining": "4999",
    "x-ratelimit-reset": "1700003600",
    "x-ratelimit-used": "1",
    "x-ratelimit-resource": "core",
  };

  it("are a window of an hour for each resource", () => {
    expect(github.read(headers, SINCE)).toEqual({
      policy: "core",
      windows: [
        {
          rule: "token",
          max: 5000,
          periodMillis: 3_600_000,
          isPlain: true,
          hits: 1,
        },
      ],
      retryAfterMillis: undefined,
    });
    const search = github.read({ ...headers, "x-ratelimit-resource": "search" }, SINCE);
    expect(search).toMatchObject({ policy: "search", windows: [{ periodMillis: 60_000 }] });
  });

  it("tell the reset by the server's clock", () => {
    const date = new Date(SINCE + 3_590_000).toUTCString();
    const empty = { ...headers, "x-ratelimit-remaining": "0", date };
    expect(github.read(empty, SINCE + 9_000_000).windows[0]?.restrictedMillis).toBe(10_000);
  });

  it("hold the resource until its reset when nothing is left", () => {
    const { windows } = github.read({ ...headers, "x-ratelimit-remaining": "0" }, SINCE);
    expect(windows[0]).toMatchObject({ hits: 5000, restrictedMillis: 3_600_000 });
  });

  it("of a secondary limit are a Retry-After alone", () => {
    const info = github.read({ "retry-after": "60" }, SINCE);
    expect(info).toEqual({ policy: undefined, windows: [], retryAfterMillis: 60_000 });
  });

  it.each(["", "many", "-1", "0"])("with a limit of %o say nothing", (limit) => {
    expect(github.read({ ...headers, "x-ratelimit-limit": limit }, SINCE).windows).toEqual([]);
  });

  it("stop a limiter before the limit", async () => {
    const limiter = createLimiter({ dialect: github, maxWait: 100 });
    let left = 3;
    const send = () =>
      limiter.run({ route: "GET /user" }, () => {
        left--;
        const reset = String(Math.floor(Date.now() / 1000) + 600);
        return {
          status: left < 0 ? 403 : 200,
          headers: {
            "x-ratelimit-limit": "3",
            "x-ratelimit-remaining": String(Math.max(0, left)),
            "x-ratelimit-reset": reset,
            "x-ratelimit-resource": "core",
          },
        };
      });
    const results = await Promise.allSettled(Array.from({ length: 6 }, send));
    expect(left).toBeGreaterThanOrEqual(0);
    expect(results.filter(({ status }) => status === "rejected").length).toBe(3 + left);
  });
});

describe("Discord's headers", () => {
  const headers = {
    "x-ratelimit-bucket": "abcd1234",
    "x-ratelimit-limit": "5",
    "x-ratelimit-remaining": "4",
    "x-ratelimit-reset": "1700000001.5",
    "x-ratelimit-reset-after": "1.5",
  };

  it("name a bucket, and its period is the longest reset that was seen", () => {
    expect(discord.read(headers, 0)).toEqual({
      policy: "abcd1234",
      windows: [{ rule: "bucket", max: 5, periodMillis: 1500, isPlain: true, hits: 1 }],
      retryAfterMillis: undefined,
      roundingMillis: 5,
    });
    const rest = { ...headers, "x-ratelimit-reset-after": "0.2" };
    const periodIn = (known: string) =>
      discord.read(rest, 0, (policy, rule) => (`${policy} ${rule}` === known ? 1500 : 0)).windows[0]
        ?.periodMillis;
    expect([periodIn("abcd1234 bucket"), periodIn("other bucket")]).toEqual([1500, 200]);
  });

  it("hold the bucket until its reset when nothing is left", () => {
    const { windows } = discord.read({ ...headers, "x-ratelimit-remaining": "0" }, 0);
    expect(windows[0]).toMatchObject({ hits: 5, restrictedMillis: 1500 });
  });

  it("of the global limit concern the whole client", () => {
    const info = discord.read(
      { ...headers, "x-ratelimit-global": "true", "retry-after": "0.75" },
      0,
    );
    expect(info.windows[0]?.rule).toBe("client");
    expect(info.retryAfterMillis).toBe(750);
  });

  it("without a bucket say nothing", () => {
    const { "x-ratelimit-bucket": _, ...rest } = headers;
    expect(discord.read(rest, 0).windows).toEqual([]);
  });
});
