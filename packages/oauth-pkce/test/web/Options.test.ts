/** Options that cannot work are refused at the start, by name; what arrives is never too much. */
import { assert, describe, it } from "vitest";
import { memoryStore } from "../../src/promise/index.ts";
import type { SignInOptions } from "../../src/web/index.ts";
import { Browser, cookieOf, ORIGIN, OUT, useApp, withApp } from "./app.ts";

const { open } = useApp();

describe("createSignIn", () => {
  const refused: ReadonlyArray<readonly [string, object, string?]> = [
    ["client", { client: undefined }, "needs a redirectUri"],
    ["client", { client: { redirectUri: "/callback" } }, "needs a redirectUri"],
    ["absolute", { absolute: 0 }, "must be a positive time"],
    ["refreshBeforeExpiry", { session: { refreshBeforeExpiry: 0 } }, "must be a positive time"],
    ["idle", { idle: "fortnight" }],
    ["idle", { idle: 0 }],
    ["storeTimeout", { storeTimeout: Number.NaN }],
    ["answerWithin", { answerWithin: -1 }],
    ["scopes", { scopes: [] }],
    ["scopes", { scopes: "account:profile" }],
    ["scopes", { scopes: undefined }],
    ["scopes", { scopes: ["service:leagues"] }],
    ["base", { base: "auth" }, "must be a path like /auth"],
    ["base", { base: "/auth/" }],
    ["base", { base: "x/auth" }],
    ["base", { base: "/auth", client: { redirectUri: `${ORIGIN}/auth/login` } }],
  ];
  it.each(refused)("createSignIn refuses %s of %o", async (option, changes, reason) => {
    const error = await open(changes as Partial<SignInOptions>).catch(
      (failure: unknown) => failure,
    );
    assert.deepInclude(error, { _tag: "ConfigurationInvalid", option, ...(reason && { reason }) });
  });
});

describe("handle and isOurs", () => {
  it("`handle` responds with 500 if the store breaks its contract, and logs no text of it", async () => {
    const lines: Array<string> = [];
    const read = async () => null as never;
    const { app } = await open({
      store: { ...memoryStore(), read },
      log: (line) => void lines.push(line),
    });
    const browser = new Browser(withApp(app));
    assert.strictEqual((await browser.visit(await browser.consent())).status, 500);
    assert.deepStrictEqual(lines, ["Sign-in: defect"]);
  });

  it("`handle` and `isOurs` never throw, whatever their argument is", async () => {
    const { app } = await open();
    const throwing = {
      get url(): string {
        throw new Error("gone");
      },
    };
    const statuses: Array<number | undefined> = [];
    for (const request of [
      undefined,
      null,
      3,
      {},
      { url: 3 },
      throwing,
      { url: `${ORIGIN}/auth/login` },
    ])
      statuses.push((await app.handle(request as never))?.status);
    assert.deepStrictEqual(statuses, [500, 500, undefined, undefined, undefined, 500, 500]);
    for (const target of [undefined, null, 3, {}]) assert.isFalse(app.isOurs(target as never));
  });

  it.each([
    ["/auth/login", true],
    ["/auth/login?a=/b?c", true],
    ["/callback#a\nb", true],
    [`${ORIGIN}/auth/logout?a#b`, true],
    ["/auth", false],
    ["//other.example/auth/login", false],
    ["auth/login", false],
    ["https://[/auth/login", false],
    ["", false],
  ])("`isOurs` of %j is %s", async (target, isOurs) => {
    assert.strictEqual((await open()).app.isOurs(target), isOurs);
  });
});

it("the cookies of flows stay below 6,500 characters, however long `returnTo` is", async () => {
  const { browser } = await open();
  const long = await browser.consent(`/auth/login?returnTo=/${"a".repeat(100_000)}`);
  assert.isBelow([...browser.cookies.values()].join("").length, 4_000);
  assert.strictEqual((await browser.visit(long)).headers.get("location"), "/");
  for (let tab = 0; tab < 9; tab++)
    await browser.consent(`/auth/login?returnTo=/${"a".repeat(1_000)}${tab}`);
  assert.isBelow(cookieOf(browser).length, 6_500);
  for (const [length, path] of [
    [1_023, `/${"a".repeat(1_023)}`],
    [1_024, "/"],
  ] as const) {
    const last = await browser.signIn(`/auth/login?returnTo=/${"a".repeat(length)}`);
    assert.strictEqual(last.headers.get("location"), path);
  }
});

it.each([
  [undefined, "/"],
  ["/bye?a=b", "/bye?a=b"],
  ["//evil.example", "/"],
])("logout with `afterSignOut` %j redirects to %s, also without a user", async (path, target) => {
  const { browser } = await open(path === undefined ? {} : { afterSignOut: path });
  for (const isSignedIn of [true, false]) {
    if (isSignedIn) await browser.signIn();
    const { headers, status } = await browser.visit("/auth/logout", OUT);
    assert.deepStrictEqual([status, headers.get("location")], [303, target]);
    assert.include(headers.getSetCookie().join(), "_s=; Path=/");
  }
});
