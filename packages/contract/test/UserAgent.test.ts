import { assert, it } from "@effect/vitest";
import { formatUserAgent, isHeaderText, type UserAgent } from "@game-data/contract/UserAgent";

const agent: UserAgent = { clientId: "tool", version: "1.0.0", contact: "me@example.com" };

const refused = (option: string, rule: string) => {
  const reason = `${option} must be printable ASCII${rule}.`;
  return { ok: false, option, reason };
};

it("formatUserAgent writes OAuth, the client, its version and the contact, and then the comment", () => {
  const value = "OAuth tool/1.0.0 (contact: me@example.com)";
  assert.deepStrictEqual(formatUserAgent(agent), { ok: true, value });
  assert.deepStrictEqual(formatUserAgent({ ...agent, comment: "" }), { ok: true, value });
  const comment = "Bot (beta)";
  const commented = { ok: true, value: `${value} Bot (beta)` } as const;
  assert.deepStrictEqual(formatUserAgent({ ...agent, comment }), commented);
});

it.each(["clientId", "version", "contact"] as const)(
  "formatUserAgent refuses a %s that is empty or not allowed in the header",
  (option) => {
    for (const text of ["", "a(b", "a)b", "a\nb", "caf\u00e9", undefined])
      assert.deepStrictEqual<unknown>(
        formatUserAgent({ ...agent, [option]: text }),
        refused(option, " without parentheses"),
      );
  },
);

it("formatUserAgent refuses a comment with a line break, which would end the header", () => {
  const result = formatUserAgent({ ...agent, comment: "a\r\nAuthorization: x" });
  assert.deepStrictEqual<unknown>(result, refused("comment", ""));
});

it("isHeaderText accepts printable ASCII without parentheses", () =>
  assert.deepStrictEqual(["my tool 1.0", "my (tool)", ""].map(isHeaderText), [true, false, false]));
