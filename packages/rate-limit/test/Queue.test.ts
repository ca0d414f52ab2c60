/** What a program does with its queue, and what a refused request is told. */
import { describe, expect, it } from "vitest";
import type { LimiterEvent } from "../src/Model.ts";
import { RequestNotSentError } from "../src/index.ts";
import { startQueue } from "./model/startQueue.ts";

describe("what a program does with its queue", () => {
  it("pauses, goes on, and tells when nothing is left", async () => {
    const { call, granted, pass, queue } = startQueue({});
    queue.pause();
    call();
    await pass(5000);
    expect(granted).toHaveLength(0);
    let isIdle = false;
    void queue.idle().then(() => (isIdle = true));
    queue.resume();
    await pass(10);
    expect(granted).toHaveLength(1);
    expect(isIdle).toBe(false);
    await queue.settle(granted[0]!, { status: 200 });
    await pass(10);
    expect(isIdle).toBe(true);
  });

  it("is idle, and closes, before anything was asked of it", async () => {
    const { queue } = startQueue();
    await expect(queue.idle()).resolves.toBeUndefined();
    await expect(queue.close()).resolves.toBeUndefined();
  });

  it("clears what waits, and closes", async () => {
    const { call, granted, pass, queue, refused } = startQueue({ maxInFlight: 1 });
    call();
    call();
    await pass(10);
    queue.clear();
    expect(refused.map(({ kind }) => kind)).toEqual(["cleared"]);
    call();
    await queue.close();
    call();
    await pass(10);
    expect(refused.map(({ kind }) => kind)).toEqual(["cleared", "closed", "closed"]);
    expect(new RequestNotSentError(refused[2]!)).toMatchObject({
      isRetryable: false,
      message: "The request was not sent: the limiter was closed.",
    });
    expect(granted).toHaveLength(1);
  });

  it.each([
    ["an outcome, closed before", true, true],
    ["an outcome, closed after", false, true],
    ["the end of its lease, closed before", true, false],
    ["the end of its lease", undefined, false],
  ])("is idle once what was in flight has %s", async (_, isClosedFirst, isAnswered) => {
    const { call, granted, pass, queue } = startQueue({ inFlightTimeout: 90_000 });
    call();
    let isIdle = false;
    if (isClosedFirst) await queue.close();
    void queue.idle().then(() => (isIdle = true));
    if (isClosedFirst === false) await queue.close();
    await pass(80_000);
    expect(isIdle).toBe(false);
    if (isAnswered) await queue.settle(granted[0]!, { status: 200 });
    else await pass(10_000);
    await pass(0);
    expect(isIdle).toBe(true);
  });

  it("is idle once the last one that waits has left, and tells who was not sent", async () => {
    const events: Array<LimiterEvent> = [];
    const { call, pass, queue } = startQueue({ onEvent: (event) => events.push(event) });
    queue.pause();
    const leave = call();
    let isIdle = false;
    void queue.idle().then(() => (isIdle = true));
    await pass(1);
    expect(isIdle).toBe(false);
    leave();
    await pass(0);
    expect(isIdle).toBe(true);
    call();
    queue.clear();
    expect(events).toEqual([{ type: "not-sent", kind: "cleared" }]);
  });

  it("tells who waited in vain that it is paused", async () => {
    const { call, pass, queue, refused } = startQueue({});
    call();
    queue.pause();
    call("GET /c", 100);
    await pass(100);
    expect(refused).toMatchObject([{ kind: "paused", inFlight: undefined }]);
    expect(new RequestNotSentError(refused[0]!)).toMatchObject({
      isRetryable: true,
      message: "The request was not sent: the limiter was paused.",
    });
  });
});

it("tells the policy of what it grants, and of what a service refuses", async () => {
  const events: Array<LimiterEvent> = [];
  const { call, pass, queue } = startQueue({ onEvent: (event) => events.push(event) });
  const headers = {
    "x-rate-limit-policy": "p",
    "x-rate-limit-rules": "client",
    "x-rate-limit-client": "9:10:60",
  };
  for (const [route, outcome] of [
    ["GET /a", { status: 429, headers }],
    ["GET /b", { status: 200 }],
    ["GET /a", { status: 429 }],
  ] as const) {
    call(route, 60_000, (grant) => void queue.settle(grant, outcome));
    await pass(20_000);
  }
  expect(events.map((event) => [event.type, "policy" in event && event.policy])).toEqual([
    ["granted", undefined],
    ["violation", "p"],
    ["granted", undefined],
    ["granted", "p"],
    ["violation", "p"],
  ]);
});

it("asks those behind one who left, or whom another one passed, when their turn had come", async () => {
  for (const happens of ["leaves", "is passed"]) {
    const { pass, queue } = startQueue({ maxWait: 60_000, bucketSizes: [] });
    const gone: Array<string> = [];
    const headers = {
      "x-rate-limit-policy": "p",
      "x-rate-limit-rules": "client",
      "x-rate-limit-client": "2:10:60",
    };
    const call = (route: string, name: string, priority = 0) =>
      queue.submit(
        { route, priority },
        {
          granted: (_, grant) => {
            gone.push(name);
            void queue.settle(grant, { status: 200, headers });
          },
          refused: ({ kind }) => expect.unreachable(kind),
          failed: (cause) => expect.unreachable(String(cause)),
        },
      );
    for (const route of ["GET /a", "GET /b"]) call(route, route);
    const leave = call("GET /a", "first");
    call("GET /b", "second");
    await pass(5000);
    queue.pause();
    await pass(6000);
    if (happens === "leaves") leave();
    else call("GET /a", "high", 1);
    queue.resume();
    await pass(30_000);
    const expected = happens === "leaves" ? ["second"] : ["high", "second", "first"];
    expect(gone.slice(2)).toEqual(expected);
  }
});

it("grants a chain of requests of which each lines up the next, however long", async () => {
  const { pass, queue } = startQueue({ maxWait: 60_000 });
  let count = 0;
  const call = (): void =>
    void queue.submit(
      { route: "GET /a" },
      {
        granted: (_, grant) => {
          void queue.settle(grant, { status: 200 });
          if (++count < 5000) call();
        },
        refused: ({ kind }) => expect.unreachable(kind),
        failed: (cause) => expect.unreachable(String(cause)),
      },
    );
  queue.pause();
  call();
  queue.resume();
  await pass(1);
  expect(count).toBe(5000);
});

describe("a refusal", () => {
  it("names the policy of its route where too many are in flight", async () => {
    const { call, granted, pass, queue, refused } = startQueue({ maxInFlight: 1 });
    call();
    await queue.settle(granted[0]!, {
      status: 200,
      headers: {
        "x-rate-limit-policy": "p",
        "x-rate-limit-rules": "client",
        "x-rate-limit-client": "9:10:60",
      },
    });
    call();
    call("GET /a", 100);
    await pass(100);
    expect(refused).toMatchObject([{ policy: "p", inFlight: { count: 1 } }]);
  });

  it("names no policy where the program states the limit", async () => {
    const { call, pass, queue, refused } = startQueue({ limits: ["1 per 10s"] });
    call("GET /a", 0, (grant) => void queue.settle(grant, { status: 200 }));
    await pass(1);
    call("GET /a", 100);
    await pass(100);
    expect(refused).toMatchObject([{ policy: undefined, rule: "client" }]);
  });

  it("names the rejected requests after which requests are spread", async () => {
    const options = { maxClientErrors: 6, clientErrorWindow: 300_000 };
    const { call, granted, pass, queue, refused } = startQueue(options);
    for (let index = 0; index < 3; index++) {
      call();
      await pass(10);
      await queue.settle(granted[index]!, { status: 404 });
    }
    call();
    await pass(1);
    call("GET /a", 100);
    await pass(100);
    const error = new RequestNotSentError(refused.at(-1)!);
    expect(error).toMatchObject({ kind: "wait-too-long", clientErrors: { count: 3, max: 6 } });
    expect(error.message).toBe(
      "The request was not sent: its turn comes later than its maximum wait, since requests are spread after rejected ones (3 of 6 in 5 min). Try again in 100 s.",
    );
  });

  it.each([
    [0, ""],
    [1, " Try again in 1 s."],
    [120_000, " Try again in 120 s."],
    [120_001, " Try again in 3 min."],
    [900_000, " Try again in 15 min."],
    [86_400_000, " Try again in 24 h."],
  ])("after which to wait for %i ms says so, in JSON as well", (retryAfterMillis, advice) => {
    const error = new RequestNotSentError({ kind: "firewall", retryAfterMillis });
    const message = `The request was not sent: a firewall has blocked this client.${advice}`;
    expect(error.message).toBe(message);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "RequestNotSentError",
      kind: "firewall",
      retryAfterMillis,
      message,
      help: error.help,
    });
  });
});
