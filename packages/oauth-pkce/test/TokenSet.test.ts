import { assert, describe, it } from "@effect/vitest";
import { Redacted } from "effect";
import { TokenSet } from "../src/index.ts";

const set = (expiresAt: TokenSet.TokenSet["expiresAt"]): TokenSet.TokenSet => ({
  accessToken: Redacted.make("AT"),
  expiresAt,
  issuedAt: 0,
  scopes: [],
});

describe("a token set", () => {
  it.each([
    [1000, 600],
    [400, 0],
    [0, 0],
    ["never", Infinity],
    ["unknown", Infinity],
  ] as const)("whose end is %s tells how long its token is still good [CL-13]", (end, left) => {
    assert.strictEqual(TokenSet.remainingMillis(set(end), 400), left);
    assert.strictEqual(TokenSet.isFresh(set(end), 400), left > 0);
  });

  it("is the same after a way through text, and nothing else is one", () => {
    const back = TokenSet.fromJson(TokenSet.toJson(set("never")));
    assert.deepInclude(back, { expiresAt: "never", issuedAt: 0 });
    assert.strictEqual(Redacted.value(back!.accessToken), "AT");
    for (const text of ["", "null", "{}", '{"accessToken":"AT"}'])
      assert.isUndefined(TokenSet.fromJson(text));
  });
});
