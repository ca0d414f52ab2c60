/** The small functions below a session, case by case: times, kinds of failures, stored text. */
import { assert, describe, test } from "@effect/vitest";
import { Redacted } from "effect";
import { TokenSet, type SessionError } from "../src/index.ts";
import { answerKind, isTokenRejected } from "../src/internal/grantErrors.ts";
import { decode, fromStored, ttlOf, type GrantRecord } from "../src/internal/GrantRecord.ts";
import { actionFor, grantState } from "../src/internal/grantStates.ts";
import { parseObject } from "../src/internal/json.ts";
import { sanitize } from "../src/internal/sanitize.ts";
import { errorCode } from "../src/internal/storeFailure.ts";
import { checkedTimes, renewalTimes } from "../src/internal/renewalTimes.ts";
import { deserialize } from "../src/PendingAuthorization.ts";

const DAY = 86_400_000;
const set = (changes: Partial<TokenSet.TokenSet> = {}): TokenSet.TokenSet => ({
  accessToken: Redacted.make("AT"),
  expiresAt: 100_000,
  issuedAt: 0,
  scopes: [],
  ...changes,
});
const DEAD = { at: 1, status: 400, lostAnswer: false, hasConsentEnded: false };

test.each<readonly [GrantRecord, number | undefined]>([
  [{ v: 2, dead: DEAD }, 30 * DAY],
  [{ v: 2 }, undefined],
  [{ v: 2, tokens: set() }, undefined],
  [{ v: 2, tokens: set({ consentExpiresAt: 3_000 }) }, 30 * DAY + 2_000],
  [{ v: 2, tokens: set({ consentExpiresAt: 3_000, clockSkew: 500.5 }) }, 30 * DAY + 1_500],
  [{ v: 2, tokens: set({ consentExpiresAt: 500 }) }, 30 * DAY],
])("a store may forget %j after %s ms", (record, millis) => {
  assert.strictEqual(ttlOf(record, 1_000), millis);
});

test.each([
  [{ _tag: "Unauthorized" }, true],
  [{ _tag: "HttpClientError", response: { status: 401 } }, true],
  [{ _tag: "HttpClientError", response: { status: 403 } }, false],
  [{ _tag: "HttpClientError" }, false],
  [{ _tag: "Other", response: { status: 401 } }, false],
  [null, false],
  ["Unauthorized", false],
])("%j says that the token was refused: %s", (error, isRejected) => {
  assert.strictEqual(isTokenRejected(error), isRejected);
});

test.each([
  [{ _tag: "InvalidGrant" }, "invalidGrant"],
  [{ _tag: "ConsentExpired" }, "invalidGrant"],
  [{ _tag: "ServerUnavailable", status: 429 }, "untouched"],
  [{ _tag: "ServerUnavailable", status: 503, retryAfter: 1 }, "untouched"],
  [{ _tag: "ServerUnavailable", status: 503 }, "unanswered"],
  [{ _tag: "ServerUnavailable", status: 500, retryAfter: 1 }, "unanswered"],
  [{ _tag: "OAuthTransportError", sent: true }, "unanswered"],
  [{ _tag: "OAuthTransportError", sent: false }, "untouched"],
  [{ _tag: "UnexpectedRedirect" }, "unanswered"],
  [{ _tag: "OAuthResponseMalformed" }, "unanswered"],
  [{ _tag: "InvalidClient" }, "untouched"],
])("%j leaves a grant %s", (error, kind) => {
  assert.strictEqual(answerKind(error as SessionError), kind);
});

test("an impossible state is a fault of ours, and no action", () => {
  assert.throws(() => actionFor("fresh", "over", "resend"), "fresh, over");
});

describe("the times of a token", () => {
  test.each([
    [1000, 600],
    [400, 0],
    [0, 0],
    ["never", Infinity],
    ["unknown", Infinity],
  ] as const)("that ends at %s leave it good for %s ms [CL-13]", (expiresAt, left) => {
    assert.strictEqual(TokenSet.remainingMillis(set({ expiresAt }), 400), left);
    assert.strictEqual(TokenSet.isFresh(set({ expiresAt }), 400), left > 0);
  });

  const usual = checkedTimes({});
  test.each([
    [set(), "", usual, 9_000, 4_500],
    [set(), "a", usual, 9_820, 4_910],
    [set(), "abcdefgh", usual, 10_800, 5_400],
    // The ninth character and what follows do not count.
    [set(), "abcdefghi", usual, 10_800, 5_400],
    [set({ expiresAt: 100 * DAY }), "", usual, 3 * DAY * 0.9, 60_000],
    [set(), "", { ...usual, refreshBeforeExpiry: 90_000 }, 50_000, 25_000],
    [set(), "", { ...usual, refreshBeforeExpiry: 20_000, waitBeforeExpiry: 5 }, 20_000, 5],
    [set({ expiresAt: "never" }), "", usual, 0, 0],
    [undefined, "", usual, 0, 0],
  ])(
    "%j, version %j, %j: from %d and %d ms before its end",
    (...[tokens, version, times, ...of]) => {
      const { renewFrom, waitFrom } = renewalTimes(tokens, version, times);
      assert.closeTo(renewFrom, of[0], 0.001);
      assert.closeTo(waitFrom, of[1], 0.001);
    },
  );

  test.each(["refreshBeforeExpiry", "waitBeforeExpiry", "sendWithin"])(
    "are refused by name: %s",
    (option) => {
      assert.throws(() => checkedTimes({ [option]: -1 }), `${option} must be a positive time`);
    },
  );

  const intent = { id: "i", at: 1_000, patience: 25_000, attempt: 1 };
  test.each<readonly [GrantRecord | undefined, number, boolean, string]>([
    [undefined, 0, true, "absent"],
    [{ v: 2, tokens: set(), dead: DEAD }, 0, true, "dead"],
    [{ v: 2 }, 0, true, "dead"],
    [{ v: 2, tokens: set() }, 69_999, true, "fresh"],
    [{ v: 2, tokens: set() }, 70_000, true, "soon"],
    [{ v: 2, tokens: set() }, 90_000, true, "due"],
    [{ v: 2, tokens: set() }, 99_999, false, "fresh"],
    [{ v: 2, tokens: set() }, 100_000, false, "due"],
    [{ v: 2, tokens: set({ expiresAt: "never" }) }, 1e15, true, "fresh"],
    [{ v: 2, tokens: set({ expiresAt: "unknown" }) }, 1e15, true, "fresh"],
    [{ v: 2, tokens: set(), intent }, 25_999, true, "inFlight"],
    [{ v: 2, tokens: set(), intent }, 26_000, true, "lost"],
    // The store's clock was set back.
    [{ v: 2, tokens: set(), intent }, 999, true, "lost"],
    [{ v: 2, tokens: set(), intent: { ...intent, isClosed: true } }, 1_001, true, "lost"],
  ])("%j at %d ms, renewable: %s, is %s", (record, now, isRenewable, expected) => {
    const times = { renewFrom: 30_000, waitFrom: 10_000 };
    const state = grantState(record, { now, storeNow: now, isRefused: false, isRenewable, times });
    assert.strictEqual(state, expected);
  });
});

describe("stored text", () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    [' \n{"a":1}', { a: 1 }],
    ['[{"a":1}]', undefined],
    ["null", undefined],
    ["{", undefined],
    ['"{"', undefined],
  ])("%j is read as %j", (text, expected) => {
    assert.deepEqual(parseObject(text), expected && { ...expected });
  });

  const stored = { accessToken: "AT", expiresAt: 1, issuedAt: 0, scopes: [] };
  test.each([1, "never", "unknown"])("holds tokens that end at %j", (expiresAt) => {
    assert.propertyVal(fromStored({ ...stored, expiresAt }), "expiresAt", expiresAt);
  });
  test.each([
    { expiresAt: "soon" },
    { expiresAt: null },
    { issuedAt: "0" },
    { scopes: "a" },
    { refreshToken: 1 },
    { clockSkew: "1" },
    { consentExpiresAt: true },
    { username: 1 },
    { sub: {} },
  ])("holds no tokens with %j", (changes) => {
    assert.isUndefined(fromStored({ ...stored, ...changes }));
  });

  const flow = {
    ...{ id: "i", state: "s", verifier: "v", authUrl: "https://a.example", clientId: "c" },
    ...{ redirectUri: "https://b.example/cb", scopes: ["account:profile"], createdAt: 1 },
  };
  test("holds an open flow, and none of which a member is missing", () => {
    assert.deepInclude(deserialize(JSON.stringify(flow)), { id: "i", createdAt: 1 });
    for (const name of Object.keys(flow))
      assert.isUndefined(deserialize(JSON.stringify({ ...flow, [name]: undefined })), name);
  });

  const intent = { id: "i", at: 1, patience: 2, attempt: 1 };
  test.each([
    { notBefore: 1 },
    { intent },
    { intent: { ...intent, isClosed: true } },
    { dead: { ...DEAD, intent: "i" } },
  ])("holds a record with %j", (rest) => {
    assert.deepStrictEqual(decode(JSON.stringify({ v: 2, ...rest })), { v: 2, ...rest });
  });
  test.each([
    { v: 1 },
    { notBefore: "1" },
    { tokens: { ...stored, issuedAt: "x" } },
    { intent: { ...intent, isClosed: 1 } },
    { intent: { ...intent, id: 1 } },
    { intent: { ...intent, at: "x" } },
    { intent: { ...intent, patience: null } },
    { intent: { ...intent, attempt: "x" } },
    { dead: { ...DEAD, lostAnswer: 1 } },
    { dead: { ...DEAD, hasConsentEnded: "no" } },
    { dead: { ...DEAD, at: "x" } },
    { dead: { ...DEAD, status: "x" } },
    { dead: { ...DEAD, intent: 1 } },
  ])("holds no record with %j", (rest) => {
    assert.isUndefined(decode(JSON.stringify({ v: 2, ...rest })));
  });
});

describe("text of a server", () => {
  const SECRET = "secret-0123456789";
  test.each<readonly [unknown, string | undefined]>([
    [undefined, undefined],
    [1, undefined],
    ["", undefined],
    ['\u0000é"', undefined],
    [' a\r\n<b> \\ "c" ', "a b c"],
    ["!#;=?[]~&", "!#;=?[]~&"],
    ["x".repeat(300), "x".repeat(200)],
    ["a secret-01 b", "a secret-01 b"],
  ])("%j is shown as %j", (text, expected) => {
    assert.strictEqual(sanitize(text, [SECRET]), expected);
  });
  test.each([
    "secret-012",
    "it is secret-01234...",
    "%73%65%63%72%65%74%2D%30%31%32",
    "3456789 0123456789",
    "s e c r e t - 0 1 2",
    "s&ecret-012",
    "%73ecret-012",
    "a&b=%73ecret-012",
    "\u0000secret-\u0007012",
    `${"x".repeat(1_990)}secret-012`,
  ])("%j repeats a credential", (text) => {
    assert.include(sanitize(text, [SECRET]), "withheld");
  });
  test("may repeat a credential of fewer than ten characters only as a whole", () => {
    assert.include(sanitize("it is abc!", ["abc"]), "withheld");
    assert.strictEqual(sanitize("it is ab!", ["abc"]), "it is ab!");
  });
});

describe("codes", () => {
  const nested = (depth: number): object =>
    depth === 0 ? { code: "EDEEP" } : { cause: nested(depth - 1) };
  test.each<readonly [unknown, string | undefined]>([
    [{ code: "ECONNREFUSED" }, "ECONNREFUSED"],
    [{ code: "23505" }, "23505"],
    [{ code: "x", cause: { code: "UND_ERR_SOCKET" } }, "UND_ERR_SOCKET"],
    [nested(8), "EDEEP"],
    [nested(9), undefined],
    [{ code: "E1" }, undefined],
    [{ code: "E SECRET" }, undefined],
    [{ code: "_E1" }, undefined],
    [{ code: "E".repeat(41) }, "E".repeat(41)],
    [{ code: "E".repeat(42) }, undefined],
    [null, undefined],
    ["text", undefined],
  ])("the code of %j is %s", (error, code) => {
    assert.strictEqual(errorCode(error), code);
  });
});
