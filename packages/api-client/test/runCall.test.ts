/** Calls by themselves: what they send, tell the limiter and measure, and their end. */
import { describe, expect, it, vi } from "vitest";
import type { RequestInfo } from "../src/CallOptions.ts";
import { TransportError } from "../src/Errors.ts";
import type { Host, Task, Tokens } from "../src/pipeline/Call.ts";
import { succeed } from "../src/pipeline/Call.ts";
import { parseBody } from "../src/pipeline/decode.ts";
import type { NotSent, PipelineOptions } from "../src/pipeline/PipelineOptions.ts";
import { SendError } from "../src/Transport.ts";
import { endOf, giving, open, REQUEST, tokenOf, type Given, type Step } from "./calls.ts";
import { type Answer, response } from "./recording.ts";

const POST = { request: { ...REQUEST, method: "POST" } };
const FACTS = { operation: "x.get", route: "GET /x", attempts: 1, policy: "p" };
const once = { options: { retries: 0 } };
const html = { "content-type": "Text/HTML; charset=utf-8" };
const wait = { "retry-after": "7" };
const WAIT = { retryAfterMillis: 7000 };
const NEEDED = { scopesNeeded: REQUEST.scopes };
const scope = { _tag: "Forbidden", kind: "scope", ...NEEDED, scopesMissing: REQUEST.scopes };
const silent = () => new Promise<never>(() => undefined);

describe("an error response", () => {
  const answer = (status: number, headers: Record<string, string> = {}, body = "{}") => ({
    status,
    headers,
    body,
  });
  const unread = [
    "null",
    "5",
    "[]",
    '{"error":null}',
    '{"error":"x"}',
    '{"error":{"code":"1"}}',
    "{",
  ];
  it.each<[Required<Answer>, Record<string, unknown>]>([
    [answer(401), { _tag: "Unauthorized", kind: "no-token" }],
    [answer(403), { _tag: "Forbidden", kind: "unknown", scopesMissing: [] }],
    [answer(403, { "www-authenticate": 'Bearer error="insufficient_scope"' }), scope],
    [answer(403, { "www-authenticate": "Bearer" }), { kind: "unknown" }],
    [answer(403, html), { kind: "firewall", scopesMissing: [] }],
    [answer(403, { ...html, ...wait }), { kind: "firewall", ...WAIT }],
    [answer(404), { _tag: "NotFound" }],
    [answer(410), { _tag: "NotFound" }],
    [answer(408), { _tag: "Timeout", kind: "attempt" }],
    [answer(400, html), { _tag: "InvalidRequest" }],
    [answer(400, { "cf-mitigated": "block" }), { kind: "firewall" }],
    [answer(399), { _tag: "TransportError", kind: "redirect" }],
    [answer(300, { "cf-mitigated": "x" }), { kind: "redirect" }],
    [answer(0), { _tag: "TransportError", kind: "redirect" }],
    [answer(299), { _tag: "InvalidRequest" }],
    [answer(499), { _tag: "InvalidRequest" }],
    [answer(500), { _tag: "ServerError" }],
    [answer(503, wait), { _tag: "ServerError", ...WAIT }],
    [answer(503, { "retry-after": "Thu, 01 Jan 1970 00:00:07 GMT" }), WAIT],
    [answer(429), { _tag: "RateLimited", kind: "server" }],
    [answer(429, html), { _tag: "Forbidden", kind: "firewall" }],
    [answer(429, { ...html, ...wait }), { _tag: "RateLimited", ...WAIT }],
    [answer(429, { ...html, "x-rate-limit-policy": "q" }), { _tag: "RateLimited", policy: "q" }],
    [answer(400, { "x-request-id": "r", "cf-ray": "c" }), { requestId: "r" }],
    [answer(400, { "cf-ray": "c" }), { requestId: "c" }],
    ...unread.map((body): [Required<Answer>, Record<string, unknown>] => [
      answer(400, {}, body),
      {},
    ]),
    [answer(400, {}, '{"error":{"code":2,"message":5}}'), { code: 2 }],
    [answer(500, {}, `{"error":{"message":"${"m".repeat(400)}"}}`), { detail: "m".repeat(300) }],
  ])("%j is told as %j", async (given, expected) => {
    const { headers, status } = given;
    const { error, seen } = await endOf(given, once);
    const told = error.toJSON();
    expect(told).toMatchObject({ ...FACTS, status, ...expected });
    for (const name of ["code", "detail", "retryAfterMillis"])
      expect(told[name]).toBe(expected[name]);
    const isFirewallBlock = told.kind === "firewall";
    expect(seen.settled).toEqual([{ sent: true, status, headers, isFirewallBlock }]);
    expect(seen.measured).toEqual([
      ...(told._tag === "RateLimited" ? [`violations 1 ${told.policy}`] : []),
      `requests 1 GET /x ${status}`,
    ]);
    expect(seen.aborted).toBe(1);
  });

  it("ends its call with what its headers tell, where its body takes too long", async () => {
    const { error, seen } = await endOf({ whole: { status: 400, read: silent } }, once);
    expect(error).toMatchObject({ _tag: "InvalidRequest", status: 400 });
    expect(seen.aborted).toBe(1);
  });
});

const cut = (kind: string, detail: string) => ({ _tag: "TransportError", kind, detail });
const firewall = { kind: "firewall", policy: "q", ...NEEDED, scopesMissing: [] };
it.each<[NotSent | SendError, object]>([
  [{ kind: "store", detail: "d" }, cut("limiter", "d")],
  [{ kind: "closed" }, cut("closed", "the limiter was closed")],
  [{ policy: "q", kind: "firewall" }, firewall],
  [{ kind: "wait-too-long" }, { _tag: "RateLimited", kind: "wait-too-long", attempts: 0 }],
  [new SendError({ kind: "request", detail: "x" }), { _tag: "InvalidRequest", detail: "x" }],
  [new SendError({ kind: "connect", detail: "x" }), cut("connect", "x")],
])("a request that gets %j ends its call", async (given, expected) => {
  const isSent = given instanceof SendError;
  const { error, seen } = await endOf(isSent ? given : { refused: given }, once);
  expect(error).toMatchObject({ operation: "x.get", route: "GET /x", ...expected });
  expect(seen.settled).toEqual(isSent ? [{ sent: true, status: undefined }] : []);
  expect(seen.measured).toEqual(isSent ? ["requests 1 GET /x none"] : []);
});

describe("attempts", () => {
  it("are repeated after waits, as often as said, and each is told", async () => {
    const hooks: Array<unknown> = [];
    const { pass, run, seen } = open([{ status: 503 }, { status: 503, headers: wait }, {}], {
      hooks: {
        onRetry: ({ error, ...info }) => hooks.push({ ...info, status: error.status }),
        onResponse: ({ attempts, waitedMillis }) => hooks.push([attempts, waitedMillis]),
      },
    });
    const { ends } = run();
    await pass(20_000);
    expect(ends).toEqual([{ _tag: "Success", value: {} }]);
    expect(seen.sent).toEqual(["0 GET -", "50 GET -", "7150 GET -"]);
    const told = { operation: "x.get", route: "GET /x", status: 503 };
    expect(hooks).toEqual([
      [1, 5],
      { ...told, attempts: 1, delayMillis: 50 },
      [2, 10],
      { ...told, attempts: 2, delayMillis: 7100 },
      [3, 15],
    ]);
    expect(seen.measured).toEqual([
      "requests 1 GET /x 503",
      "retries 1 GET /x",
      "requests 1 GET /x 503",
      "retries 1 GET /x",
      "durations 0 GET /x",
      "requests 1 GET /x 200",
    ]);
    expect(seen.timers.size).toBe(0);
  });

  it("go on where nobody measures them", async () => {
    const nobody = { measure: undefined } as unknown as Partial<Host>;
    const { pass, run, seen } = open([{ status: 429 }, {}], {}, nobody);
    const { ends } = run();
    await pass(20_000);
    expect([ends, seen.sent.length]).toEqual([[{ _tag: "Success", value: {} }], 2]);
  });

  const down = { status: 503 };
  const later = { status: 503, headers: wait };
  it.each<[string, Step, Partial<Task>, number]>([
    ["as often as the client says", down, {}, 3],
    ["as often as the call says", down, { options: { retries: 1 } }, 2],
    ["not for a write", down, POST, 1],
    ["for a write that was too early", { status: 429 }, POST, 3],
    ["for a write that allows it", down, { ...POST, options: { retryUnsafe: true } }, 3],
    ["not after a longer wait than allowed", later, { options: { maxWait: 6999 } }, 1],
    ["after a wait as long as allowed", later, { options: { maxWait: 7000 } }, 3],
    ["not where the time ends with the wait", down, { options: { totalTimeout: 50 } }, 1],
    ["where it ends later", later, { options: { totalTimeout: 7051 } }, 2],
    ["not where the request is wrong", { status: 400 }, {}, 1],
    ["after a broken connection", new SendError({ kind: "connect", detail: "x" }), {}, 3],
  ])("are repeated %s", async (_, step, task, attempts) => {
    const { error, seen } = await endOf(step, task);
    expect([error.attempts, seen.sent.length]).toEqual([attempts, attempts]);
    // It is told what failed, and not that the time went by.
    expect(error._tag).not.toBe("Timeout");
  });

  it("are bounded in time: each, and all of them", async () => {
    const { pass, run, seen } = open(["silence"]);
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const each = run({ options: { retries: 0, signal } });
    const total = run({ options: { totalTimeout: 1001, retries: 5, timeout: 600 } });
    await pass(999);
    expect([each.ends, total.ends, seen.aborted]).toEqual([[], [], 1]);
    await pass(1);
    expect(each.ends).toMatchObject([{ error: { _tag: "Timeout", kind: "attempt", attempts: 1 } }]);
    expect([total.ends, seen.aborted, removed.mock.calls.length]).toEqual([[], 2, 1]);
    await pass(1);
    expect(total.ends).toMatchObject([{ error: { _tag: "Timeout", kind: "total", attempts: 2 } }]);
    expect([seen.timers.size, seen.aborted]).toEqual([0, 3]);
    expect(seen.settled).toEqual([1, 2, 3].map(() => ({ sent: true, status: undefined })));
    for (const late of seen.late) late({ ...response(200, "{}"), abort: () => seen.aborted++ });
    await pass();
    expect(seen.aborted).toBe(6);
    expect([each.ends.length, total.ends.length]).toEqual([1, 1]);
  });

  it("may go on without a bound", async () => {
    const { pass, run, seen } = open(["silence"]);
    run({ options: { timeout: "Infinity", totalTimeout: "Infinity" } });
    await pass(1e9);
    expect([seen.sent.length, seen.timers.size, seen.aborted]).toEqual([1, 0, 0]);
  });

  it("end with the call: by its signal, and by who gives it up", async () => {
    const { pass, run, seen } = open(["silence"]);
    const controller = new AbortController();
    const [signalled, given] = [run({ options: { signal: controller.signal } }), run(POST)];
    controller.abort();
    expect(given.interrupt()).toEqual(FACTS);
    expect([signalled.ends, given.ends]).toEqual([[{ _tag: "Interrupted" }], []]);
    const after = run({ options: { signal: controller.signal } });
    await pass(1e5);
    expect([after.ends, seen.sent.length]).toEqual([[{ _tag: "Interrupted" }], 2]);
    expect([seen.aborted, seen.takenBack, seen.timers.size]).toEqual([2, 2, 0]);
    expect(seen.settled).toEqual([1, 2].map(() => ({ sent: true, status: undefined })));
    expect(seen.measured).toEqual(Array(2).fill("requests 1 GET /x none"));
  });
});

describe("tokens", () => {
  const run = async (steps: ReadonlyArray<Step>, ...given: ReadonlyArray<Given>) => {
    const { pass, run: start, seen } = open(steps);
    const { refused, tokens } = giving(...given);
    const { ends } = start({ account: { tokens, identity: undefined } });
    await pass(20_000);
    expect([ends.length, seen.timers.size]).toEqual([1, 0]);
    return { end: ends[0], refused, sent: seen.sent };
  };

  it("are renewed once after a refusal, whatever is retried", async () => {
    const steps = [{ status: 503 }, { status: 401 }, {}];
    const one = await run(steps, tokenOf("1"), tokenOf("2", ["b", "a"]), tokenOf("3"));
    expect(one.end).toEqual({ _tag: "Success", value: {} });
    expect(one.refused).toEqual([undefined, undefined, "2"]);
    expect(one.sent).toEqual(["0 GET Bearer 1", "50 GET Bearer 2", "50 GET Bearer 3"]);
    const two = await run([{ status: 401 }], tokenOf("1"), tokenOf("2"));
    expect(two.end.error).toMatchObject({ _tag: "Unauthorized", kind: "refused", attempts: 2 });
    expect(two.sent).toHaveLength(2);
    const three = await run([{ status: 503 }], tokenOf("1"), { isRetryable: false, detail: "d" });
    expect(three.end.error).toMatchObject({ kind: "no-token", attempts: 1 });
    expect(three.refused).toEqual([undefined, undefined]);
    expect((await run([], { _tag: "Interrupted" })).end).toEqual({ _tag: "Interrupted" });
  });

  it("that come late, or that nobody waits for, send nothing", async () => {
    const { pass, run: start, seen } = open(["silence"]);
    const given: Array<() => void> = [];
    let givenUp = 0;
    const take: Tokens["take"] = (_, __, done) => {
      given.push(() => done(succeed(tokenOf("1"))));
      if (given.length === 2) given[1]!();
      return () => givenUp++;
    };
    const account = { tokens: { renews: false, take }, identity: undefined };
    start({ account, options: { timeout: 100 } });
    await pass(150);
    given[0]!();
    expect([seen.sent, givenUp]).toEqual([["150 GET Bearer 1"], 1]);
    const { interrupt } = start({ account, options: { timeout: 99 } });
    const endless = start({ account, options: { timeout: "Infinity", totalTimeout: "Infinity" } });
    interrupt();
    given[2]!();
    // Those of the first call: of its attempt, and of itself.
    expect([given.length, givenUp, seen.timers.size]).toEqual([4, 2, 2]);
    endless.interrupt();
    expect([seen.sent.length, givenUp]).toEqual([1, 3]);
  });

  const noToken = { _tag: "Unauthorized", kind: "no-token" };
  const source = { _tag: "TransportError", kind: "token" };
  it.each<[Given | undefined, object, number]>([
    [tokenOf("x\n"), { ...noToken, detail: "not a bearer token" }, 1],
    [tokenOf("x y"), noToken, 1],
    [tokenOf("x\u0142"), noToken, 1],
    [tokenOf(""), noToken, 1],
    [tokenOf("x", ["b"]), { ...scope, scopesMissing: ["a"] }, 1],
    [{ isRetryable: false, detail: "d" }, { ...noToken, detail: "d" }, 1],
    [{ isRetryable: true, detail: "d", cause: "c" }, { ...source, cause: "c" }, 3],
    [undefined, { ...source, detail: "the source did not answer within 1 s" }, 3],
  ])("that are no good end the call: %j", async (given, expected, asked) => {
    const { end, refused, sent } = await run([{}], ...(given ? [given, given, given] : []));
    expect(end.error).toMatchObject({ operation: "x.get", attempts: 0, ...expected });
    expect([refused.filter((one) => one === undefined).length, sent]).toEqual([asked, []]);
    if (given === undefined) expect(refused).toHaveLength(6);
  });

  it("of a user are kept out of what the service and the transport say", async () => {
    const body = '{"error":{"message":"no t0ken"}}';
    const unsent = new SendError({ kind: "request", detail: "no t0ken" });
    for (const step of [{ status: 400, body }, unsent])
      expect((await run([step], tokenOf("t0ken"))).end.error.detail).toBe("no <redacted>");
    const unread = { whole: { status: 400, read: () => Promise.reject(new Error("reset")) } };
    expect((await run([unread], tokenOf("t0ken"))).end.error).toMatchObject({ status: 400 });
    for (const [scopes, kind] of [
      [["a", "b"], "private"],
      [null as never, "unknown"],
    ] as const) {
      const refusal = await run([{ status: 403 }], tokenOf("t", scopes));
      expect(refusal.end.error).toMatchObject({ kind, scopesMissing: [] });
    }
  });
});

describe("equal requests at one time", () => {
  const user = { tokens: undefined, identity: undefined };

  const streaming = { accepts: () => true, read: parseBody, streams: true };
  it.each<[Partial<Task>, number, Partial<PipelineOptions>?]>([
    [{}, 1],
    [{ options: { totalTimeout: 5 } }, 1],
    [{ options: { priority: 0 } }, 2],
    [{ options: { timeout: 5 } }, 2],
    [{ options: { maxWait: 5 } }, 2],
    [{ options: { retries: 5 } }, 2],
    [{ request: { ...REQUEST, url: "y" } }, 2],
    [{ request: { ...REQUEST, operation: "y" } }, 2],
    [POST, 2],
    [{ handler: streaming }, 2],
    [{ account: { ...user } }, 2],
    [{}, 2, { dedupe: false }],
  ])("but for %j are sent %i times (%j)", async (task, sent, options) => {
    const { pass, run, seen } = open(["silence"], options);
    run({ account: user, ...task });
    run({ account: user });
    await pass();
    expect(seen.sent).toHaveLength(sent);
  });

  it("end alike, and go on for those who are left", async () => {
    const { pass, run, seen } = open(["silence", "silence", "silence"]);
    const account = user;
    const statuses: Array<number> = [];
    const onResponse = ({ status }: { readonly status: number }) => statuses.push(status);
    const hear = { account, options: { onResponse } };
    const [first, second, third] = [run({ account }), run(hear), run({ account })];
    await pass(10);
    expect(third.interrupt()).toMatchObject({ attempts: 1 });
    first.interrupt();
    await pass();
    expect(seen.sent).toEqual(["0 GET -", "10 GET -"]);
    seen.late[1]!(response(503, "{}"));
    await pass(50);
    expect(statuses).toEqual([503]);
    expect(seen.sent).toHaveLength(3);
    const fourth = run(hear);
    seen.late[2]!(response(200, "5"));
    await pass();
    for (const { ends } of [second, fourth]) expect(ends).toEqual([{ _tag: "Success", value: 5 }]);
    expect([first.ends, third.ends, statuses]).toEqual([[], [], [503, 200, 200]]);
    expect(seen.timers.size).toBe(0);
    run({ account });
    await pass();
    expect(seen.sent).toHaveLength(4);
  });

  it("end by their own bounds, and not by those of the first, and share their retries", async () => {
    const later = { status: 503, headers: { "retry-after": "1" } };
    const { pass, run, seen } = open(["silence", later, "silence"]);
    const [late, first, ...others] = [100, 200, undefined, undefined].map((totalTimeout) =>
      run({ account: user, options: { totalTimeout } }),
    );
    await pass(100);
    expect(late!.ends).toMatchObject([{ error: { _tag: "Timeout", kind: "total", attempts: 1 } }]);
    expect(first!.ends).toMatchObject([{ error: { status: 503, attempts: 2 } }]);
    await pass(1200);
    expect(seen.sent).toHaveLength(3);
    seen.late[1]!(response(200, "{}"));
    await pass();
    for (const { ends } of others) expect(ends).toEqual([{ _tag: "Success", value: {} }]);
  });
});

describe("a body", () => {
  type Row = [ReadonlyArray<string>, object, object];
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const bodyOf = (pieces: ReadonlyArray<string | Uint8Array>, rest: object) => {
    const left = pieces.map((piece) => (typeof piece === "string" ? utf8(piece) : piece));
    return { whole: { read: async () => left.shift(), ...rest } };
  };
  const length = (count: unknown) => ({ headers: { "content-length": String(count) } });
  const broken = { _tag: "TransportError", kind: "body", status: 200 };
  const large = { _tag: "ResponseMalformed", kind: "too-large", status: 200 };
  const noJson = (shown: string) => ({ kind: "not-json", issue: `not JSON: ${shown}` });
  const early = (text: string): Row => [[text], {}, broken];
  const malformed = (text: string): Row => [[text], {}, noJson(JSON.stringify(text))];
  const TOO_LARGE = "the body announces 101 bytes, larger than the 100 bytes allowed";
  const ownText = { text: async (limit: number) => String(limit) };
  const own = new TransportError({ operation: "x.get", route: "", attempts: 1, kind: "limiter" });
  const [head, tail] = [utf8('"é"').slice(0, 2), utf8('"é"').slice(2)];

  it.each<[ReadonlyArray<string | Uint8Array>, object, unknown]>([
    [[head, tail], {}, "é"],
    [["[1", "]"], length(3), [1]],
    [[`"${"x".repeat(98)}"`], length(100), "x".repeat(98)],
    [["6"], { ...length(0), ...ownText }, 100],
    [["6"], { ...length(1), ...ownText }, 100],
    [["6"], { encoding: "gzip", ...ownText }, 100],
    [["6"], ownText, 6],
    [[], { status: 204 }, null],
    [["6"], { status: 204 }, 6],
    [['{"error":"x"}'], {}, { error: "x" }],
    [['{"error":null}'], {}, { error: null }],
  ])("%j with %j is read", async (pieces, rest, value) => {
    const { seen, ...end } = await endOf(bodyOf(pieces, rest), once);
    expect(end).toEqual({ _tag: "Success", value });
    expect(seen.aborted).toBe(0);
  });

  it.each<Row>([
    [["[]"], length(3), { ...broken, detail: "2 of 3 bytes" }],
    [["[]", "  "], length(3), { ...broken, detail: "4 of 3 bytes" }],
    [[], {}, { ...broken, detail: "empty" }],
    [[" \n"], {}, { ...broken, detail: "cut off after 2 characters" }],
    [[' {"a":[1]'], {}, { ...broken, detail: "cut off after 9 characters" }],
    ...["[]{", '["a\\"', '{"a":{"b":1}', '{"a":"}', '{"a":[{}', '{"a":"x\\"}'].map(early),
    ...["{]}", "{} {}", "<html>", "{a}", "nul", "[]][[", "[a]", "a{", '{"a":1}]', '{"}":1}]'].map(
      malformed,
    ),
    [["x".repeat(40)], {}, noJson(`"${"x".repeat(40)}"`)],
    [["x".repeat(41)], {}, noJson(`"${"x".repeat(40)}"…`)],
    [["x\n\t\u001b"], {}, noJson(String.raw`"x\n\t?"`)],
    [["x".repeat(101)], {}, { ...large, issue: "the body is larger than the 100 bytes allowed" }],
    [["x"], { encoding: "zstd" }, broken],
    [["x"], { ...length(1), text: () => Promise.reject(own) }, { kind: "limiter" }],
    [[], { read: () => Promise.reject(new Error("reset")) }, { ...broken, detail: "reset" }],
    [[], { read: silent, ...length(101) }, { ...large, issue: TOO_LARGE }],
    [[], { read: silent }, { _tag: "Timeout", kind: "attempt" }],
  ])("%j with %j is an error", async (pieces, rest, expected) => {
    const { error, seen } = await endOf(bodyOf(pieces, rest), once);
    expect(error).toMatchObject({ operation: "x.get", attempts: 1, ...expected });
    expect(seen.measured).toEqual(["requests 1 GET /x 200"]);
  });

  it("is no value where it tells an error", async () => {
    const { error } = await endOf({ body: '{"error":{"code":3,"message":"m"}}' }, once);
    expect(error).toMatchObject({ _tag: "RateLimited", status: 200, code: 3, detail: "m" });
    const { error: other } = await endOf({ body: '{"error":{"code":6}}' }, once);
    expect(other).toMatchObject({ _tag: "Forbidden", kind: "unknown", scopesNeeded: [] });
  });
});

it("a call whose body is read later leaves its connection open", async () => {
  const handler = { accepts: () => true, read: () => succeed("head"), streams: true };
  const { pass, run, seen } = open([{ whole: { read: silent } }]);
  const { ends } = run({ handler });
  await pass(5000);
  expect(ends).toEqual([{ _tag: "Success", value: "head" }]);
  expect([seen.aborted, seen.timers.size]).toEqual([0, 0]);
});

describe("a hook", () => {
  it("hears of the request as it is sent, but for the token", async () => {
    const heard: Array<RequestInfo> = [];
    const hooks = { onRequest: (info: RequestInfo) => void heard.push(info) };
    const { pass, run, seen } = open([{}], { hooks });
    const { tokens } = giving(tokenOf("t0ken"));
    run({ request: { ...REQUEST, body: "{}" }, account: { tokens, identity: undefined } });
    run({
      ...POST,
      options: { priority: 2, maxWait: 3 },
      account: { tokens: undefined, identity: "i" },
    });
    await pass();
    expect(seen.asked).toEqual({ route: "GET /x", identity: "i", priority: 2, maxWait: 3 });
    const accept = { accept: "application/json", "accept-encoding": "gzip" };
    const plain = { ...accept, "user-agent": "agent" };
    const withBody = (authorization: string) => ({
      headers: { ...plain, authorization, "content-type": "application/json" },
    });
    const one = { operation: "x.get", url: REQUEST.url, method: "GET", body: "{}" };
    const other = { ...one, method: "POST", body: undefined, headers: plain };
    expect(seen.requests).toStrictEqual([{ ...one, ...withBody("Bearer t0ken") }, other]);
    const told = { route: "GET /x", attempts: 1 };
    expect(heard).toStrictEqual([
      { ...one, ...told, ...withBody("Bearer <redacted>") },
      { ...other, ...told },
    ]);
  });

  it("may end the call: nothing is sent", async () => {
    const ended: Array<() => void> = [];
    const { run, seen } = open([{}], { hooks: { onRequest: () => void ended[0]?.() } });
    const controller = new AbortController();
    ended.push(() => controller.abort());
    const { ends } = run({ options: { signal: controller.signal } });
    expect([ends, seen.sent]).toEqual([[{ _tag: "Interrupted" }], []]);
    expect([seen.settled, seen.measured]).toStrictEqual([[{ sent: false, status: undefined }], []]);
  });

  const broken = () => {
    throw new Error("x");
  };
  it("may throw or reject: it is warned of; what reads a body ends its call alone", async () => {
    const hooks = { onRequest: broken, onResponse: broken, onRetry: async () => broken() };
    const { pass, run, seen } = open([{ status: 503 }, {}], { hooks });
    const { ends } = run();
    await pass(1000);
    expect(ends).toEqual([{ _tag: "Success", value: {} }]);
    expect(seen.warned).toEqual(Array(5).fill("GameApi: a hook threw"));
    const reads = await endOf({}, { handler: { accepts: () => true, read: broken } });
    const accepts = await endOf({}, { handler: { accepts: broken, read: parseBody } });
    expect([reads._tag, accepts._tag]).toEqual(["Defect", "Defect"]);
    const tokens = { renews: false, take: broken };
    const { seen: _, ...end } = await endOf({}, { account: { tokens, identity: undefined } });
    expect(end).toEqual({ _tag: "Defect", defect: new Error("x") });
    expect([reads.seen.aborted, accepts.seen.aborted]).toEqual([0, 1]);
    expect([reads.seen.settled.length, accepts.seen.settled.length]).toEqual([1, 1]);
  });
});
