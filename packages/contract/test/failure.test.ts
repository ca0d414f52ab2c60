import { assert, describe, it } from "@effect/vitest";
import { failureToJson } from "@game-data/contract/failure";
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
  it("holds tag, fields, message and the address of its page, but no undefined field", () => {
    const told = { _tag: "Broken", kind: "a", place: "/x", message: "It broke: a.", help };
    assert.deepStrictEqual(json({ kind: "a", place: "/x", retryAfter: undefined }), told);
  });

  it("of any other error has its fields alone: no stack, and no cause with a credential", () => {
    const cause = { authorization: "Bearer secret" };
    const of = { _tag: "Other", message: "It broke.", help };
    const fields = { username: "N", causes: 2 };
    const error = { ...of, ...fields, name: "Other", stack: "at", later: undefined, cause };
    assert.deepStrictEqual<object>(failureToJson({ ...error, isRetryable: undefined! }), {
      ...of,
      ...fields,
    });
    assert.notProperty(json({ kind: "b", cause }), "cause");
  });

  it.each([
    [Duration.seconds(3), 3000],
    [Duration.millis(1.5), 1.5],
    [Duration.nanos(2_500_000n), 2.5],
    [Duration.zero, 0],
    // JSON cannot hold it.
    [Duration.infinity, undefined],
  ])("tells the wait in milliseconds: %s", (retryAfter, millis) => {
    const told = json({ kind: "a", retryAfter }) as object;
    assert.strictEqual((told as { retryAfterMillis?: number }).retryAfterMillis, millis);
    assert.notProperty(told, "retryAfter");
    if (millis === undefined) assert.notProperty(told, "retryAfterMillis");
  });

  it("tells a wide number as text, and of bytes how many they are", () => {
    const told = json({ kind: "a", at: 2n ** 60n, bytes: Buffer.from("secret") });
    assert.propertyVal(told, "at", "1152921504606846976");
    assert.propertyVal(told, "bytes", "6 bytes");
  });
});
