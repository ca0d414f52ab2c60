/** Every response of a hostile token endpoint; HostileServer.test.ts has two. */
import { assert, describe, test } from "@effect/vitest";
import { broken, checkCalls, checkRevoke, names } from "./hostile.ts";
import { it } from "./it.ts";

describe.concurrent("a hostile token endpoint", () => {
  it.live.each(names)(
    "a token endpoint that %s causes only typed errors, which show no secret",
    checkCalls,
    10_000,
  );
  it.live.each(broken)("revoke fails only with typed errors if the server %s", checkRevoke);
});

test("the cases of a hostile token endpoint are at least forty", () => {
  assert.isAtLeast(names.length, 40);
});
