/** What rejected requests do to the next ones: counted in a window, spread, and then stopped. */
import { describe, expect, it } from "vitest";
import {
  blockOf,
  clientErrorsOf,
  newClientErrors,
  pacedUntil,
  recordRejection,
} from "../src/core/ClientErrors.ts";
import type { ClientErrorOptions } from "../src/core/ClientErrors.ts";
import { defaultOptions, newState } from "../src/core/State.ts";
import { freeze, thaw } from "../src/store/knowledge.ts";

const WINDOW = 60_000;
const options: ClientErrorOptions = {
  max: 6,
  window: WINDOW,
  firewallCooldown: 900_000,
  counts: () => true,
};

/** So many rejections of a route, a second apart, the first at 0. */
const rejected = (count: number, status: number | undefined, route = "a") => {
  const errors = newClientErrors();
  for (let index = 0; index < count; index++)
    recordRejection(
      errors,
      { route, status, isFirewallBlock: undefined, at: 1000 * index },
      options,
    );
  return errors;
};

describe("requests after rejected ones", () => {
  it.each<[count: number, route: string, until: number]>([
    [2, "a", 10_000],
    [3, "a", 24_000],
    [3, "b", 10_000],
    [5, "a", 64_000],
    // Nothing is left: the place of the first one, and of the second.
    [6, "a", 64_000],
    [7, "a", 64_000],
  ])("%i of 6, on the route %s, permitted last at 4 s: at %i ms", (count, route, until) => {
    const errors = rejected(count, 404);
    errors.pacedAt = 4000;
    expect(pacedUntil(errors, route, 10_000, options)).toBe(until);
  });

  it.each<[count: number, until: number]>([
    [6, WINDOW],
    [7, WINDOW + 1000],
    [8, WINDOW + 2000],
  ])("%i of 6, none permitted yet: at %i ms", (count, until) => {
    expect(pacedUntil(rejected(count, 404), "a", 10_000, options)).toBe(until);
  });

  it("are free once the window has left them behind, to the millisecond", () => {
    expect(pacedUntil(rejected(6, 404), "a", WINDOW + 2999, options)).toBe(WINDOW + 2999);
    const errors = rejected(3, 404);
    errors.pacedAt = WINDOW;
    expect(pacedUntil(errors, "a", WINDOW - 1, options)).toBe(WINDOW + WINDOW / 3);
    // Two are left of the three.
    expect(pacedUntil(errors, "a", WINDOW, options)).toBe(WINDOW);
  });

  it("are free on a route whose own rejections are past", () => {
    const errors = rejected(1, 404);
    for (let index = 1; index <= 4; index++)
      recordRejection(
        errors,
        { route: "b", status: 404, isFirewallBlock: undefined, at: 30_000 + index },
        options,
      );
    errors.pacedAt = 59_000;
    expect(pacedUntil(errors, "a", WINDOW - 1, options)).toBe(119_000);
    expect(pacedUntil(errors, "a", WINDOW, options)).toBe(WINDOW);
    expect(pacedUntil(errors, "b", WINDOW, options)).toBe(89_000);
  });
});

it.each([
  ["a", 89_500],
  ["b", WINDOW],
])("a rejection counts for its route again: %s, at %i ms", (route, until) => {
  const errors = newClientErrors();
  const reject = (name: string, at: number) =>
    recordRejection(
      errors,
      { route: name, status: 404, isFirewallBlock: undefined, at },
      { ...options, max: 2 },
    );
  for (const [name, at] of [
    ["a", 0],
    ["b", 0],
    ["a", 30_000],
  ] as const)
    reject(name, at);
  errors.pacedAt = 29_500;
  expect(pacedUntil(errors, route, WINDOW, { ...options, max: 2 })).toBe(until);
});

describe("the block of a client", () => {
  it.each([401, 403, 429])("comes of %i at the limit, and ends with the window", (status) => {
    expect(blockOf(rejected(5, status), 10_000, options)).toBeUndefined();
    const errors = rejected(6, status);
    expect(blockOf(errors, 10_000, options)).toEqual({ kind: "too-many-errors", until: WINDOW });
    expect(blockOf(rejected(8, status), 10_000, options)?.until).toBe(WINDOW + 2000);
    expect(blockOf(errors, WINDOW - 1, options)?.until).toBe(WINDOW);
    expect(blockOf(errors, WINDOW, options)).toBeUndefined();
  });

  it.each([404, undefined])("never comes of %s, which is counted", (status) => {
    const errors = rejected(9, status);
    expect(blockOf(errors, 10_000, options)).toBeUndefined();
    expect(clientErrorsOf(errors, 10_000, options)).toEqual({
      count: 9,
      blocking: 0,
      max: 6,
      windowMillis: WINDOW,
    });
    expect(clientErrorsOf(errors, WINDOW + 2000, options).count).toBe(6);
  });

  it("of a firewall lasts for its cooldown after the last one, and is counted nowhere", () => {
    const errors = newClientErrors();
    const block = (at: number, { firewallCooldown } = options) =>
      recordRejection(
        errors,
        { route: "a", status: 403, isFirewallBlock: true, at },
        { ...options, firewallCooldown },
      );
    block(1000);
    block(2000, { ...options, firewallCooldown: 10 });
    expect(blockOf(errors, 900_999, options)).toEqual({ kind: "firewall", until: 901_000 });
    expect(blockOf(errors, 901_000, options)).toBeUndefined();
    expect(clientErrorsOf(errors, 2000, options).count).toBe(0);
  });
});

it("a route is forgotten in time by a later process, whatever its name", () => {
  const state = newState();
  for (const [route, at] of [
    ["20", 0],
    ["3", 1000],
  ] as const)
    recordRejection(state.errors, { route, status: 404, isFirewallBlock: undefined, at }, options);
  const saved = JSON.parse(JSON.stringify(freeze(state, 1000, 1000)));
  const { errors } = thaw(saved, WINDOW, WINDOW, defaultOptions)!;
  expect([...errors.routes.keys()]).toEqual(["20", "3"]);
  expect(clientErrorsOf(errors, WINDOW, options)).toBeDefined();
  expect([...errors.routes.keys()]).toEqual(["3"]);
});
