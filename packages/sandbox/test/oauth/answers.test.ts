/**
 * Results of a second answer to a request, an old session, another registration and a thousand
 * guesses.
 */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OAuthFailure } from "../../src/oauth/OAuthErrors.ts";
import { makeThrottle } from "../../src/oauth/Throttle.ts";
import { formsOf, openBrowser } from "./browser.ts";
import { openSandbox, pkce, type TestSandbox } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

describe("a request that was answered", () => {
  it("is not answered otherwise: who has allowed cannot deny with the same form", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    expect((await browser.decide(form, "allow")).status).toBe(303);
    const second = await browser.decide(form, "deny");
    expect([second.status, second.headers.get("location")]).toEqual([400, null]);
  });

  it("gives its code to nobody else who is signed in by now", async () => {
    const browser = openBrowser(sandbox);
    const url = sandbox.authorizeUrl();
    const { form } = await browser.openConsent(url, "Emberlyn#4071");
    expect((await browser.decide(form, "allow")).status).toBe(303);
    const other = openBrowser(sandbox);
    const page = await (await other.get(sandbox.authorizeUrl())).text();
    const signedIn = formsOf(await (await other.signIn(page, "Quillon#1182")).text());
    // Another person's page, made to speak of the answered request with the proof that belongs to
    // it.
    const secret = (other.cookie() ?? "").split("=")[1] ?? "";
    const request = form.fields["request"] ?? "";
    const csrf = createHash("sha256").update(`${secret}\nconsent:${request}`).digest("hex");
    expect(signedIn.length).toBeGreaterThan(0);
    const stolen = await other.post("/oauth/consent", { request, csrf, decision: "allow" });
    expect([stolen.status, stolen.headers.get("location")]).toEqual([400, null]);
  });
});

it("a session ends after twelve hours", async () => {
  const browser = openBrowser(sandbox);
  await browser.openConsent(sandbox.authorizeUrl());
  await sandbox.advance("11 hours");
  expect(await (await browser.get("/my/applications")).text()).toContain("Applications of");
  await sandbox.advance("1 hours");
  expect(await (await browser.get("/my/applications")).text()).toContain("Sign in");
});

describe("a registration", () => {
  const register = (redirectUri: string) =>
    sandbox.control("/clients", {
      clientId: "mine",
      kind: "public",
      redirectUris: [redirectUri],
    });
  const status = async (redirectUri: string) => {
    const parameters = { client_id: "mine", redirect_uri: redirectUri };
    const url = sandbox.authorizeUrl({ ...parameters, code_challenge: pkce().challenge });
    return (await openBrowser(sandbox).get(url)).status;
  };

  it("holds from the next request on, and no longer than until the next one or a reset", async () => {
    const [first, second] = ["http://127.0.0.1:1/first", "http://127.0.0.1:1/second"];
    expect(await status(first)).toBe(400);
    await register(first);
    expect([await status(first), await status(second)]).toEqual([200, 400]);
    await register(second);
    expect([await status(first), await status(second)]).toEqual([400, 200]);
    await sandbox.control("/reset", undefined);
    expect(await status(second)).toBe(400);
  });
});

it("the brake on guessing remembers a thousand names, and forgets the oldest first", () => {
  let now = 0;
  const throttle = makeThrottle(1, () => now);
  const waits = (name: string) => {
    try {
      throttle.check(name);
      return undefined;
    } catch (cause) {
      return (cause as OAuthFailure).headers["retry-after"];
    }
  };
  for (let index = 0; index < 1_001; index += 1) throttle.failed(`name ${index}`);
  expect([waits("name 0"), waits("name 1")]).toEqual([undefined, "60"]);
  now = 59_999;
  expect(waits("name 1000")).toBe("1");
  now = 60_000;
  expect(waits("name 1000")).toBeUndefined();
});
