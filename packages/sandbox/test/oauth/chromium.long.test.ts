/** The pages in a real Chromium: framing, content security policy, double click, back button. */
import { startSandbox, type RunningSandbox } from "@game-data/sandbox";
import { describeWithService } from "@game-data/test-support";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { launchChromium } from "../chromium.ts";
import { authorizeQuery, DESKTOP } from "./harness.ts";

describeWithService("chromium", "in Chromium", (executablePath) => {
  let sandbox: RunningSandbox;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let application: Server;
  let callbacks: Array<URL>;
  let redirectUri: string;
  let complaints: Array<string>;

  beforeAll(async () => {
    sandbox = await startSandbox();
    browser = await launchChromium(executablePath);
    context = await browser.newContext();
    application = createServer((request, response) => {
      const url = new URL(request.url ?? "/", redirectUri);
      if (url.pathname === "/callback") callbacks.push(url);
      if (url.pathname === "/frame") {
        response.setHeader("content-type", "text/html");
        response.end(`<iframe src="${url.searchParams.get("of")}"></iframe>`);
        return;
      }
      response.setHeader("content-type", "text/html");
      response.end("<title>back</title>back in the application");
    });
    await new Promise<void>((resolve) => application.listen(0, "127.0.0.1", resolve));
    redirectUri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
  });
  afterAll(async () => {
    await browser.close();
    application.closeAllConnections();
    await new Promise((resolve) => application.close(resolve));
    await sandbox.close();
  });
  // One context for all tests: whoever is signed in is so by a cookie.
  beforeEach(async () => {
    callbacks = [];
    complaints = [];
    page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await context.clearCookies();
  });
  afterEach(() => page.close());

  const authorizeUrl = (): string =>
    `${sandbox.authUrl}/oauth/authorize?${authorizeQuery({ client_id: DESKTOP.id, redirect_uri: redirectUri })}`;
  const toConsent = async (url: string) => {
    await page.goto(url);
    await page.getByRole("button", { name: "Emberlyn#4071" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
  };

  it("in Chromium, sign-in and consent lead back to the client, with style and no violation [OA-01] [OA-13]", async () => {
    await toConsent(authorizeUrl());
    const warning = page.getByRole("alert");
    expect(await warning.textContent()).toContain("unverifiable");
    const border = `getComputedStyle(document.querySelector("[role=alert]")).borderLeftWidth`;
    expect(await page.evaluate(border)).toBe("5px");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL((url) => url.pathname === "/callback");
    expect(callbacks).toHaveLength(1);
    expect(callbacks[0]?.searchParams.get("state")).toBe("a-state");
    expect(callbacks[0]?.searchParams.get("code")).toMatch(/^[\w-]{43}$/u);
    expect(complaints).toEqual([]);
  });
  it("in Chromium, the consent page does not appear in a frame of another site", async () => {
    const frame = `${new URL(redirectUri).origin}/frame?of=${encodeURIComponent(authorizeUrl())}`;
    await page.goto(frame);
    await expect.poll(() => complaints.join("\n")).toContain("frame");
    const texts = await Promise.all(page.frames().map((each) => each.content()));
    expect(texts.join("\n")).not.toContain("Emberlyn");
  });
  it("in Chromium, the consent page runs no injected script", async () => {
    await toConsent(authorizeUrl());
    await page.evaluate(`{
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken over'";
      document.body.append(script);
    }`);
    await expect.poll(() => complaints.join("\n")).toContain("Content Security Policy");
    expect(await page.title()).not.toBe("taken over");
  });
  it("in Chromium, a double click on Allow gives one code", async () => {
    await toConsent(authorizeUrl());
    await page.getByRole("button", { name: "Allow" }).dblclick({ noWaitAfter: true });
    // The second click may abort the navigation of the first one.
    await expect.poll(() => page.url(), { timeout: 30_000 }).toContain("/callback");
    const codes = new Set(callbacks.map((url) => url.searchParams.get("code")));
    expect(codes.size).toBe(1);
    expect([...codes][0]).toMatch(/^[\w-]{43}$/u);
  });
  it("in Chromium, going back after a consent issues no further code", async () => {
    await toConsent(authorizeUrl());
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL((url) => url.pathname === "/callback");
    const before = callbacks.length;
    await page.goBack();
    await page.waitForURL((url) => url.origin === sandbox.authUrl);
    expect(callbacks).toHaveLength(before);
    await page.reload();
    expect(page.url()).toContain(sandbox.authUrl);
    expect(callbacks).toHaveLength(before);
  });
});
