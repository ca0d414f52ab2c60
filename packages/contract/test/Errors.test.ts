import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { bodyErrors, commonErrors, endpoints } from "../src/server/index.ts";
import { ErrorBody } from "../src/effect/index.ts";
import { ErrorCode, errorCodeOfStatus, statusOfErrorCode } from "../src/index.ts";

describe("errors of the data API", () => {
  it("pair eleven codes with eleven statuses", () => {
    const codes = Object.values(ErrorCode);
    assert.deepStrictEqual(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const code of codes) assert.strictEqual(errorCodeOfStatus(statusOfErrorCode[code]), code);
    assert.strictEqual(statusOfErrorCode[ErrorCode.RateLimitExceeded], 429);
    assert.isUndefined(errorCodeOfStatus(418));
  });

  it("have a class per status whose body is {error: {code, message}} and no more", () => {
    for (const Class of bodyErrors) {
      const error = Class.because();
      assert.instanceOf(error, Error);
      assert.strictEqual(error._tag, Class.name);
      const body = Schema.encodeUnknownSync(Class)(error);
      assert.deepStrictEqual(Object.keys(body as object), ["error"]);
      assert.isTrue(Schema.is(ErrorBody)(body));
      assert.strictEqual(Class.because("Why").error.message, "Why");
    }
  });

  it("are declared on every data endpoint, those of bodies where there is one", () => {
    const statuses = (classes: ReadonlyArray<(typeof bodyErrors)[number]>) =>
      classes.map((Class) => statusOfErrorCode[Class.because().error.code as ErrorCode]);
    for (const { base, errors, method } of endpoints) {
      if (base === "auth") continue;
      const expected = statuses(method === "POST" ? bodyErrors : commonErrors);
      assert.sameMembers([...errors.keys()], expected);
    }
  });

  it("may carry codes that are not known yet", () => {
    assert.isTrue(Schema.is(ErrorBody)({ error: { code: 4711, message: "New" } }));
    assert.isFalse(Schema.is(ErrorBody)({ error: "invalid_request" }));
  });
});
