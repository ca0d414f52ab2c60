/** Every response of a hostile token endpoint; the usual suite has one of each kind. */
import { assert, describe, test } from "@effect/vitest";
import { broken, checkCalls, checkRevoke, names } from "./hostile.ts";
import { it } from "./it.ts";

describe.concurrent("a hostile token endpoint", () => {
  it.live.each(names)("C23: that %s leaks nothing and hurts nobody", checkCalls, 10_000);
  it.live.each(broken)("C28: that %s does not break revoking", checkRevoke);
});

test("C23: the suite has at least forty cases for the token endpoint", () => {
  assert.isAtLeast(names.length, 40);
});
