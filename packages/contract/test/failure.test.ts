import { assert, describe, it } from "@effect/vitest";
import { helpUrl } from "@game-data/contract/failure";
import { taggedFailures } from "@game-data/contract/taggedFailure";
import { Duration } from "effect";

const taggedFailure = taggedFailures("tools");

class Broken extends taggedFailure("Broken")<{
  readonly kind: "a" | "b";
  readonly place?: string | undefined;
  readonly retryAfter?: Duration.Duration | undefined;
  readonly bytes?: Uint8Array;
  readonly at?: bigint;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return `It broke: ${this.kind}.`;
  }
}

const help = "https://game-data.github.io/game-data/errors/tools/#broken";

const json = (fields: ConstructorParameters<typeof Broken>[0]): unknown =>
  JSON.parse(JSON.stringify(new Broken(fields)));

describe("the JSON of a failure", () => {
  it("a failure as JSON has its tag, fields, message and help, but neither stack nor cause", () => {
    const expected = { _tag: "Broken", kind: "a", place: "/x", message: "It broke: a.", help };
    assert.strictEqual(helpUrl("tools", "Broken"), help);
    const cause = { authorization: "Bearer secret" };
    assert.deepStrictEqual(
      json({ kind: "a", place: "/x", retryAfter: undefined, cause }),
      expected,
    );
  });

  it.each([
    [Duration.seconds(3), 3000],
    [Duration.millis(1.5), 1.5],
    [Duration.zero, 0],
    // JSON cannot hold it.
    [Duration.infinity, undefined],
  ])("a failure as JSON has its wait of %s in milliseconds", (retryAfter, millis) => {
    const wait = millis === undefined ? {} : { retryAfterMillis: millis };
    const other = { _tag: "Broken", kind: "a", message: "It broke: a.", help };
    assert.deepStrictEqual(json({ kind: "a", retryAfter }), { ...other, ...wait });
  });

  it("a failure as JSON has a bigint as a string, and bytes as their count", () => {
    const written = json({ kind: "a", at: 2n ** 60n, bytes: Buffer.from("secret") });
    assert.propertyVal(written, "at", "1152921504606846976");
    assert.propertyVal(written, "bytes", "6 bytes");
  });
});
