import { assert, describe, it } from "@effect/vitest";
import { Data, Duration } from "effect";
import { type Failure, failureToJson } from "@game-data/contract/failure";

class Broken
  extends Data.TaggedError("Broken")<{
    readonly kind: "a" | "b";
    readonly place?: string | undefined;
    readonly retryAfter?: Duration.Duration | undefined;
    readonly cause?: unknown;
  }>
  implements Failure
{
  get isRetryable(): boolean {
    return this.kind === "a";
  }
  override get message(): string {
    return `It broke: ${this.kind}.`;
  }
  override toJSON(): object {
    return failureToJson(this);
  }
}

const json = (fields: ConstructorParameters<typeof Broken>[0]): unknown =>
  JSON.parse(JSON.stringify(new Broken(fields)));

describe("failureToJson", () => {
  it("holds tag, fields and message", () => {
    assert.deepStrictEqual(json({ kind: "a", place: "/x" }), {
      _tag: "Broken",
      kind: "a",
      place: "/x",
      message: "It broke: a.",
    });
  });

  it("leaves out the cause, even a plain object with a credential", () => {
    const text = JSON.stringify(json({ kind: "b", cause: { authorization: "Bearer secret" } }));
    assert.notInclude(text, "secret");
    assert.notInclude(text, "cause");
  });

  it("leaves out fields that are undefined", () => {
    assert.notProperty(json({ kind: "b", place: undefined, retryAfter: undefined }), "place");
  });

  it.each([
    [Duration.seconds(3), 3000],
    [Duration.millis(1.5), 1.5],
    [Duration.nanos(2_500_000n), 2.5],
    [Duration.zero, 0],
  ])("tells the wait in milliseconds: %s", (retryAfter, retryAfterMillis) => {
    assert.deepStrictEqual(json({ kind: "a", retryAfter }), {
      _tag: "Broken",
      kind: "a",
      message: "It broke: a.",
      retryAfterMillis,
    });
    assert.strictEqual(Duration.toMillis(retryAfter), retryAfterMillis);
  });

  it("leaves out an infinite wait, which JSON cannot hold", () => {
    assert.notProperty(json({ kind: "a", retryAfter: Duration.infinity }), "retryAfterMillis");
  });
});
