/** Calls over a recorded HTTP client in virtual time: errors, retries, tokens and time limits. */
import { Effect, Exit, Fiber, Redacted } from "effect";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import {
  type CredentialsError,
  GameApi,
  type GameApiError,
  type GameApiLayerOptions,
} from "../src/index.ts";
import type { CallOptions, RetryInfo, TokenSource } from "../src/index.ts";
import { type Answer, FILTER, layerOver, PROFILE, recording, type Reply } from "./recording.ts";

interface Run {
  readonly options?: Partial<GameApiLayerOptions>;
  readonly call?: CallOptions;
  readonly method?: "GET" | "POST";
}

/** Runs a call while an hour of virtual time passes; each reply answers one request. */
const run = (replies: ReadonlyArray<Reply>, { call = {}, method = "GET", options }: Run = {}) => {
  const { http, sent } = recording((_, index) => replies[Math.min(index, replies.length - 1)]!);
  const responses: Array<number> = [];
  const retries: Array<RetryInfo> = [];
  return Effect.gen(function* () {
    const api = yield* GameApi;
    const request: Effect.Effect<unknown, GameApiError> =
      method === "GET" ? api.profile.get(call) : api.itemFilters.create(FILTER, call);
    const clock = yield* Effect.clockWith(Effect.succeed);
    const start = clock.currentTimeMillisUnsafe();
    const fiber = yield* Effect.forkChild(
      Effect.map(Effect.exit(request), (exit) => ({
        exit,
        elapsed: clock.currentTimeMillisUnsafe() - start,
      })),
    );
    for (let step = 0; step < 120; step++)
      yield* TestClock.adjust(step < 60 ? "1 second" : "1 minute");
    const { elapsed, exit } = yield* Fiber.join(fiber);
    const failure = Exit.findErrorOption(exit);
    const error = (failure._tag === "Some" ? failure.value : undefined) as GameApiError;
    return { elapsed, error, responses, retries, sent, value: exit };
  }).pipe(
    Effect.provide(
      layerOver(http, {
        retry: { times: 2 },
        onResponse: ({ status }) => responses.push(status),
        onRetry: (info) => retries.push(info),
        ...options,
      }),
    ),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  );
};

const once = { call: { retries: 0 } };
const ERRORS_BY_CODE = [
  [0, "ServerError"],
  [1, "NotFound"],
  [2, "InvalidRequest"],
  [3, "RateLimited"],
  [4, "ServerError"],
  [6, "Forbidden"],
  [7, "ServerError"],
  [8, "Unauthorized"],
  [99, "ServerError"],
] as const;
const html = { "content-type": "Text/HTML; charset=utf-8" };
const wait = { "retry-after": "7" };
/** The limiter blocks the client for its `firewallCooldown`, whatever the page says. */
const firewall = { reason: "firewall", retryAfterMillis: 900_000 };
const scope = { _tag: "Forbidden", reason: "scope", scopesMissing: ["account:profile"] };

describe("an error response", () => {
  const answer = (status: number, headers: Record<string, string> = {}, body = "{}") => ({
    status,
    headers,
    body,
  });
  const details = ["null", "5", "[]", '{"error":null}', '{"error":"x"}', "{"];

  it.each<[Required<Answer>, Record<string, unknown>]>([
    [answer(401), { _tag: "Unauthorized", reason: "refused" }],
    [answer(403), { _tag: "Forbidden", reason: "unknown", scopesMissing: [] }],
    [answer(403, { "www-authenticate": 'Bearer error="insufficient_scope"' }), scope],
    [answer(403, { "www-authenticate": "Bearer" }), { reason: "unknown" }],
    [answer(403, html), { ...firewall, scopesMissing: [] }],
    [answer(403, { ...html, ...wait }), firewall],
    [answer(404), { _tag: "NotFound" }],
    [answer(410), { _tag: "NotFound" }],
    [answer(408), { _tag: "Timeout", reason: "attempt" }],
    [answer(400, html), { _tag: "InvalidRequest" }],
    [answer(400, { "cf-mitigated": "block" }), firewall],
    [answer(399), { _tag: "TransportError", reason: "redirect" }],
    [answer(300, { "cf-mitigated": "x" }), { reason: "redirect" }],
    [answer(0), { _tag: "TransportError", reason: "redirect" }],
    [answer(499), { _tag: "InvalidRequest" }],
    [answer(500), { _tag: "ServerError" }],
    [answer(503, wait), { _tag: "ServerError", retryAfterMillis: 7000 }],
    [answer(429), { _tag: "RateLimited", reason: "server" }],
    [answer(429, html), { _tag: "Forbidden", ...firewall }],
    [answer(429, { ...html, ...wait }), { _tag: "RateLimited", retryAfterMillis: 7000 }],
    [answer(429, { ...html, "x-rate-limit-policy": "q" }), { _tag: "RateLimited", policy: "q" }],
    [answer(400, { "x-request-id": "r", "cf-ray": "c" }), { requestId: "r" }],
    [answer(400, { "cf-ray": "c" }), { requestId: "c" }],
    ...details.map((body): [Required<Answer>, Record<string, unknown>] => [
      answer(400, {}, body),
      { _tag: "InvalidRequest" },
    ]),
    [answer(400, {}, '{"error":{"code":2,"message":5}}'), { code: 2 }],
    [answer(400, {}, '{"error":{"code":"2","message":"m"}}'), { detail: "m" }],
    [answer(500, {}, `{"error":{"message":"${"m".repeat(400)}"}}`), { detail: "m".repeat(300) }],
    [answer(400, {}, '{"error":{"message":"no token"}}'), { detail: "no <redacted>" }],
    [
      answer(400, {}, String.raw`{"error":{"message":"\u001b[2Jhi\u202e"}}`),
      { detail: String.raw`\u{1b}[2Jhi\u{202e}` },
    ],
    [
      answer(429, { "x-rate-limit-policy": "a token", "cf-ray": `token${"r".repeat(400)}` }),
      { policy: "a <redacted>", requestId: `<redacted>${"r".repeat(290)}` },
    ],
  ])("an error response %j fails with %j", async (reply, expected) => {
    const { error, responses } = await run([reply], once);
    const json = error.toJSON() as Record<string, unknown>;
    expect(json).toMatchObject({
      operation: "profile.get",
      route: "GET /profile",
      attempts: 1,
      status: reply.status,
      ...expected,
    });
    for (const name of ["code", "detail", "retryAfterMillis"])
      expect(json[name]).toBe(expected[name]);
    expect(responses).toEqual([reply.status]);
  });
});

describe("a body", () => {
  it.each<[string, object]>([
    ["", { _tag: "TransportError", reason: "body" }],
    [' {"a":[1]', { _tag: "TransportError", reason: "body" }],
    ["<html>", { reason: "not-json", issue: 'not JSON: "<html>"' }],
    ["x".repeat(41), { reason: "not-json", issue: `not JSON: "${"x".repeat(40)}"` }],
    [
      "x\n\u001b\u2028",
      { reason: "not-json", issue: String.raw`not JSON: "x\u{a}\u{1b}\u{2028}"` },
    ],
    [`${"x".repeat(33)}token`, { issue: `not JSON: "${"x".repeat(33)}<redact"` }],
    ['{"uuid":5,"name":"n"}', { reason: "shape", issue: expect.stringContaining("uuid") }],
  ])("a 200 response with the body %j fails with %j", async (body, expected) => {
    expect((await run([{ body }], once)).error).toMatchObject({ status: 200, ...expected });
  });

  it.each(ERRORS_BY_CODE)(
    "a 200 response whose body is an error with code %i fails the call with %s",
    async (code, tag) => {
      const body = JSON.stringify({ error: { code, message: "bad token: token" } });
      const { error } = await run([{ body }], once);
      const detail = "bad <redacted>: <redacted>";
      expect(error).toMatchObject({ _tag: tag, status: 200, code, detail });
    },
  );

  it("a response body is decoded without its byte order mark", async () => {
    const { value } = await run([{ body: `\uFEFF${PROFILE}` }], once);
    expect(value).toMatchObject({ _tag: "Success", value: JSON.parse(PROFILE) });
  });

  it("a call fails if the response body has more than `maxBodyBytes` bytes", async () => {
    const { error } = await run([{ body: `"${"x".repeat(99)}"` }], {
      call: { retries: 0 },
      options: { maxBodyBytes: 100 },
    });
    expect(error).toMatchObject({
      reason: "too-large",
      issue: "the body is larger than the 100 bytes allowed",
    });
  });
});

describe("retries", () => {
  const down = { status: 503 };
  const later = { status: 503, headers: wait };
  const inAnHour = { status: 503, headers: { "retry-after": "3600" } };
  it.each<[string, Reply, Run, number]>([
    ["repeats a request as often as the client permits", down, {}, 3],
    ["repeats a request as often as the call permits", down, { call: { retries: 1 } }, 2],
    ["repeats a request three times by default", down, { options: { retry: {} } }, 4],
    ["does not repeat a POST", down, { method: "POST" }, 1],
    ["repeats a POST that was refused with 429", { status: 429 }, { method: "POST" }, 3],
    [
      "does not repeat a wrong POST with retryUnsafe",
      { status: 400 },
      { method: "POST", call: { retryUnsafe: true } },
      1,
    ],
    ["repeats a POST with retryUnsafe", down, { method: "POST", call: { retryUnsafe: true } }, 3],
    ["does not retry after a wait of more than maxWait", later, { call: { maxWait: 6999 } }, 1],
    [
      "retries after any wait without a maxWait",
      inAnHour,
      { call: { maxWait: "Infinity", retries: 1 } },
      2,
    ],
    ["retries after a wait of maxWait", later, { call: { maxWait: 7000 } }, 3],
    [
      "does not retry if the wait would exceed the total time",
      later,
      { call: { totalTimeout: 7000 } },
      1,
    ],
    ["retries within the total time", later, { call: { totalTimeout: 7600 } }, 2],
    ["does not repeat a wrong request", { status: 400 }, {}, 1],
    ["repeats a request after a broken connection", "drop", {}, 3],
    ["repeats a request after an incomplete body", { body: "{" }, {}, 3],
  ])("%s", async (_, reply, options, attempts) => {
    const { error, sent } = await run([reply], options);
    expect([error.attempts, sent.length]).toEqual([attempts, attempts]);
    // The error names the failure and not the end of the time.
    expect(error._tag).not.toBe("Timeout");
  });

  it("a call without a response fails with the transport's error, not with the request and its token", async () => {
    const { error } = await run(["drop"], once);
    expect(error).toMatchObject({ _tag: "TransportError", reason: "connect", detail: "dropped" });
    expect(error.cause).toEqual(new Error("dropped"));
  });

  it("a retry waits at least as long as the service requests, and the hooks get the wait", async () => {
    const { elapsed, responses, retries, value } = await run([down, later, {}]);
    expect(value).toMatchObject({ _tag: "Success", value: { uuid: "u" } });
    expect(responses).toEqual([503, 503, 200]);
    expect(retries.map(({ attempts, error }) => [attempts, error.status])).toEqual([
      [1, 503],
      [2, 503],
    ]);
    const delays = retries.map(({ delayMillis }) => delayMillis);
    expect(delays[0]).toBeLessThanOrEqual(250);
    expect(delays[1]).toBeGreaterThanOrEqual(7000);
    expect(delays[1]).toBeLessThanOrEqual(7500);
    expect(elapsed).toBeGreaterThanOrEqual(7000);
  });

  it("the bound of the random wait before a retry doubles up to `retry.cap`", async () => {
    const { retries } = await run([down], {
      options: { retry: { times: 9, base: "100 millis", cap: "1 second", budget: 100 } },
    });
    const bounds = [100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000];
    expect(retries).toHaveLength(9);
    for (const [index, { delayMillis }] of retries.entries())
      expect(delayMillis).toBeLessThanOrEqual(bounds[index]!);
    expect(new Set(retries.map(({ delayMillis }) => delayMillis)).size).toBe(9);
  });
});

describe("time limits", () => {
  it("an attempt without a response fails after `timeout`", async () => {
    const { elapsed, error } = await run(["silence"], { call: { retries: 0, timeout: 3000 } });
    expect(error).toMatchObject({ _tag: "Timeout", reason: "attempt", attempts: 1 });
    expect(elapsed).toBe(3000);
  });

  it("a call with all its attempts fails after `totalTimeout`", async () => {
    const { elapsed, error } = await run(["silence"], {
      call: { totalTimeout: 5000, timeout: 2000 },
    });
    expect(error).toMatchObject({ _tag: "Timeout", reason: "total" });
    expect(error.attempts).toBeGreaterThan(1);
    expect(elapsed).toBe(5000);
  });
});

describe("tokens", () => {
  const token = (text: string, scopes?: ReadonlyArray<string>) => ({
    token: Redacted.make(text),
    scopes,
  });
  type Given = ReturnType<typeof token> | CredentialsError;
  /** Runs a call with a source that returns the given tokens in turn; records what was refused. */
  const withSource = async (replies: ReadonlyArray<Reply>, ...given: ReadonlyArray<Given>) => {
    const refused: Array<string | undefined> = [];
    let next = 0;
    const take = (value?: Redacted.Redacted) =>
      Effect.suspend(() => {
        refused.push(value && Redacted.value(value));
        const one = given[Math.min(next++, given.length - 1)]!;
        return "token" in one ? Effect.succeed(one) : Effect.fail(one);
      });
    const credentials: TokenSource = { current: take(), renew: take };
    const result = await run(replies, { options: { credentials } });
    return { ...result, refused, sent: result.sent.map(({ headers }) => headers["authorization"]) };
  };

  it("a call renews a refused token once, however often it is retried [CL-11]", async () => {
    const renewed = await withSource(
      [{ status: 503 }, { status: 401 }, {}],
      token("1"),
      token("2", ["account:profile"]),
      token("3"),
    );
    expect(Exit.isSuccess(renewed.value)).toBe(true);
    expect(renewed.refused).toEqual([undefined, undefined, "2"]);
    expect(renewed.sent).toEqual(["Bearer 1", "Bearer 2", "Bearer 3"]);
    const refused = await withSource([{ status: 401 }], token("1"), token("2"));
    expect(refused.error).toMatchObject({ _tag: "Unauthorized", reason: "refused", attempts: 2 });
    expect(refused.sent).toHaveLength(2);
  });

  it("a call renews a refused token again if the first renewal failed with a retryable error", async () => {
    const { refused, sent, value } = await withSource(
      [{ status: 401 }, {}],
      token("1"),
      { isRetryable: true, detail: "no connection" },
      token("2"),
    );
    expect(Exit.isSuccess(value)).toBe(true);
    expect(refused).toEqual([undefined, "1", "1"]);
    expect(sent).toEqual(["Bearer 1", "Bearer 2"]);
  });

  it.each<[Given, object, number]>([
    [token("x\n"), { reason: "no-token", detail: "not a bearer token" }, 1],
    [token("x y"), { reason: "no-token" }, 1],
    [token("x\u0142"), { reason: "no-token" }, 1],
    [token(""), { reason: "no-token" }, 1],
    [token("x", ["account:stashes"]), scope, 1],
    [{ isRetryable: false, detail: "d" }, { _tag: "Unauthorized", detail: "d" }, 1],
    [{ isRetryable: true, detail: "d", cause: "c" }, { reason: "token", cause: "c" }, 3],
  ])(
    "fails a call before it is sent if its access token cannot be used: %j",
    async (given, expected, taken) => {
      const { error, refused, sent } = await withSource([{}], given);
      expect(error).toMatchObject({ operation: "profile.get", attempts: 0, ...expected });
      expect([refused.length, sent]).toEqual([taken, []]);
    },
  );

  it("a call waits no longer than `timeout` for a token source that does not respond", async () => {
    const { error } = await run([{}], {
      call: { timeout: 1000 },
      options: { credentials: { current: Effect.never } },
    });
    expect(error).toMatchObject({
      _tag: "TransportError",
      reason: "token",
      detail: "the source did not answer within 1 s",
    });
  });

  it("a call that gets a 403 fails with the reason `private` if the token has the scopes", async () => {
    const { error } = await withSource([{ status: 403 }], token("t", ["account:profile"]));
    expect(error).toMatchObject({ reason: "private", scopesMissing: [] });
  });
});
