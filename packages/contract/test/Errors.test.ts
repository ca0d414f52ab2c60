import { assert, describe, it } from "@effect/vitest";
import { ErrorCode, errorCodeOfStatus, errors } from "../src/index.ts";
import { errorText, statusOfErrorCode } from "../src/index.ts";
import { ErrorBody } from "../src/routes/bodies.ts";

describe("errors of the data API", () => {
  it("each error of the data API has its own code and HTTP status", () => {
    const all = Object.values(errors);
    assert.strictEqual(errorText("UnexpectedContentType"), "Unexpected content type");
    for (const member of ["code", "status"] as const)
      assert.lengthOf(new Set(all.map((error) => error[member])), all.length, member);
    for (const [name, { code, status }] of Object.entries(errors)) {
      assert.strictEqual(ErrorCode[name as keyof typeof errors], code);
      assert.strictEqual(errorCodeOfStatus(status), code);
      assert.strictEqual(statusOfErrorCode(code), status);
    }
    assert.strictEqual(statusOfErrorCode(ErrorCode.RateLimitExceeded), 429);
    assert.isUndefined(errorCodeOfStatus(418));
    for (const code of [4711, "2", null, undefined]) assert.isUndefined(statusOfErrorCode(code));
  });

  it("ErrorBody accepts an error code that is not known yet", () => {
    assert.isTrue(ErrorBody.is({ error: { code: 4711, message: "New" } }));
    assert.isFalse(ErrorBody.is({ error: "invalid_request" }));
  });
});
