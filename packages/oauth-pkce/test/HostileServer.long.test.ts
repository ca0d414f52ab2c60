/** Every response of a hostile token endpoint; HostileServer.test.ts has two. */
import { assert, describe, test } from "@effect/vitest";
import { broken, checkCalls, checkRevoke, names } from "./hostile.ts";
import { it } from "./it.ts";

describe.concurrent("a hostile token endpoint", () => {
  it.live.each(names)("a server that %s gets typed errors and no secret", checkCalls, 10_000);
  it.live.each(broken)("a server that %s does not break revoking", checkRevoke);
});

test("the suite has at least forty cases for the token endpoint", () => {
  assert.isAtLeast(names.length, 40);
});
