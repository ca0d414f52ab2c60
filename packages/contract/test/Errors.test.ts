import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { ErrorBody } from "../src/effect.ts";
import { ErrorCode, errorCodeOfStatus, type ErrorName, errors } from "../src/index.ts";
import { errorText, statusOfErrorCode } from "../src/index.ts";
import { document } from "./support/document.ts";

describe("errors of the data API", () => {
  it("have a code and a status each, once, and a text", () => {
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

  it("are told by every data operation of the OpenAPI document", () => {
    const { components, paths } = document;
    const texts = JSON.stringify(components["responses"]);
    for (const [name, { code, status }] of Object.entries(errors))
      if (status >= 400 && status !== 429)
        assert.include(texts, `${errorText(name as ErrorName)} (${status}, code ${code})`);
    for (const [path, item] of Object.entries(paths))
      for (const [method, operation] of Object.entries(item)) {
        if (method === "servers" || path.startsWith("/oauth/")) continue;
        const { responses } = operation as { readonly responses: object };
        assert.includeMembers(Object.keys(responses), ["4XX", "429", "5XX"], path);
      }
  });

  it("may carry codes that are not known yet", () => {
    assert.isTrue(Schema.is(ErrorBody)({ error: { code: 4711, message: "New" } }));
    assert.isFalse(Schema.is(ErrorBody)({ error: "invalid_request" }));
  });
});
