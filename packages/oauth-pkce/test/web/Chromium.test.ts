/** The web sign-in and the desktop's pages in a real browser. */
import { describeWithService } from "@game-data/test-support";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, assert, beforeAll, beforeEach, it } from "vitest";
import { toNode } from "../../src/node/index.ts";
import type { SignIn } from "../../src/web/index.ts";
import { useChromium } from "../chromium.ts";
import { makeApp, startOAuthServer } from "./app.ts";

describeWithService("chromium", "the web sign-in in Chromium", (executablePath) => {
  const { chrome, serve, servers } = useChromium(executablePath);
  let context: BrowserContext;
  let page: Page;
  let origin = "";

  beforeAll(async () => {
    const oauth = await startOAuthServer();
    // The consent page: two links, as a person would see.
    const consent = await serve((request, response) => {
      const url = new URL(request.url ?? "/", "http://x");
      const back = new URL(url.searchParams.get("redirect_uri") ?? "http://x");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      const allow = new URL(back);
      allow.searchParams.set("code", crypto.randomUUID());
      const deny = new URL(back);
      deny.searchParams.set("error", "access_denied");
      response.setHeader("content-type", "text/html");
      response.end(
        `<title>consent</title><a id=allow href="${allow}">y</a><a id=deny href="${deny}">n</a>`,
      );
    });
    let signIn: SignIn | undefined;
    origin = await serve((request, response) => {
      if (signIn === undefined) return;
      const { handle, isOurs } = signIn;
      // The consent page has another port than the token endpoint.
      const routed = {
        isOurs,
        origin,
        handle: async (each: Request) => {
          const answer = await handle(each);
          const location = answer?.headers.get("location");
          if (location?.startsWith(oauth.url))
            answer!.headers.set("location", location.replace(oauth.url, consent));
          return answer;
        },
      };
      void toNode(routed)(request, response, async () => {
        const state = await signIn!.user(request);
        response.setHeader("content-type", "text/html");
        response.end(
          `<title>${state._tag === "SignedIn" ? state.user.username : "nobody"}</title><form method=post action=/auth/logout><button id=out>out</button></form>`,
        );
      });
    });
    servers.push(oauth);
    signIn = await makeApp(oauth, {}, origin);
    ({ context, page } = chrome);
  });
  // One page for all tests: whoever is signed in is so by a cookie.
  beforeEach(async () => {
    await page.goto("about:blank");
    await context.clearCookies();
  });
  afterEach(async () => {
    for (const other of context.pages()) if (other !== page) await other.close();
  });

  const begin = (to = "/", where = page) => where.goto(`${origin}/auth/login?returnTo=${to}`);

  it("signs in and out", async () => {
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

  it("signs two tabs in, one after the other", async () => {
    const other = await context.newPage();
    await begin("/one");
    await begin("/two", other);
    await other.click("#allow");
    assert.strictEqual(other.url(), `${origin}/two`);
    await page.click("#allow");
    assert.strictEqual(page.url(), `${origin}/one`);
    assert.deepStrictEqual([await page.title(), await other.title()], ["Account", "Account"]);
  });

  it("leads Back to the consent page, not to the code; a reload stays signed in", async () => {
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
