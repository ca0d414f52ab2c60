/**
 * The console, the documentation and the OAuth pages in a browser: what they do, and axe's rules.
 */
import { readFileSync } from "node:fs";
import { describeWithService } from "@game-data/test-support";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { generate } from "../../scripts/build-pages.ts";
import { startSandbox } from "../../src/Sandbox.ts";
import { launchChromium } from "../chromium.ts";
import { authorizeQuery, DESKTOP } from "../oauth/harness.ts";
import { NOON, toolsFor, type Tools } from "./harness.ts";

const VIEWS = ["journal", "world", "clock", "faults", "limits", "tokens"];
const SIZES = [
  ["wide", { width: 1200, height: 800 }, "light"],
  ["phone", { width: 320, height: 740 }, "light"],
  ["dark", { width: 1200, height: 800 }, "dark"],
] as const;

/** CI tries every page in every size; elsewhere each page is tried in one of them. */
const sizesOf = (page: number): ReadonlyArray<(typeof SIZES)[number]> =>
  process.env["REQUIRE_SERVICES"] === "1" ? SIZES : [SIZES[page % SIZES.length]!];

it("the generated files of the console match its sources", async () => {
  for (const [name, text] of Object.entries(await generate())) {
    const file = new URL(`../../src/generated/${name}`, import.meta.url);
    const isFresh = readFileSync(file, "utf8") === text;
    expect(isFresh, `${name}: node scripts/build-pages.ts`).toBe(true);
  }
});

const open = async (options: Parameters<typeof startSandbox>[0] = {}): Promise<Tools> =>
  toolsFor({
    ...(await startSandbox({ now: NOON, seed: 1, rates: "realistic", ...options })),
    fetch: (request) => fetch(request),
  });

describeWithService("chromium", "the pages in Chromium", (executablePath) => {
  let browser: Browser;
  let sandbox: Tools;
  let page: Page;
  let complaints: Array<string>;
  let origin: string;

  beforeAll(async () => {
    browser = await launchChromium(executablePath);
    page = await browser.newPage();
    sandbox = await open();
    origin = new URL(sandbox.controlUrl).origin;
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!/^(?:http:\/\/127\.0\.0\.1:|data:|blob:)/u.test(url)) complaints.push(url);
    });
  });
  afterAll(async () => {
    await browser.close();
    await sandbox.close();
  });
  // One page and one sandbox for all.
  beforeEach(async () => {
    await page.goto("about:blank");
    await sandbox.ask("POST", "/reset");
    await page.context().clearCookies();
    await resize(SIZES[0]);
    complaints = [];
  });
  const resize = async ([, size, scheme]: (typeof SIZES)[number]): Promise<void> => {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
  };

  /** Some traffic: answers of several kinds, and a fault. */
  const traffic = async (): Promise<void> => {
    const token = await sandbox.serviceToken();
    for (const path of ["/league", "/league/Standard", "/public-stash-tabs", "/profile", "/none"])
      await sandbox.get(path, token);
    await sandbox.addFault({
      id: "busy",
      match: { endpoint: "leagues" },
      fault: { kind: "status", status: 503, retryAfter: 1 },
    });
    await sandbox.get("/league", token);
  };

  const violations = async (): Promise<ReadonlyArray<string>> => {
    // Evaluated as text: the page's policy lets no script of another origin in.
    await page.evaluate(axe.source);
    const { violations: found } = (await page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] })",
    )) as axe.AxeResults;
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ any, html }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`),
    );
  };
  const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
  /** Links of the page that are lower than 24 px (WCAG 2.2 §2.5.8). */
  const smallLinks = () =>
    page.evaluate(
      "[...document.querySelectorAll('main a')].filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.outerHTML)",
    );
  const show = async (view: string): Promise<void> => {
    await page.goto(`${origin}/#/${view}`);
    await page.locator("main .card").first().waitFor();
    // The first answers of the control plane have been drawn.
    await page.waitForLoadState("domcontentloaded");
    await page.waitForTimeout(400);
  };

  it("no view of the console violates axe's accessibility rules", async () => {
    await traffic();
    for (const [index, view] of VIEWS.entries())
      for (const size of sizesOf(index)) {
        await resize(size);
        await show(view);
        if (view === "journal") await page.locator(".row").first().click();
        expect([view, await violations()]).toEqual([view, []]);
        expect([view, await overflow()]).toEqual([view, 0]);
        expect([view, await smallLinks()]).toEqual([view, []]);
      }
    expect(complaints).toEqual([]);
  });

  it("the console shows, filters and opens new requests, and adds a fault for a request", async () => {
    await show("journal");
    await page.getByText("No requests yet").waitFor();
    await sandbox.get("/league", await sandbox.serviceToken());
    const row = page.locator(".row", { hasText: "/league" });
    await row.waitFor();
    await row.press("Enter");
    await page.getByText("leagues.list").waitFor();
    expect(await page.locator("main").innerText()).not.toContain("eyJ");
    await page.getByRole("searchbox", { name: "Filter" }).fill("token");
    await expect.poll(() => page.locator(".row").count()).toBe(0);
    await page.getByRole("searchbox", { name: "Filter" }).fill("");
    await page.getByRole("button", { name: "Make it fail with 503" }).click();
    await page.getByRole("heading", { name: "Faults in force" }).waitFor();
    await expect
      .poll(async () => (await sandbox.get("/league", await sandbox.serviceToken())).status)
      .toBe(503);
    expect(complaints).toEqual([]);
  });

  it("the console says why a request failed, and lists the audit rules that were broken", async () => {
    await sandbox.get("/charactrs", await sandbox.serviceToken());
    await fetch(`${sandbox.authUrl}/oauth/token?client_secret=none`, { method: "POST" });
    await show("journal");
    await page.getByText("There is no such path.").waitFor();
    await page
      .getByRole("list", { name: "Broken rules" })
      .getByText(/^A16 puts no secret into a URL ?: .*#2/u)
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("the console moves the clock, shows rate windows, revokes grants and starts scenarios", async () => {
    await show("clock");
    await page.getByRole("button", { name: "Freeze" }).click();
    await page.getByText("The clock is frozen.").waitFor();
    const { now } = await sandbox.ask<{ now: string }>("GET", "/clock");
    await page.getByRole("button", { name: "28 days" }).click();
    await expect
      .poll(async () => {
        const later = await sandbox.ask<{ now: string }>("GET", "/clock");
        return (Date.parse(later.now) - Date.parse(now)) / 86_400_000;
      })
      .toBe(28);
    await sandbox.get("/league", await sandbox.serviceToken());
    await show("limits");
    await page
      .getByText(/^1 of /u)
      .first()
      .waitFor();
    await page.setViewportSize({ width: 375, height: 740 });
    await show("tokens");
    const revoke = page.getByRole("button", { name: /^Revoke the grant/u }).first();
    // On a phone it lies on the screen.
    const { width, x } = (await revoke.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(375);
    await revoke.click();
    await page.getByText("None. Sign in, or issue a token here.").waitFor();
    await show("faults");
    await page.getByRole("button", { name: "Start maintenance" }).click();
    await page.locator("li", { hasText: "maintenance" }).getByText("running").waitFor();
    const { faults } = await sandbox.ask<{ faults: ReadonlyArray<unknown> }>("GET", "/faults");
    expect(faults.length).toBeGreaterThan(10);
    await page.getByRole("button", { name: "Stop all" }).click();
    await page.getByText("None. The sandbox answers").waitFor();
    expect(complaints).toEqual([]);
  });

  it("the console shows the mistake in a fault document, and the name that was meant", async () => {
    await show("faults");
    await page.getByLabel("JSON document").fill('{"macth":{},"fault":{"kind":"hang"}}');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    expect(await page.getByRole("alert").innerText()).toContain("did you mean match?");
  });

  it("the console browses the world by links, and each page has its own URL", async () => {
    await show("world");
    await page.getByRole("link", { name: "Standard", exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Stash stream" }).click();
    await page.locator("pre", { hasText: "next_change_id" }).waitFor();
    const first = page.url();
    await page.getByRole("link", { name: "Next page" }).click();
    await expect.poll(() => page.url()).not.toBe(first);
    await page.goBack();
    expect(page.url()).toBe(first);
    await page.getByRole("link", { name: "Characters" }).click();
    await page.getByRole("navigation", { name: "Onward" }).getByRole("link").first().click();
    await page.locator("pre", { hasText: "baseType" }).waitFor();
    // Looking at the world leaves no trace in the journal.
    expect(await sandbox.journal()).toEqual([]);
  });

  it("the console shows the response of its current URL, even if the response of an earlier URL arrives later", async () => {
    const held = Promise.withResolvers<void>();
    const exchange = /world\?path=%2Fcurrency-exchange/u;
    await page.route(exchange, async (route) => {
      await held.promise;
      await route.continue();
    });
    await show("world");
    await page.getByRole("link", { name: "Exchange" }).click();
    await page.getByRole("link", { name: "Characters" }).click();
    const answer = page.locator("pre", { hasText: '"characters"' });
    await answer.waitFor();
    const late = page.waitForResponse(exchange);
    held.resolve();
    await (await late).finished();
    await page.unroute(exchange);
    expect(await answer.isVisible()).toBe(true);
  });

  it("the first link of the console, reached by Tab, moves the focus to the content", async () => {
    await show("journal");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("To the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });

  it("the console takes the control key from its address, and removes it from the address", async () => {
    const guarded = await open({ controlKey: "a-key-of-some-length" });
    const url = new URL(guarded.controlUrl).origin;
    await page.goto(`${url}/`);
    await page.getByRole("alert").filter({ hasText: "#key=KEY" }).waitFor();
    await page.goto("about:blank");
    await page.goto(`${url}/#key=${encodeURIComponent("a-key-of-some-length")}`);
    await page.getByText(/clock running, live/u).waitFor();
    expect(page.url()).toBe(`${url}/`);
    await guarded.close();
  });

  it("the pages for sign-in, consent and applications violate none of axe's rules", async () => {
    const query = authorizeQuery({ client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri });
    const check = async (title: string, index: number): Promise<void> => {
      for (const size of sizesOf(index)) {
        await resize(size);
        expect([title, await violations()]).toEqual([title, []]);
        expect([title, await overflow()]).toEqual([title, 0]);
        const sizes = await page.evaluate(
          "[...document.querySelectorAll('h1, h2, h3')].map((h) => [h.tagName, parseFloat(getComputedStyle(h).fontSize)])",
        );
        const fonts = (sizes as Array<[string, number]>).toSorted().map(([, font]) => font);
        expect(fonts).toEqual(fonts.toSorted((a, b) => b - a));
      }
    };
    await page.goto(`${sandbox.authUrl}/oauth/authorize?${query}`);
    await check("sign-in", 0);
    await page.getByRole("button").first().click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await check("consent", 1);
    const account = await page.locator("main strong").first().innerText();
    await sandbox.tokenOf("example-web", ["account:profile"], account);
    await page.goto(`${sandbox.authUrl}/my/applications`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await check("applications", 2);
  });
});
