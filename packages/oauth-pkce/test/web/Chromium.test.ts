/** The web sign-in in a real browser. */
import { CHROMIUM_ARGS, describeWithService } from "@game-data/test-support";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, assert, beforeAll, beforeEach, it } from "vitest";
import { toNode } from "../../src/node/index.ts";
import type { SignIn } from "../../src/web/index.ts";
import { listen } from "../FakeServer.ts";
import { makeApp, makeOAuthServer, nameOf } from "./app.ts";

/** The consent page, with the two links that a person would follow. */
const consentPage = (url: string): string => {
  const request = new URL(url).searchParams;
  const linkTo = (id: string, answer: Record<string, string>) => {
    const query = new URLSearchParams({ ...answer, state: request.get("state")! });
    return `<a id=${id} href="${request.get("redirect_uri")}?${query}">${id}</a>`;
  };
  const allow = linkTo("allow", { code: crypto.randomUUID() });
  return `<title>consent</title>${allow} ${linkTo("deny", { error: "access_denied" })}`;
};

describeWithService("chromium", "the web sign-in in Chromium", (executablePath) => {
  const closing: Array<() => unknown> = [];
  let context: BrowserContext;
  let page: Page;
  let origin = "";

  beforeAll(async () => {
    let signIn: SignIn | undefined;
    const served = await listen((request, response) => {
      void toNode(signIn!)(request, response, async () => {
        response.writeHead(200, { "content-type": "text/html" });
        if (request.url!.startsWith("/oauth/authorize?"))
          return void response.end(consentPage(origin + request.url));
        const out = "<form method=post action=/auth/logout><button id=out>out</button></form>";
        response.end(`<title>${await nameOf(signIn!, request)}</title>${out}`);
      });
    });
    origin = served.url;
    signIn = await makeApp({ ...makeOAuthServer(), url: origin }, {}, origin);
    const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
    context = await browser.newContext();
    page = await context.newPage();
    closing.push(() => browser.close(), served.close);
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  // One page for all tests: whoever is signed in is so by a cookie.
  beforeEach(() => context.clearCookies());

  const begin = (to = "/", where = page) => where.goto(`${origin}/auth/login?returnTo=${to}`);

  it("Chromium signs in at the requested path and signs out", async () => {
    await begin("/guild");
    await page.click("#allow");
    assert.strictEqual(page.url(), `${origin}/guild`);
    assert.strictEqual(await page.title(), "Account");
    await page.click("#out");
    assert.strictEqual(page.url(), `${origin}/`);
    assert.strictEqual(await page.title(), "nobody");
    assert.deepStrictEqual(
      (await context.cookies()).filter(({ name }) => name.endsWith("_s")),
      [],
    );
  });

  it("the callback page shows that the user denied consent, and has a link to try again", async () => {
    await begin();
    await page.click("#deny");
    assert.include(await page.textContent("body"), "You did not allow access.");
    await page.click("a");
    await page.click("#allow");
    assert.strictEqual(await page.title(), "Account");
  });

  it("Chromium signs in from two tabs, and each returns to its own path", async () => {
    const other = await context.newPage();
    await begin("/one");
    await begin("/two", other);
    await other.click("#allow");
    assert.strictEqual(other.url(), `${origin}/two`);
    await page.click("#allow");
    assert.strictEqual(page.url(), `${origin}/one`);
    assert.deepStrictEqual([await page.title(), await other.title()], ["Account", "Account"]);
  });

  it("in Chromium, Back leads to the consent page, not to the code, and a reload stays signed in", async () => {
    await page.goto(origin);
    await begin("/guild");
    await page.click("#allow");
    await page.goBack();
    assert.strictEqual(await page.title(), "consent");
    await page.goForward();
    assert.strictEqual(await page.title(), "Account");
    await page.reload();
    assert.strictEqual(await page.title(), "Account");
    assert.notInclude(page.url(), "code=");
  });
});
