/** The page in a real browser, over a sandbox whose clock the test moves. */
import { CHROMIUM_ARGS, describeWithService } from "@game-data/test-support";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type RunningIndex, startIndex } from "./support/running.ts";

describeWithService("chromium", "the page in Chromium", (executablePath) => {
  let index: RunningIndex;
  let browser: Browser;
  let page: Page;
  /** Errors of the page, and its requests to other origins. */
  let errors: Array<string>;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
    const world = { streamStashes: 600, streamItems: 64, streamChangesPerMinute: 60 };
    index = await startIndex({ world });
    await index.untilIndexed();
  });
  afterAll(async () => {
    await browser?.close();
    await index?.close();
  });

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
    errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== index.origin) errors.push(request.url());
    });
  });
  afterEach(async () => {
    await page.close();
    if (errors.length > 0) throw new Error(errors.join("\n"));
  });

  const open = (query = "league=Standard") => page.goto(`${index.origin}/?${query}`);
  const rows = () => page.locator("tr[data-item]");
  const parameter = (name: string) => new URL(page.url()).searchParams.getAll(name);
  const check = () => page.getByLabel("Price check", { exact: true });

  it("the page does not add a late page of one search to the results of the next", async () => {
    await open("league=Standard&sort=age");
    await expect.poll(() => rows().count()).toBe(50);
    const isReleased = Promise.withResolvers<void>();
    await page.route(/cursor=/u, async (route) => {
      const response = await route.fetch();
      await isReleased.promise;
      await route.fulfill({ response });
    });
    const late = page.waitForResponse(/cursor=/u);
    await page.getByRole("button", { name: "More listings" }).click();
    const next = page.waitForResponse(/ilvlMin=1&/u);
    await page.getByLabel("Level from").fill("1");
    await (await next).finished();
    await expect.poll(() => parameter("ilvlMin")).toEqual(["1"]);
    isReleased.resolve();
    await (await late).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await rows().count()).toBe(50);
  });

  it("the page searches while words are typed, page by page, and its address can be shared", async () => {
    await open("league=Standard&sort=age");
    for (const count of [50, 100, 150]) {
      await expect.poll(() => rows().count()).toBe(count);
      await page.getByRole("button", { name: "More listings" }).click();
    }
    const seller = rows().first().getByRole("link");
    const account = await seller.innerText();
    await seller.click();
    await page.getByLabel("Level from").fill("10");
    await expect
      .poll(() => [...parameter("seller"), ...parameter("ilvlMin")])
      .toEqual([account, "10"]);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Name or base").pressSequentially("band");
    const isFound = async () =>
      (await rows().locator(".item").allInnerTexts()).every((name) => /\bband/iu.test(name));
    await expect.poll(isFound).toBe(true);
    await page.goto(page.url());
    expect(await page.getByLabel("Name or base").inputValue()).toBe("band");
    await expect.poll(() => rows().count()).toBeGreaterThan(0);
    expect(await isFound()).toBe(true);
  });

  it("the page opens a listing by keyboard, finds similar listings, and checks their price", async () => {
    await open("league=Standard&rarity=rare");
    await rows().first().locator("summary").focus();
    await page.keyboard.press("Enter");
    await rows().first().getByRole("button", { name: "Find similar" }).click();
    await expect
      .poll(() => check().innerText())
      .toMatch(/is the median of|No listing with a price/u);
    expect(parameter("mod").length).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Name or base").fill("band");
    await page.getByRole("button", { name: "Check the price" }).click();
    await expect.poll(() => check().innerText()).toMatch(/is the median of \d+ listings/u);
    const kinds = check().getByLabel("Names and bases").getByRole("button");
    const [, base] = /^(.+): \d+, median /u.exec(await kinds.first().innerText())!;
    await kinds.first().click();
    await expect.poll(() => parameter("base")).toEqual([base]);
  });

  it("the page searches for a pasted item, and shows the error of text that is not an item", async () => {
    await open();
    await page.getByText("Search from an item").click();
    const search = (text: string) => page.getByLabel("Paste an item").fill(text);
    await search("a sword, perhaps");
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("Rarity:");
    await search("");
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await search("Rarity: Rare\nQuiet Anchor\nSlate Band\n--------\n+30 to maximum Vigour");
    await expect.poll(() => parameter("base")).toEqual(["Slate Band"]);
    expect(await page.getByLabel("+# to maximum Vigour", { exact: true }).inputValue()).toBe("27");
  });

  it("the page marks a shown listing that ends, and shows other changes on request", async () => {
    await open();
    await expect.poll(() => rows().count()).toBeGreaterThan(10);
    const ended = page.locator("tr[data-ended]");
    const numbers = () => rows().evaluateAll((all) => all.map((row) => row.dataset["item"]));
    const shown = await numbers();
    for (let times = 0; times < 20 && (await ended.count()) === 0; times += 1) {
      await index.advance("2 minutes");
      await page.waitForTimeout(1000);
    }
    expect(await ended.first().innerText()).toMatch(/sold|unlisted|repriced|changed/u);
    // A search by price finds no listing without a price, so none of them ended in it.
    expect(await ended.allInnerTexts()).not.toContainEqual(expect.stringContaining("none"));
    const news = page.locator(".results").getByRole("status");
    expect(await news.innerText()).toMatch(/\d+ (?:new|sold|unlisted|repriced|changed)/u);
    // No row is pushed down until the reader wants it.
    expect(await numbers()).toEqual(shown);
    await page.getByRole("button", { name: "Show the changes" }).click();
    await expect.poll(numbers).not.toEqual(shown);
  });

  it("the page draws a market with a legend, draws another market on a click, and goes back", async () => {
    await open("league=Standard&view=exchange");
    const market = page.getByLabel("Market", { exact: true });
    await expect.poll(() => market.getByRole("img").count()).toBe(1);
    expect(await market.locator("figcaption").innerText()).toMatch(/typical[^]*lowest to highest/u);
    const before = await market.getByRole("heading").innerText();
    await page.getByLabel("Table of markets").getByRole("link").nth(2).click();
    await expect.poll(() => market.getByRole("heading").innerText()).not.toBe(before);
    await page.goBack();
    await expect.poll(() => market.getByRole("heading").innerText()).toBe(before);
    await open("league=Nowhere&view=exchange");
    await page.getByText("This league has no exchange yet.").waitFor();
  });

  it("the first screen of a phone shows the number of listings and a listing", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const response = await open("league=Standard&q=band");
    expect(response!.headers()["content-security-policy"]).toContain("default-src 'none'");
    await expect.poll(() => rows().count()).toBeGreaterThan(0);
    const heading = page.locator(".results h2");
    expect(await heading.innerText()).toMatch(/\d+ listing/u);
    for (const element of [heading, rows().first().locator(".item")]) {
      const { height, y } = (await element.boundingBox())!;
      expect(y + height).toBeLessThan(844);
    }
  });

  it.each([
    [320, "light"],
    [390, "dark"],
    [768, "light"],
    [1280, "light"],
  ] as const)("the page breaks no rule of axe at %i px, %s", async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 844 });
    for (const view of ["q=band&check=yes", "view=exchange"]) {
      await page.emulateMedia({ colorScheme });
      await open(`league=Standard&${view}`);
      await page.getByRole("img").first().waitFor();
      if (view.startsWith("q")) await rows().first().locator(".item").click();
      const isScrolling = () =>
        [...document.querySelectorAll("html, .results .scroll")].some(
          ({ clientWidth, scrollWidth }) => scrollWidth > clientWidth,
        );
      expect(await page.evaluate(isScrolling)).toBe(false);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(document),
      );
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      const folder = process.env["GAME_DATA_SCREENSHOTS"];
      for (const scheme of folder === undefined ? [] : (["light", "dark"] as const)) {
        await page.emulateMedia({ colorScheme: scheme });
        const name = `stash-index-${view.slice(0, 4)}-${width}-${scheme}.png`;
        await page.screenshot({ path: `${folder}/${name}`, fullPage: width === 390 });
      }
    }
  });
});
