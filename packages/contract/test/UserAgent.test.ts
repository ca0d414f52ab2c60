import { assert, describe, it } from "@effect/vitest";
import { formatUserAgent, isHeaderText, type UserAgent } from "@game-data/contract/UserAgent";

const agent: UserAgent = { clientId: "tool", version: "1.0.0", contact: "me@example.com" };

describe("formatUserAgent", () => {
  it("begins with OAuth, the client, its version and the contact", () => {
    assert.deepStrictEqual(formatUserAgent(agent), {
      ok: true,
      value: "OAuth tool/1.0.0 (contact: me@example.com)",
    });
  });

  it("appends the comment, which may hold parentheses", () => {
    assert.deepStrictEqual(formatUserAgent({ ...agent, comment: "Bot (beta)" }), {
      ok: true,
      value: "OAuth tool/1.0.0 (contact: me@example.com) Bot (beta)",
    });
    assert.deepStrictEqual(formatUserAgent({ ...agent, comment: "" }), formatUserAgent(agent));
  });

  it.each(["clientId", "version", "contact"] as const)("names %s if it does not fit", (option) => {
    for (const text of ["", "a(b", "a)b", "a\nb", "caf\u00e9", undefined]) {
      const result = formatUserAgent({ ...agent, [option]: text });
      assert.deepStrictEqual(result, {
        ok: false,
        option,
        reason: `${option} must be printable ASCII without parentheses.`,
      });
    }
  });

  it("names a comment that would end the header", () => {
    const result = formatUserAgent({ ...agent, comment: "a\r\nAuthorization: x" });
    assert.deepStrictEqual(result, {
      ok: false,
      option: "comment",
      reason: "comment must be printable ASCII.",
    });
  });
});

describe("isHeaderText", () => {
  it("is what the three required members have in common", () => {
    assert.isTrue(isHeaderText("my tool 1.0"));
    assert.isFalse(isHeaderText("my (tool)"));
    assert.isFalse(isHeaderText(""));
  });
});
