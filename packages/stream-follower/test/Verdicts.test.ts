/** A response that is not a page is waited out or ends the run, and every cause is reported. */
import { Effect, Fiber, Logger, Metric, References } from "effect";
import { describe, expect, it } from "vitest";
import { Follower, Status } from "../src/index.ts";
import { answerHistory, type Fault } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { follow, over, tagOf, valueOf, waitsOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 3 });
const answer = answerHistory(pages);
/** An HTTP date one minute after the start of virtual time. */
const MINUTE = new Date(60_000).toUTCString();
const status = (code: number, headers: Record<string, string> = {}, body = "{}"): Fault => ({
  ...{ kind: "replace", answer: { status: code, headers, body } },
});

const OLD_ID = '{"error":{"code":2,"message":"too\\u0000old"}}';

const ZIPPED = { "content-encoding": "gzip" };
const html = { "content-type": "text/html; charset=UTF-8", server: "edge\u0000" };

describe("a response that is not a page", () => {
  it.each<[string, Fault, string, RegExp]>([
    ["HTTP 401", status(401), "PageRefused", /expired or revoked/u],
    ["HTTP 403 in JSON", status(403), "PageRefused", /lacks the scope service:psapi/u],
    ["HTTP 403 without a body", status(403, html, ""), "PageRefused", /lacks the scope/u],
    ["HTTP 400", status(400), "ChangeIdRejected", /\(HTTP 400\)\./u],
    ["HTTP 422", status(422, {}, OLD_ID), "ChangeIdRejected", /\(HTTP 422\): "too old"\./u],
    ["HTTP 404", status(404, {}, "no JSON"), "ChangeIdRejected", /\(HTTP 404\)\./u],
  ])("a run ends after a refusal of the service: %s", async (_, fault, tag, message) => {
    const { exit, memory } = await follow({
      answer,
      fault: ({ id }) => (id === pages[1]!.id ? fault : undefined),
    });
    expect(tagOf(exit)).toBe(tag);
    expect(String(exit)).toMatch(message);
    expect(memory.pages).toHaveLength(1);
  });

  it.each<[string, Fault, number]>([
    ["HTML with HTTP 200", status(200, html, "<html>"), 15_000],
    ["HTML with HTTP 403", status(403, html, "<html>"), 15_000],
    ["HTTP 429 with Retry-After", status(429, { "retry-after": "40" }), 40_000],
    ["HTTP 503 with Retry-After as a date", status(503, { "retry-after": MINUTE }), 59_000],
    ["HTTP 500", status(500), 500],
    ["HTTP 408", status(408), 500],
    ["HTTP 425", status(425), 500],
    ["HTTP 302", status(302), 500],
    ["a body shorter than its Content-Length", { kind: "wrongLength" }, 500],
    ["a body that stalls", { kind: "stallAfter", at: 0.5 }, 15_500],
    ["no response", { kind: "hang" }, 15_500],
  ])("a follower requests the page again after a fault: %s", async (_, fault, wait) => {
    const { exit, seen } = await follow({
      answer,
      fault: ({ index }) => (index === 1 ? fault : undefined),
    });
    expect(tagOf(exit)).toBe(undefined);
    const [first] = waitsOf(seen, pages[1]!.id);
    expect(first).toBeGreaterThanOrEqual(wait);
    expect(first).toBeLessThan(wait + 1500);
  });

  it.each<[string, Fault, ReadonlyArray<number>]>([
    ["doubling from 0.5 to 15 seconds, with jitter", { kind: "reset" }, [0.5, 1, 2, 4, 8, 15, 15]],
    ["of 15 seconds while a firewall responds", status(200, html, "<html>"), [15, 15, 15, 15]],
    ["of 0.5 seconds after requests that hung for 15", { kind: "hang" }, [15.5, 15.5, 15.5, 15.5]],
  ])("a follower requests a page again after waits %s", async (_, fault, ceilings) => {
    const { seen } = await follow({
      answer,
      fault: ({ index }) => (index < ceilings.length ? fault : undefined),
    });
    const waits = waitsOf(seen);
    for (const [index, ceiling] of ceilings.entries()) {
      expect(waits[index]).toBeLessThanOrEqual(1000 * ceiling);
      expect(waits[index]).toBeGreaterThanOrEqual(500 * ceiling);
    }
  });
});

it.each<[string, Fault, string, RegExp, Partial<Follower.StashRun>?]>([
  ["a body that is cut", { kind: "cut", at: 0.5 }, "TruncatedBody", /after \d+ bytes: aborted\./u],
  ["a short body", { kind: "wrongLength" }, "TruncatedBody", /: Content-Length is \d+\./u],
  [
    "a wrong checksum",
    { kind: "corruptGzip" },
    "TruncatedBody",
    /after \d+ bytes: gzip: incorrect/u,
  ],
  ["plain text as gzip", status(200, ZIPPED, "{}"), "DecompressError", /not valid gzip: gzip: /u],
  ["no response", { kind: "hang" }, "PageTimeout", /\(response timeout\)/u],
  ["a body that stalls", { kind: "stallAfter", at: 0.5 }, "PageTimeout", /\(stall timeout\)/u],
  [
    "a body that is slow",
    { kind: "stallAfter", at: 0.5 },
    "PageTimeout",
    /\(total timeout\)/u,
    { totalTimeout: "5 seconds" },
  ],
  ["HTML", status(200, html), "PageUnavailable", /200 \(text\/html; charset=UTF-8, edge\)\./u],
])("a run fails with the cause of a bad page: %s", async (_, fault, tag, message, options) => {
  const { exit } = await follow({ answer, fault: () => fault }, { maxRetries: 0, ...options });
  expect(tagOf(exit)).toBe(tag);
  expect(String(exit)).toMatch(message);
});

it("a follower logs each cause once, and counts each failure with reason and status", async () => {
  const lines: Array<string> = [];
  const logger = Logger.make(({ message }) => void lines.push(String(message)));
  const { source } = scripted({
    answer,
    fault: ({ index }) =>
      index < 6 ? { kind: "status", status: index < 4 ? 503 : 502 } : undefined,
  });
  const { early, counted } = await valueOf(
    Effect.gen(function* () {
      const program = Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
        Effect.provideService(References.MinimumLogLevel, "Info"),
        Effect.provide(Logger.layer([logger])),
      );
      const fiber = yield* Effect.forkChild(program);
      yield* Effect.sleep("1 millis");
      const first = yield* Status.report;
      yield* Fiber.join(fiber);
      return { early: first, counted: yield* Metric.snapshot };
    }).pipe(Effect.provide(over(source))),
  );
  expect(lines).toEqual([
    "stashes/pc: source: The service responded with HTTP 503.",
    "stashes/pc: source: The service responded with HTTP 502.",
    "stashes/pc: source works again after 6 failed attempts",
  ]);
  expect(early).toMatchObject({
    live: true,
    ready: true,
    reason: expect.stringMatching(
      /^stashes\/pc: source retrying: The service responded with HTTP 503\. \(1 failure/u,
    ),
  });
  const retries = counted.filter(({ id }) => id === "game_data_follower_retries");
  const labels = { error: "PageUnavailable", reason: "server" };
  expect(
    retries.map(({ attributes, state }) => [attributes, (state as { count: number }).count]),
  ).toEqual([
    [expect.objectContaining({ ...labels, status: "503" }), 4],
    [expect.objectContaining({ ...labels, status: "502" }), 2],
  ]);
});
