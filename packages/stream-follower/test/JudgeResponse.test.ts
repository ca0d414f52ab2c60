/** What a response means before its body is read, by its status and by who wrote the body. */
import { Duration, Effect, Exit } from "effect";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { judgeResponse } from "../src/core/judgeResponse.ts";
import { HOURS, KEY, virtually } from "./support/Run.ts";

type Body = string | Uint8Array | "never" | Error;

async function* chunks(body: Body) {
  if (body === "never") await new Promise(() => {});
  if (body instanceof Error) throw body;
  const bytes = Buffer.from(body);
  yield bytes.subarray(0, 5);
  yield bytes.subarray(5);
}

/** The members of a response's error; `undefined` for a page. */
const judged = async (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: Body = "",
  key: typeof KEY | typeof HOURS = KEY,
) => {
  const request = { ...key, id: "a", responseTimeoutMillis: 1 };
  const response = { status, headers, body: chunks(body) };
  const exit = await virtually(Effect.flip(judgeResponse(request, response)), { realMillis: 5 });
  if (Exit.isSuccess(exit)) return { ...exit.value, _tag: exit.value._tag };
  // No failure is there to be had.
  expect(Exit.hasDies(exit)).toBe(false);
  return undefined;
};

const server = (status: number) => ({ _tag: "PageUnavailable", kind: "server", status });
const refused = (kind: string, scope?: string) => ({ _tag: "PageRefused", kind, scope });
const rejected = (status: number) => ({ _tag: "ChangeIdRejected", id: "a", status });

type Row = [status: number, key: typeof KEY | typeof HOURS, error: object | undefined];

it.each<Row>([
  [200, KEY, undefined],
  [200, HOURS, undefined],
  [404, HOURS, undefined],
  ...[400, 404, 410, 499].map((status) => [status, KEY, rejected(status)] satisfies Row),
  [400, HOURS, rejected(400)],
  [401, KEY, refused("unauthorized")],
  [403, KEY, refused("forbidden", "service:psapi")],
  [403, HOURS, refused("forbidden", "service:cxapi")],
  ...[204, 302, 399, 408, 425, 500, 503].map(
    (status) => [status, KEY, server(status)] satisfies Row,
  ),
  [429, KEY, { _tag: "PageUnavailable", kind: "rateLimited", status: 429 }],
])("HTTP %i of %o without a body", async (status, key, expected) => {
  expect(await judged(status, {}, "", key)).toEqual(expected);
  const isPassing = expected !== undefined && "kind" in expected && !("scope" in expected);
  const wait = isPassing ? { retryAfter: Duration.millis(7500) } : {};
  expect(await judged(status, { "retry-after": "7.5" }, "", key)).toEqual(
    expected && { ...expected, ...wait },
  );
});

const blocked = (status: number, answeredBy: string) => ({
  ...{ _tag: "PageUnavailable", kind: "blocked", status, answeredBy },
});

it.each([
  ...[200, 400, 401, 403, 404, 410].map(
    (status) => [status, blocked(status, "text/html")] as const,
  ),
  [429, { _tag: "PageUnavailable", kind: "rateLimited", status: 429 }],
  ...[302, 500].map((status) => [status, server(status)] as const),
] as const)("HTTP %i in HTML is of something in front of the service", async (status, expected) => {
  expect(await judged(status, { "content-type": "text/html" })).toEqual(expected);
});

it.each([
  [
    { "content-type": "TEXT/HTML; charset=utf-8", server: "wall" },
    "TEXT/HTML; charset=utf-8, wall",
  ],
  [{ "content-type": "application/xhtml+xml" }, "application/xhtml+xml"],
  [
    { "content-type": "text/plain", server: ` a\u001b[1m\n\u202e${"x".repeat(99)}` },
    `text/plain, a [1m ${"x".repeat(54)}`,
  ],
  [{ "content-type": "text/html", "content-length": "0" }, undefined],
  [{ "content-type": "text/json" }, undefined],
  [{ "content-type": "application/json", server: "wall" }, undefined],
  [{ "content-type": "application/text/" }, undefined],
])("%o names who wrote the body", async (headers, answeredBy) => {
  const expected = answeredBy === undefined ? refused("unauthorized") : blocked(401, answeredBy);
  expect(await judged(401, headers)).toEqual(expected);
});

const error = (message: unknown) => JSON.stringify({ error: { message } });

it.each<[string, string | undefined, Body, Readonly<Record<string, string>>?]>([
  ["the error object", "no such id", error("no such id")],
  ["a compressed one", "x", gzipSync(error("x")), { "content-encoding": "gzip" }],
  [
    "one without colours, cut",
    `a [1m ${"x".repeat(194)}`,
    error(`a\u001b[1m\u202e\n${"x".repeat(400)}`),
  ],
  ["one of the longest body", "x", error("x").padEnd(16_384)],
  ["a longer body", undefined, error("x").padEnd(16_385)],
  ["a longer body that ends never", undefined, "never"],
  ["a body that breaks off", undefined, new Error("aborted")],
  ["another text", undefined, "no"],
  ["nothing", undefined, "null"],
  ["an empty error", undefined, '{"error":null}'],
  ["no message", undefined, error(7)],
])("a refused id is told with the service's message: %s", async (_, detail, body, headers) => {
  expect(await judged(404, headers, body)).toEqual({ ...rejected(404), detail });
});
