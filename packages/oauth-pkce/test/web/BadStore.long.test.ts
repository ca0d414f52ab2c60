/**
 * The sign-in over a store that throws, hangs, answers late, or fails after it wrote, at each of its
 * calls, with exchanges of every length, at one server and at two: all in virtual time.
 */
import { afterEach, assert, beforeEach, it } from "vitest";
import { casesOf, runAll } from "./badStore.ts";
import { inVirtualTime, useRealTime, useVirtualTime } from "./virtualTime.ts";

beforeEach(useVirtualTime);
afterEach(useRealTime);

it.each([
  [10, [0, 7_500, 17_500], 1],
  [8, [0, 17_500], 2],
] as const)(
  "sign-ins keep their promises if the store fails at each of %i calls (exchange %j ms, %i servers)",
  async (calls, exchanges, servers) => {
    const cases = casesOf(calls, exchanges, servers);
    assert.isAtLeast(cases.length, 160);
    assert.deepStrictEqual(await inVirtualTime(() => runAll(cases)), []);
  },
);
