/** What is said of input that is no JSON: where it fails, and nothing of it. */
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { parseJson } from "../src/Input.ts";

describe("text that is no JSON", () => {
  const secret = "s3cr3t".repeat(20);
  it.each([
    [secret, "Unexpected token 's'"],
    [`{"clientSecret": "${secret}" ${secret}`, "Expected ',' or '}' after property value"],
    [`{"a": 1, "token": x"${secret}"}`, "Unexpected token 'x'"],
    [`{"token": "${secret}", "a": x}`, "Unexpected token 'x'"],
    ["{s3cr3t}", "Expected property name or '}'"],
    ["s3cr3t", "Unexpected token 's'"],
    ["undefined", "it has no value"],
  ])("is refused without a quotation: %s", async (text, said) => {
    const failed = await Effect.runPromise(Effect.flip(parseJson(text, "the file")));
    expect(failed.message).toContain(`the file is not JSON: ${said}`);
    expect(failed.message).not.toContain("s3cr3t");
  });
});
