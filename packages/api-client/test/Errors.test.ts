import { Duration } from "effect";
import { describe, expect, it } from "vitest";
import * as Errors from "../src/Errors.ts";

const call = { operation: "profile.get", route: "GET /profile", attempts: 1 };
const scopes = { scopesNeeded: ["a", "b"], scopesMissing: ["a", "b"] };
const retryAfter = Duration.seconds(2.5);

it("leaves the cause of an error out of its JSON", () => {
  const cause = { authorization: "Bearer s3cret" };
  const error = new Errors.RateLimited({ ...call, reason: "server", retryAfter, cause });
  expect(error.cause).toBe(cause);
  const { message } = error;
  const json = { _tag: "RateLimited", ...call, message, retryAfterMillis: 2500 };
  expect(JSON.parse(JSON.stringify(error))).toMatchObject(json);
  expect(JSON.stringify(error)).not.toContain("s3cret");
});

it.each<[Errors.GameApiError, message: string]>([
  [new Errors.Unauthorized({ ...call, reason: "no-token" }), "there is no access token"],
  [
    new Errors.Unauthorized({ ...call, reason: "refused", status: 401 }),
    "the access token is refused (HTTP 401)",
  ],
  [new Errors.Forbidden({ ...call, reason: "scope", ...scopes }), "the token lacks a b"],
  [new Errors.Forbidden({ ...call, reason: "private", ...scopes }), "not shared with this account"],
  [new Errors.Forbidden({ ...call, reason: "unknown", ...scopes }), "refused; the token needs a b"],
  [
    new Errors.Forbidden({ ...call, reason: "firewall", ...scopes, retryAfter }),
    "blocked by a firewall, retry in 3 s",
  ],
  [
    new Errors.RateLimited({ ...call, reason: "server", retryAfter: Duration.infinity }),
    "the service reports too many requests",
  ],
  [
    new Errors.RateLimited({ ...call, reason: "wait-too-long" }),
    "the rate limits permit it only after maxWait",
  ],
  [
    new Errors.RateLimited({ ...call, reason: "too-many-errors" }),
    "not sent, because too many requests were rejected lately",
  ],
  [new Errors.NotFound({ ...call, status: 404, detail: "no" }), "not found (HTTP 404): no"],
  [new Errors.InvalidRequest(call), "the request is not valid"],
  [new Errors.ServerError({ ...call, retryAfter }), "the service failed, retry in 3 s"],
  [new Errors.Timeout({ ...call, reason: "attempt" }), "no response in time"],
  [new Errors.Timeout({ ...call, reason: "total" }), "the call exceeded its total time"],
  [new Errors.TransportError({ ...call, reason: "closed" }), "the client is closed"],
  [
    new Errors.ResponseMalformed({ ...call, reason: "shape", issue: "at uuid" }),
    "the response is malformed: at uuid",
  ],
])("describes the problem in a message: %s", (error, message) => {
  expect(error.message).toBe(`profile.get: ${message}`);
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
