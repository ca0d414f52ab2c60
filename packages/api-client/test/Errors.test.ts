import { Duration } from "effect";
import { describe, expect, it } from "vitest";
import * as Errors from "../src/Errors.ts";

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

describe("a write without a response", () => {
  const write = { operation: "itemFilters.create", route: "POST /item-filter", attempts: 1 };
  const doubt = /; it may have been processed \(see retryUnsafe\)/u;

  it.each([
    (info: typeof write) => new Errors.ServerError({ ...info, status: 503 }),
    (info: typeof write) => new Errors.Timeout({ ...info, reason: "attempt" }),
    (info: typeof write) => new Errors.Timeout({ ...info, reason: "total" }),
    (info: typeof write) => new Errors.TransportError({ ...info, reason: "connect" }),
    (info: typeof write) => new Errors.TransportError({ ...info, reason: "body" }),
  ])("says of a write without a response that it may have been processed: %s", (make) => {
    expect(make(write).message).toMatch(doubt);
    expect(make(write).isRetryable).toBe(false);
    expect(make({ ...write, attempts: 0 }).isRetryable).toBe(true);
    expect(make({ ...write, attempts: 0 }).message).not.toMatch(doubt);
    expect(make({ ...write, route: "GET /item-filter" }).message).not.toMatch(doubt);
  });
});
