import { Duration, Effect, Exit } from "effect";
import { describe, expect, it } from "vitest";
import * as Errors from "../src/Errors.ts";
import { GameApi } from "../src/index.ts";
import type { GameApiOptions } from "../src/index.ts";
import { layerOver, recording } from "./recording.ts";
import type { Answer } from "./recording.ts";

it("an error names its call and the wait, and leaves its cause out of its JSON", () => {
  const cause = { authorization: "Bearer s3cret" };
  const call = { operation: "profile.get", route: "GET /profile", attempts: 1 };
  const retryAfter = Duration.seconds(3);
  const error = new Errors.RateLimited({ ...call, reason: "server", retryAfter, cause });
  expect(error.message).toMatch(/^profile\.get: .*retry in 3 s$/u);
  expect(error.cause).toBe(cause);
  const { message } = error;
  const told = { _tag: "RateLimited", ...call, message, retryAfterMillis: 3000 };
  expect(JSON.parse(JSON.stringify(error))).toMatchObject(told);
  expect(JSON.stringify(error)).not.toContain("s3cret");
});

const failure = async (
  answer: (index: number) => Answer,
  options: Partial<GameApiOptions> = {},
) => {
  const { http, sent } = recording((_, index) => answer(index));
  const exit = await Effect.runPromise(
    Effect.exit(Effect.flatMap(GameApi, (api) => api.profile.get())).pipe(
      Effect.provide(layerOver(http, { retry: { times: 2, base: 1 }, ...options })),
    ),
  );
  const error = Exit.findErrorOption(exit);
  return { sent, error: error._tag === "Some" ? error.value : undefined, exit };
};

describe("a response of status 200", () => {
  it.each([
    [0, "ServerError"],
    [1, "NotFound"],
    [2, "InvalidRequest"],
    [3, "RateLimited"],
    [4, "ServerError"],
    [6, "Forbidden"],
    [7, "ServerError"],
    [8, "Unauthorized"],
    [99, "ServerError"],
  ])(
    "with an error body of code %i fails as %s, with the service's code and message",
    async (code, tag) => {
      const body = JSON.stringify({ error: { code, message: "Nope" } });
      const { error } = await failure(() => ({ body }), { retry: { times: 0 } });
      expect(error).toMatchObject({ _tag: tag, status: 200, code, detail: "Nope" });
    },
  );

  it("does not quote the token that an error body quotes", async () => {
    const body = JSON.stringify({ error: { code: 8, message: "bad token: token" } });
    const { error } = await failure(() => ({ body }), { retry: { times: 0 } });
    expect(error).toMatchObject({ detail: "bad <redacted>: <redacted>" });
  });

  it("of another shape than documented is malformed, and names the place", async () => {
    const { error } = await failure(() => ({ body: '{"uuid":5,"name":"x"}' }));
    const issue = expect.stringContaining("uuid");
    expect(error).toMatchObject({ _tag: "ResponseMalformed", reason: "shape", issue });
  });
});

describe("a write without a response", () => {
  const write = { operation: "itemFilters.create", route: "POST /item-filter", attempts: 1 };
  const doubt = /; it may have been processed \(see retryUnsafe\)/u;

  it.each([
    (info: typeof write) => new Errors.ServerError({ ...info, status: 503 }),
    (info: typeof write) => new Errors.Timeout({ ...info, reason: "attempt" }),
    (info: typeof write) => new Errors.Timeout({ ...info, reason: "total" }),
    (info: typeof write) => new Errors.TransportError({ ...info, reason: "connect" }),
    (info: typeof write) => new Errors.TransportError({ ...info, reason: "body" }),
  ])("may have been processed, and its error says so: %s", (make) => {
    expect(make(write).message).toMatch(doubt);
    expect(make({ ...write, attempts: 0 }).message).not.toMatch(doubt);
    expect(make({ ...write, route: "GET /item-filter" }).message).not.toMatch(doubt);
  });
});
