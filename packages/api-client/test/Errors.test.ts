import { Duration } from "effect";
import { describe, expect, it } from "vitest";
import * as Errors from "../src/Errors.ts";

const call = { operation: "profile.get", route: "GET /profile", attempts: 1 };
const scopes = { scopesNeeded: ["a", "b"], scopesMissing: ["a", "b"] };
const retryAfter = Duration.seconds(2.5);

it("the JSON of an error leaves out its cause", () => {
  const cause = { authorization: "Bearer s3cret" };
  const error = new Errors.RateLimited({ ...call, reason: "server", retryAfter, cause });
  expect(error.cause).toBe(cause);
  const { message } = error;
  const json = { _tag: "RateLimited", ...call, message, retryAfterMillis: 2500 };
  expect(JSON.parse(JSON.stringify(error))).toMatchObject(json);
  expect(JSON.stringify(error)).not.toContain("s3cret");
});

it.each<[new (fields: any) => Errors.GameApiError, fields: object, message: string]>([
  [Errors.Unauthorized, { reason: "no-token" }, "there is no access token"],
  [
    Errors.Unauthorized,
    { reason: "refused", status: 401 },
    "the access token is refused (HTTP 401)",
  ],
  [Errors.Forbidden, { reason: "scope", ...scopes }, "the token lacks a b"],
  [Errors.Forbidden, { reason: "private", ...scopes }, "not shared with this account"],
  [Errors.Forbidden, { reason: "unknown", ...scopes }, "refused; the token needs a b"],
  [
    Errors.Forbidden,
    { reason: "firewall", ...scopes, retryAfter },
    "blocked by a firewall, retry in 3 s",
  ],
  [
    Errors.RateLimited,
    { reason: "server", retryAfter: Duration.infinity },
    "the service reports too many requests",
  ],
  [Errors.RateLimited, { reason: "wait-too-long" }, "the rate limits permit it only after maxWait"],
  [
    Errors.RateLimited,
    { reason: "too-many-errors" },
    "not sent, because too many requests were rejected lately",
  ],
  [Errors.NotFound, { status: 404, detail: "no" }, "not found (HTTP 404): no"],
  [Errors.InvalidRequest, {}, "the request is not valid"],
  [Errors.ServerError, { retryAfter }, "the service failed, retry in 3 s"],
  [Errors.Timeout, { reason: "attempt" }, "no response in time"],
  [Errors.Timeout, { reason: "total" }, "the call exceeded its total time"],
  [Errors.TransportError, { reason: "closed" }, "the client is closed"],
  [Errors.ResponseMalformed, { reason: "shape", issue: "x" }, "the response is malformed: x"],
])("the message of the error %o with %o is: %s", (Failure, fields, message) => {
  expect(new Failure({ ...call, ...fields }).message).toBe(`profile.get: ${message}`);
});

describe("a write without a response", () => {
  const write = { operation: "itemFilters.create", route: "POST /item-filter", attempts: 1 };
  const doubt = /; it may have been processed \(see retryUnsafe\)/u;

  it.each<[new (fields: any) => Errors.GameApiError, fields: object]>([
    [Errors.ServerError, { status: 503 }],
    [Errors.Timeout, { reason: "attempt" }],
    [Errors.Timeout, { reason: "total" }],
    [Errors.TransportError, { reason: "connect" }],
    [Errors.TransportError, { reason: "body" }],
  ])(
    "the error of a POST without a response says that it may have been processed: %o",
    (Failure, fields) => {
      const make = (info: object) => new Failure({ ...write, ...fields, ...info });
      expect(make({}).message).toMatch(doubt);
      expect(make({}).isRetryable).toBe(false);
      for (const info of [{ attempts: 0 }, { route: "GET /item-filter" }]) {
        expect(make(info).isRetryable).toBe(true);
        expect(make(info).message).not.toMatch(doubt);
      }
    },
  );
});
