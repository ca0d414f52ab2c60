import { assert, describe, it } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { TokenSet } from "../src/index.ts";

const set = (expiresAt: TokenSet.TokenSet["expiresAt"]): TokenSet.TokenSet => ({
  accessToken: Redacted.make("AT"),
  expiresAt,
  issuedAt: 0,
  scopes: [],
});

describe("a token set", () => {
  it.effect("tells how long its token is still good [CL-13]", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(400);
      assert.strictEqual(yield* TokenSet.remaining(set(1000)), 600);
      assert.strictEqual(yield* TokenSet.remaining(set(400)), 0);
      assert.strictEqual(yield* TokenSet.remaining(set(0)), 0);
      assert.strictEqual(yield* TokenSet.remaining(set("never")), Infinity);
      assert.strictEqual(yield* TokenSet.remaining(set("unknown")), Infinity);
    }),
  );

  it("makes the header of a data request", () => {
    assert.strictEqual(TokenSet.authorizationHeader(set(0)), "Bearer AT");
  });

  it("is the same after a way through text, and nothing else is one", () => {
    const back = TokenSet.fromJson(TokenSet.toJson(set("never")));
    assert.deepInclude(back, { expiresAt: "never", issuedAt: 0 });
    assert.strictEqual(Redacted.value(back!.accessToken), "AT");
    for (const text of ["", "null", "{}", '{"accessToken":"AT"}'])
      assert.isUndefined(TokenSet.fromJson(text));
  });
});
