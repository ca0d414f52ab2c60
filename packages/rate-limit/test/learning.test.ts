/** What the planning core learns from responses. Times are seconds. */
import { describe, expect, it } from "vitest";
import type { LimiterOptions, LimitInfo } from "@game-data/rate-limit";
import { Planner } from "./model/planner.ts";

/**
 * Parses a response such as `1>2 429 p account=9:60:3 retry=60`: the request was sent at 1 s, and the
 * response arrived at 2 s. A window is maximum, period, count, and remaining restriction. `-` is no
 * policy, and status 0 a request that was lost.
 */
const parse = (text: string) => {
  const [times = "", status, name, ...fields] = text.split(" ");
  const [sentAt = 0, receivedAt = sentAt] = times.split(">").map(Number);
  const values = fields.map((field) => {
    const [key = "", numbers = ""] = field.split("=");
    return [key, ...numbers.split(":").map(Number)] as const;
  });
  const info: LimitInfo = {
    policy: name === "-" ? undefined : name,
    retryAfter: values.flatMap(([key, seconds]) => (key === "retry" ? seconds! * 1000 : []))[0],
    windows: values
      .filter(([key]) => key !== "retry")
      .map(([key, max = 0, seconds = 0, count, restricted = 0]) => ({
        rule: key,
        max,
        period: seconds * 1000,
        isExact: key === "exact",
        count,
        restricted: restricted * 1000,
      })),
  };
  return { sentAt, receivedAt, status: Number(status) || undefined, info };
};

/** One program. It has sent the requests to which the `responses` respond. */
const makeProgram = (responses: string, options?: LimiterOptions) => {
  const planner = new Planner(options);
  const request = (route: string) => ({ route, identity: "me" });
  const limits = (at: number, route = "GET /a") => planner.limits(route, "me", at * 1000);
  const program = {
    receive: (text: string, route = "GET /a"): void => {
      const events = text.split(", ").map(parse);
      const grants = new Map<object, ReturnType<Planner["send"]>>();
      const steps = events.flatMap((event) => {
        const { info, receivedAt, sentAt, status } = event;
        const send = () => grants.set(event, planner.send(request(route), sentAt * 1000));
        const settle = () => planner.settle(grants.get(event)!, status, info, receivedAt * 1000);
        return [
          { at: sentAt, run: send },
          { at: receivedAt, run: settle },
        ];
      });
      for (const { run } of steps.toSorted((one, other) => one.at - other.at)) run();
    },
    limits,
    /** Grants a request (`0`), or returns its wait. */
    wait: (at: number, route = "GET /a"): number => {
      const decision = planner.acquire(request(route), at * 1000);
      return "until" in decision ? decision.until / 1000 - at : 0;
    },
    names: (at: number) =>
      limits(at)
        .policies.map(({ name }) => name)
        .join(" "),
    windows: (at: number, route = "GET /a") =>
      (limits(at, route).policies[0]?.windows ?? [])
        .map(({ max, periodMillis, rule }) => `${rule}=${max}:${periodMillis / 1000}`)
        .join(" "),
    /** The numbers of requests, and of foreign ones among them, in the first window of each policy. */
    used: (at: number) =>
      limits(at)
        .policies.map(({ windows: [window] }) => `${window?.used}/${window?.foreign}`)
        .join(" "),
    excess: (at: number) => limits(at).policies[0]!.windows[0]!.excessMillis / 1000,
  };
  if (responses) program.receive(responses);
  return program;
};

describe("the policies of a route", () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const many = numbers.map((index) => `${index} 200 p${index} a=9:60`).join(", ");
  const last = numbers
    .slice(4)
    .map((index) => `p${index}`)
    .toReversed()
    .join(" ");
  it.each([
    ["the latest policy first", "0 200 p a=9:60, 1 200 q a=9:60", 2, "q p"],
    ["a policy named again first", "0 200 p a=9:60, 1 200 q a=9:60, 2 200 p a=9:60", 3, "p q"],
    ["the policies named in the last ten minutes", "0 200 p a=9:60, 300 200 q a=9:60", 600, "q"],
    ["the last policy for ever", "0 200 p a=9:60", 9999, "p"],
    ["a policy named again", "0 200 p a=9:60, 400 200 p a=9:60, 401 200 q a=9:60", 950, "q p"],
    ["the 16 policies that were named last", many, 20, last],
    ["the route itself, if its responses name no policy", "0 200 -", 1, "?GET /a"],
    ["not the route itself, once a response names a policy", "0 200 -, 1 200 p a=9:60", 2, "p"],
  ])("the limiter knows the policies of a route: %s", (_, responses, at, expected) => {
    expect(makeProgram(responses).names(at)).toBe(expected);
  });

  it.each(["constructor", "__proto__"])("a limiter knows the policy of the route %s", (route) => {
    const { limits, receive } = makeProgram("");
    receive("0 200 p a=9:60:1, 1 404 p a=9:60:2", route);
    expect(limits(2, route)).toMatchObject({ knowledge: "learned", policies: [{ name: "p" }] });
    expect(limits(2, "toString").knowledge).toBe("unknown");
  });

  it("the limiter counts a request once, under the policy that its response names", () => {
    const { receive, used } = makeProgram("0 200 p a=9:60:1");
    receive("0 200 q a=9:60:1", "GET /b");
    receive("1>2 200 q a=9:60:2");
    expect(used(3)).toBe("2/0 1/0");
  });
});

describe("the windows of a policy", () => {
  it.each([
    ["a new maximum", "0 200 p a=9:60, 1 200 p a=5:60", "a=5:60"],
    ["a new period", "0 200 p a=9:60, 1 200 p a=9:30", "a=9:30"],
    ["a rule absent for five minutes", "0 200 p a=9:60 b=9:60, 299 200 p b=9:60", "b=9:60 a=9:60"],
    ["no rule absent for over five minutes", "0 200 p a=9:60 b=9:60, 301 200 p b=9:60", "b=9:60"],
    [
      "a rule absent for two periods",
      "0 200 p a=9:600 b=9:60, 1199 200 p b=9:60",
      "b=9:60 a=9:600",
    ],
    ["no rule absent for over two periods", "0 200 p a=9:600 b=9:60, 1201 200 p b=9:60", "b=9:60"],
    ["the last windows, if a response has none", "0 200 p a=9:60, 1 200 p", "a=9:60"],
    ["stated limits", "0 200 p", "client=40:60"],
    ["no stated limits, once a response has others", "0 200 p, 1 200 p a=9:60", "a=9:60"],
  ])("the limiter knows the windows of a policy: %s", (_, responses, expected) => {
    const { windows } = makeProgram(responses, { limits: [{ max: 40, period: "1 minute" }] });
    expect(windows(2000)).toBe(expected);
  });

  it.each([
    ["0 200 p a=9:60", "learned"],
    ["0 404 p a=9:60", "learned"],
    ["0 200 p", "none"],
    ["0 404 p", "unknown"],
  ])("after the response %j the limits of its route are %s", (response, knowledge) => {
    expect(makeProgram(response).limits(1)).toMatchObject({ knowledge });
  });

  it("each 429 lowers the limits of the options by a tenth, down to one, but no limits from headers", () => {
    const stated = [3, 40].map((max, index) => ({ max, period: 1000 + index }));
    const { receive, windows } = makeProgram("0 200 -, 1 429 -, 99 429 -, 300 429 -", {
      limits: stated,
    });
    expect(windows(300)).toBe("client=1:1 client=28:1.001");
    receive("400 429 p exact=40:60:41", "GET /b");
    expect(windows(400, "GET /b")).toBe("exact=40:60");
  });
});

describe("refusals", () => {
  it.each([
    ["for Retry-After and a second", "0 429 p a=9:1:1:30 retry=60", 61],
    ["for a restriction and a second", "0 429 p a=9:1:1:60 retry=30", 61],
    ["for a restriction that another response announces", "0 200 p a=9:1:1:60", 61],
    ["for a day at most", "0 429 p retry=999999", 86_400],
    ["for 15 s without a time", "0 429 p", 15],
    ["for twice as long after a second refusal", "0 429 p, 20 429 p", 30],
    [
      "for 15 minutes at most",
      Array.from({ length: 12 }, (_, i) => `${i * 999} 429 p`).join(", "),
      900,
    ],
    ["for 15 s after two refusals of one incident", "1 429 p, 0>2 429 p", 15],
    ["for 15 s after a refusal with a time", "0 429 p retry=5, 10 429 p", 15],
    ["for 15 s after a success", "0 429 p, 20 200 p, 21 429 p", 15],
    ["for twice as long after a 500", "0 429 p, 20 500 p, 21 429 p", 30],
    ["for twice as long after a success of before", "0>20 200 p, 1 429 p, 21 429 p", 30],
    ["no shorter after another refusal", "0 429 p retry=60, 0>1 429 p retry=1", 60],
  ])("a refusal or an announced restriction blocks its policy %s", (_, responses, expected) => {
    const { limits } = makeProgram(responses);
    const { receivedAt } = parse(responses.split(", ").at(-1)!);
    expect(limits(receivedAt).policies[0]?.blockedMillis).toBe(expected * 1000);
  });
});

describe("counts", () => {
  /** Counts of 30 in 60 s: `0:1 1:5` are 1 at 0 s and 5 at 1 s. */
  const counts = (text: string): string =>
    text
      .split(" ")
      .map((each) => each.split(":"))
      .map(([times, count]) => `${times} 200 p${count && ` a=30:60:${count}`}`)
      .join(", ");

  it.each([
    ["own requests", "0:1 1:2", 2, "2/0"],
    ["foreign requests of the first count", "0:5", 1, "5/4"],
    ["foreign requests that a later count shows", "0:1 1:5", 2, "5/3"],
    ["fewer foreign requests, if a count has room for no more", "0:1 1:5 2:5", 3, "5/2"],
    ["no foreign requests, if a count has room for none", "0:1 1:5 2:3", 3, "3/0"],
    ["the latest foreign requests, if one has to go", "0:1 1:3 9:6 10:6", 125, "4/2"],
    ["foreign requests of one second together", "0:1 1:2 1.1:4 1.2:6", 2, "6/2"],
    ["requests in flight", "0:1 1>3:2 1>2:3", 2.5, "3/0"],
    ["requests of responses without counts", "0:1 1: 2:3", 3, "3/0"],
    ["requests that have left no longer", "0:1 1:2 61.5:1", 62, "1/0"],
    ["requests that have not left, if others have", "0:1 30:2 61:2", 62, "2/0"],
    ["a request that may have left after a slow one", "0:1 0.2>50:2 61:2", 62, "3/0"],
  ])("the usage of a window counts %s", (_, text, at, expected) => {
    expect(makeProgram(counts(text)).used(at)).toBe(expected);
  });

  it("the usage of a window counts a request whose response was lost", () => {
    const { receive, used, excess } = makeProgram(counts("0:1"));
    receive("1>2 0 -");
    receive(counts("3:2"));
    expect(used(4)).toBe("3/0");
    expect(excess(4)).toBe(60.15);
  });

  it.each([
    ["one count", "0:1", 60.15],
    ["a count of responses that fell", "10:4 11: 12: 13:6", 53.3],
    ["a count of responses that rose", "10:4 11: 12: 13:7", 60.15],
    ["three impossible counts", "0:1 1:2 2:1 3:1 4:1", 60.15],
    ["four impossible counts", "0:1 1:2 2:1 3:1 4:1 5:1", 0.15],
    ["four possible counts and four impossible ones", "0:1 1:2 2:3 3:4 4:1 5:1 6:1 7:1", 0.15],
    ["six impossible counts and a possible one", "0:1 1:2 2:1 3:1 4:1 5:1 6:1 7:1 8:9", 60.15],
  ])("after %s (%s), a request may count for %d s longer than its period", (_, text, expected) => {
    expect(makeProgram(counts(text)).excess(20)).toBeCloseTo(expected, 2);
  });

  it.each([
    ["without counts", "0 200 p a=9:10", 0.15],
    ["without counts, after a refusal", "0 200 p a=9:10, 1 429 p a=9:10", 5.15],
    ["without counts, after two refusals", "0 429 p a=9:10, 99 429 p a=9:10", 60.15],
    ["without counts, in a minute", "0 200 p a=9:60, 1 429 p a=9:60", 60.15],
    ["with counts", "0 200 p a=9:10:1, 1 429 p a=9:10", 20.15],
    ["whose end the server reports", "0 200 p exact=9:60:1", 0.15],
  ])(
    "the limiter knows how long requests may count beyond the period of a window: %s",
    (_, responses, expected) => {
      expect(makeProgram(responses).excess(200)).toBeCloseTo(expected, 3);
    },
  );
});

describe("waits", () => {
  it("a 429 stops all routes of its policy, and no others", () => {
    const { receive, wait } = makeProgram("0 200 p a=30:60:1");
    receive("0 200 p a=30:60:2", "GET /b");
    receive("0 200 q a=30:60:1", "GET /c");
    receive("1 429 p a=30:60:31 retry=60");
    expect(["GET /b", "GET /c"].map((route) => wait(2, route))).toEqual([60, 0]);
  });

  it.each([
    ["a full window, and its longest bucket", "0 200 p a=1:10:1", 1, 14.025],
    ["none in a window with room", "0 200 p a=9:10:1", 1, 0],
    ["an even share beside other programs", "0 200 p a=9:60:1, 1 200 p a=9:60:4", 2, 19.6],
    [
      "none half an hour after other programs",
      "0 200 p a=9:60:1, 1 200 p a=9:60:4, 1200 200 p a=9:60:1, 1802 200 p a=9:60:1",
      1803,
      0,
    ],
  ])("a request waits as long as its window demands: %s", (_, responses, at, expected) => {
    expect(makeProgram(responses).wait(at)).toBeCloseTo(expected, 3);
  });
});
