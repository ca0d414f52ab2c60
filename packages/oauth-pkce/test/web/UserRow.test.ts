/** The small functions below a sign-in, case by case: rows of users, cookies, pages. */
import { Duration } from "effect";
import { assert, describe, test } from "vitest";
import { NotSignedIn, ServerUnavailable, type OAuthError } from "../../src/index.ts";
import { makeCookies } from "../../src/web/cookies.ts";
import { errorPage, statusOf } from "../../src/web/responses.ts";
import { toOAuthError } from "../../src/web/SignInSetting.ts";
import {
  decodeRow,
  endReason,
  rowLifetime,
  withSession,
  type SessionRow,
  type UserRow,
} from "../../src/web/UserRow.ts";

const DAY = 86_400_000;
const session = (changes: Partial<SessionRow> = {}): SessionRow => ({
  ...{ id: "i", startedAt: 0, seenAt: 0, scopes: [], grant: "g" },
  ...changes,
});
const row = (...sessions: ReadonlyArray<SessionRow>): UserRow => ({ v: 1, sessions });

describe("the row of a user", () => {
  const full = { ...row(session({ endsAt: 1, hasConsentEnded: true })), sub: "s", username: "u" };
  test.each([row(), row(session()), full])("is read: %j", (value) => {
    assert.deepStrictEqual(decodeRow(JSON.stringify(value)), value);
  });
  test.each<object>([
    { v: 2 },
    { sub: 1 },
    { username: null },
    { sessions: undefined },
    { sessions: {} },
    ...[
      { id: 1 },
      { startedAt: "0" },
      { seenAt: null },
      { endsAt: "1" },
      { scopes: "a" },
      { scopes: [1] },
      { grant: undefined },
      { hasConsentEnded: 1 },
    ].map((changes) => ({ sessions: [session(), { ...session(), ...changes }] })),
  ])("is none with %j", (changes) => {
    assert.isUndefined(decodeRow(JSON.stringify({ ...row(), ...changes })));
  });

  test.each<readonly [Partial<SessionRow>, string | undefined]>([
    [{}, "idle"],
    [{ seenAt: 1 }, undefined],
    [{ seenAt: 1, endsAt: 101 }, undefined],
    [{ seenAt: 1, endsAt: 100 }, "absolute"],
    [{ endsAt: 100 }, "absolute"],
    [{ endsAt: 100, hasConsentEnded: true }, "consent"],
  ])("says of a session with %j after 100 ms: %s", (changes, reason) => {
    assert.strictEqual(endReason(session(changes), 100, 100), reason);
  });

  test.each<readonly [ReadonlyArray<Partial<SessionRow>>, number, number | undefined]>([
    [[], 100, DAY],
    [[{ seenAt: 950 }], 100, DAY + 50],
    [[{ seenAt: 950 }, { seenAt: 980 }], 100, DAY + 80],
    [[{ seenAt: 950, endsAt: 1_010.5 }], 100, DAY + 11],
    [[{ seenAt: 950, endsAt: 2_000 }], Infinity, DAY + 1_000],
    [[{ seenAt: 950, endsAt: 2_000 }, {}], Infinity, undefined],
    [[{ endsAt: 1 }], 100, DAY],
  ])("with %j, idle after %s ms, is kept for %s ms", (sessions, idle, millis) => {
    assert.strictEqual(rowLifetime(row(...sessions.map(session)), 1_000, idle), millis);
  });

  const ids = ({ sessions }: UserRow) => sessions.map(({ id }) => id).join("");
  const added = session({ id: "new", startedAt: DAY + 10, seenAt: DAY + 10 });
  const none = { account: {}, replaced: undefined };
  test("takes a session in, once, and drops what is replaced and what ended a day ago", () => {
    const before = row(
      session({ id: "a", endsAt: 10 }),
      session({ id: "b", endsAt: 11, seenAt: 1 }),
      session({ id: "c", seenAt: 2 }),
      session({ id: "d", seenAt: 3 }),
    );
    const account = { sub: "s", username: "u" };
    const after = withSession(before, added, { account, replaced: "d" });
    assert.strictEqual(ids(after), "newcb");
    assert.deepInclude(after, { v: 1, ...account });
    assert.strictEqual(withSession(after, added, none), after);
  });
  test("holds 32 sessions: the longest unused one goes", () => {
    const held = Array.from({ length: 32 }, (_, at) => session({ id: `${at}`, seenAt: at }));
    const { sessions } = withSession(row(...held), added, none);
    assert.strictEqual(sessions.length, 32);
    assert.notInclude(
      sessions.map(({ id }) => id),
      "0",
    );
  });
  test("knows sessions as good whose shared tokens are replaced by new ones", () => {
    const before = row(
      session({ id: "a", hasConsentEnded: true, seenAt: 1 }),
      session({ id: "b", hasConsentEnded: true, grant: "other" }),
    );
    const { sessions } = withSession(before, added, none);
    assert.deepStrictEqual(sessions, [
      added,
      session({ id: "a", seenAt: 1 }),
      session({ id: "b", hasConsentEnded: true, grant: "other" }),
    ]);
  });
});

describe("cookies", () => {
  const cookies = makeCookies("tag");
  const ROW = "r".repeat(43);
  const SECRET = "s".repeat(43);
  const name = "__Host-gd_tag_s";
  test.each([
    [`${name}=${ROW}.${SECRET}`, true],
    [`a=b;  ${name} = ${ROW}.${SECRET} ; c`, true],
    [`${name}=${ROW}.${SECRET}; ${name}=`, true],
    [`${name}x; ${name}=${ROW}.${SECRET}`, true],
    [`${name}=; ${name}=${ROW}.${SECRET}`, false],
    [`${name}=${ROW}.${SECRET}x`, false],
    [`${name}=x${ROW}.${SECRET}`, false],
    [`${name}=${ROW}.${SECRET.slice(1)}`, false],
    [`__Host-gd_other_s=${ROW}.${SECRET}`, false],
    [`=${name}; ;`, false],
  ])("%s hold a session: %s", (header, isHeld) => {
    const found = isHeld ? { row: ROW, secret: SECRET } : undefined;
    assert.deepStrictEqual(cookies.readSession(header), found);
  });

  const flow = (id: string, startedAt: number) => `__Host-gd_tag_f_${id}_${startedAt.toString(36)}`;
  test("hold a flow by the whole of its id", () => {
    const header = `${flow("ab", 1)}=one; ${flow("a", 2)}=two`;
    assert.strictEqual(cookies.readFlow(header, "a"), "two");
    assert.isUndefined(cookies.readFlow(header, "b"));
    assert.match(cookies.noFlow(header, "a").join(), /^__Host-gd_tag_f_a_2=; .*; Max-Age=0$/);
  });
  test.each([
    [[5, 4, 3, 2, 1], 1, [1]],
    [[1, 2, 35, 36, 3], 1, [1]],
    [[3, 1, 2], 2_500, [1]],
    [[1], 5_181, []],
    [[1], 5_182, [1]],
    [[1], 1, []],
  ])("of flows begun at %j, of %s characters, go %j", (held, size, gone) => {
    const header = held.map((at) => `${flow("x", at)}=${"y".repeat(size)}`).join("; ");
    const sealed = "z".repeat(800);
    const [set, ...removed] = cookies.flow(header, { id: "new", sealed, startedAt: 40 });
    assert.match(set!, /^__Host-gd_tag_f_new_14=z+; Path=\/; .*; Max-Age=600$/);
    assert.deepStrictEqual(
      removed.map((line) => line.split("=")[0]),
      gone.map((at) => flow("x", at)),
    );
  });
});

describe("the page of a failure", () => {
  const PAGES: ReadonlyArray<readonly [number, string, ReadonlyArray<OAuthError["_tag"]>]> = [
    [403, "You did not allow access.", ["AccessDenied"]],
    [
      400,
      "This sign-in has expired or was used already.",
      [
        ...(["StateMismatch", "CallbackMalformed", "CodeExpired", "InvalidGrant"] as const),
        ...(["ConsentExpired", "NotSignedIn", "IssuerMismatch"] as const),
      ],
    ],
    [
      503,
      "Signing in does not work at the moment.",
      ["ServerUnavailable", "OAuthTransportError", "TokenStoreFailed"],
    ],
    [
      500,
      "Signing in does not work. The site's owner was told.",
      [
        ...(["AuthorizationFailed", "InvalidClient", "InvalidScope"] as const),
        ...(["InsufficientScope", "RequestRejected", "UnexpectedRedirect"] as const),
        ...(["OAuthResponseMalformed", "ConfigurationInvalid", "LoopbackListenFailed"] as const),
      ],
    ],
  ];
  test.each(PAGES)("is %i, %s, for %j", async (status, sentence, tags) => {
    for (const tag of tags) {
      const error = { _tag: tag } as OAuthError;
      assert.strictEqual(statusOf(error), status);
      const page = errorPage(error, "/auth", ["a=b"]);
      assert.strictEqual(page.status, status);
      assert.include(
        await page.text(),
        `<p>${sentence}</p><p><a href="/auth/login">Sign in again</a></p></html>`,
      );
      assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8");
      assert.strictEqual(page.headers.get("retry-after"), status === 503 ? "5" : null);
      assert.isNull(page.headers.get("refresh"));
      assert.deepStrictEqual(page.headers.getSetCookie(), ["a=b"]);
    }
  });
  test("tells no error of somebody else, whatever it looks like", () => {
    const own = new NotSignedIn();
    assert.strictEqual(toOAuthError(own), own);
    const members = { _tag: "NotSignedIn", isRetryable: false };
    for (const other of [
      members,
      new Error("x"),
      Object.assign(new Error("x"), { _tag: "NotSignedIn" }),
      Object.assign(new Error("x"), { isRetryable: true }),
      null,
    ])
      assert.deepInclude(toOAuthError(other), { _tag: "TokenStoreFailed", operation: "read" });
  });
  test("comes again by itself after the time that the server asked for", () => {
    const error = new ServerUnavailable({ status: 503, retryAfter: Duration.millis(1_200) });
    const { headers } = errorPage(error, "/auth", [], true);
    assert.deepStrictEqual([headers.get("retry-after"), headers.get("refresh")], ["2", "2"]);
  });
});
