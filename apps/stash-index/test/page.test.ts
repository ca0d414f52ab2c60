/**
 * The page in a real browser, over a sandbox whose clock the test moves.
 */
import { CHROMIUM_ARGS, describeWithService } from "@game-data/test-support";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type RunningIndex, startIndex } from "./support/running.ts";

describeWithService("chromium", "the page in Chromium", (executablePath) => {
  let index: RunningIndex;
  let browser: Browser;
  let page: Page;
  let errors: Array<string>;
  let requests: Array<string>;

  beforeAll(async () => {
    index = await startIndex({
      world: { streamStashes: 600, streamItems: 64, streamChangesPerMinute: 60 },
    });
    browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
  });

  afterAll(async () => {
    await browser?.close();
    await index?.close();
  });

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
    errors = [];
    requests = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("status of 4"))
        errors.push(message.text());
    });
    page.on("request", (request) => requests.push(request.url()));
  });

  afterEach(async () => {
    await page.close();
    if (errors.length > 0) throw new Error(errors.join("\n"));
  });

  const open = (query = "league=Standard") => page.goto(`${index.origin}/?${query}`);
  const rows = () => page.locator("tr[data-item]");
  const count = () => rows().count();

  it("searches while words are typed, without signing in, and the address can be shared", async () => {
    await open();
    await expect.poll(count).toBeGreaterThan(10);
    const before = await count();
    await page.getByLabel("Name or base").pressSequentially("band");
    await expect.poll(count).toBeLessThan(before);
    await expect
      .poll(async () =>
        (await rows().getByRole("button").allInnerTexts()).every((text) => /band/iu.test(text)),
      )
      .toBe(true);
    const other = await browser.newPage();
    await other.goto(page.url());
    await expect.poll(() => other.locator("tr[data-item]").count()).toBe(await count());
    expect(await other.getByLabel("Name or base").inputValue()).toBe("band");
    await other.close();
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([index.origin]));
  });

  it("gives listings the room that the check has, at every width, and puts it first on phones", async () => {
    await open("league=Standard&q=band&check=yes");
    await expect.poll(() => page.locator(".check .verdict").count()).toBe(1);
    const phones = [320, 360, 390, 480, 600, 768, 900, 959];
    for (const width of [...phones, 960, 1024, 1180, 1280, 1343, 1344, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const [check, results] = await Promise.all(
        [".check", ".results"].map(async (name) => (await page.locator(name).boundingBox())!),
      );
      expect(results!.width, `at ${width}`).toBeGreaterThanOrEqual(check!.width - 1);
      expect(check!.y <= results!.y, `at ${width}`).toBe(true);
      if (width < 960) expect(check!.y + check!.height).toBeLessThanOrEqual(results!.y);
    }
    await page.setViewportSize({ width: 1440, height: 1000 });
  });

  it("opens a listing by keyboard, finds similar ones, and checks their price", async () => {
    await open("league=Standard&rarity=rare");
    await expect.poll(count).toBeGreaterThan(3);
    const name = rows().first().getByRole("button").first();
    await name.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => name.getAttribute("aria-expanded")).toBe("true");
    const mods = rows().first().locator(".mods li");
    await expect.poll(() => mods.count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Find similar" }).click();
    await expect
      .poll(() => page.getByLabel("Price check", { exact: true }).innerText())
      .toContain("is the median of");
    expect(new URL(page.url()).searchParams.getAll("mod").length).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Name or base").fill("band");
    await page.getByRole("button", { name: "Check the price" }).click();
    const check = page.getByLabel("Price check", { exact: true });
    await expect.poll(() => check.innerText()).toContain("Still listed");
    await expect.poll(() => check.locator("canvas").count()).toBeGreaterThan(0);
  });

  it("tells a trader the price of a rare band, how sure it is, and what divides the listings", async () => {
    await open();
    await page.getByLabel("Name or base").fill("band");
    await page.getByLabel("Rarity").selectOption("rare");
    await page.getByRole("button", { name: "Check the price" }).click();
    const check = page.getByLabel("Price check", { exact: true });
    await expect.poll(() => check.innerText()).toMatch(/is the median of \d+ listings/u);
    expect(await check.locator(".notice").innerText()).toMatch(/^(?:Sure|Unsure): /u);
    const groups = check.getByLabel("What divides them").getByRole("button");
    await expect.poll(() => groups.count()).toBeGreaterThan(1);
    const [, base] = /^(.+): \d+, at /u.exec(await groups.first().innerText())!;
    await groups.first().click();
    await expect.poll(() => new URL(page.url()).searchParams.get("base")).toBe(base);
    await expect
      .poll(async () => new Set(await rows().locator(".item").allInnerTexts()))
      .toEqual(new Set([base]));
    expect(await rows().first().locator(".mods li").count()).toBeGreaterThan(0);
  });

  it("searches for a pasted item, and says what is wrong with another text", async () => {
    await open();
    await page.getByText("Search from an item").click();
    const field = page.getByLabel("Item, as text or JSON");
    await field.fill("a sword, perhaps");
    await page.getByRole("button", { name: "Search for it" }).click();
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("Rarity:");
    await field.fill(
      "Rarity: Rare\nQuiet Anchor\nSlate Band\n--------\nItem Level: 70\n--------\n+30 to maximum Vigour",
    );
    await page.getByRole("button", { name: "Search for it" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("base")).toBe("Slate Band");
    expect(await page.getByLabel("+# to maximum Vigour: least").inputValue()).toBe("27");
  });

  it("shows that a listing ended, while one looks at it", async () => {
    await open("league=Standard");
    await expect.poll(count).toBeGreaterThan(10);
    const idsOf = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((found) => found.map((row) => row.getAttribute("data-item")!));
    // What is listed changes with the stream: a listing that ended is one that stood there before.
    const listed = new Set<string>();
    let over: string | undefined;
    for (let tries = 0; tries < 20 && over === undefined; tries++) {
      for (const id of await idsOf("tr[data-item]:not([data-ended])")) listed.add(id);
      await index.advance("2 minutes");
      await expect.poll(async () => (await index.get("status")).behind).toBe(0);
      await page.waitForTimeout(500);
      over = (await idsOf("tr[data-ended]")).find((id) => listed.has(id));
    }
    expect(over).toBeDefined();
    const row = page.locator(`tr[data-item="${over}"]`);
    const kind = await row.getAttribute("data-ended");
    expect(["sold", "unlisted"]).toContain(kind);
    expect(await row.innerText()).toContain(kind);
    await expect
      .poll(() => page.locator(".results").getByRole("status").innerText())
      .toMatch(/^(Sold|New|Unlisted|New price):/u);
  });

  it("shows the exchange: movers, and the chart of one", async () => {
    await open("league=Standard&view=exchange");
    await expect
      .poll(() => page.getByLabel("Market", { exact: true }).locator("canvas").count())
      .toBe(1);
    const chart = page.getByLabel("Market", { exact: true });
    const pixels = () =>
      chart.locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const lines = await pixels();
    await chart.getByLabel("Chart").selectOption("Candles");
    await expect.poll(() => chart.getByRole("img", { name: /as candles$/u }).count()).toBe(1);
    await expect.poll(pixels).not.toBe(lines);
    expect(new URL(page.url()).searchParams.get("chart")).toBe("candles");
    await page.goBack();
    await expect.poll(() => chart.getByRole("img", { name: /as lines$/u }).count()).toBe(1);
    await page.getByLabel("Table of markets").getByRole("button").nth(2).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("pair")).toContain("|");
    await page.goBack();
    expect(new URL(page.url()).searchParams.get("pair")).toBeNull();
  });

  it("shows a seller's tabs and their items", async () => {
    await open();
    await expect.poll(count).toBeGreaterThan(0);
    await rows().first().getByRole("link").click();
    await expect.poll(() => page.getByRole("heading", { name: /^Tabs of/u }).count()).toBe(1);
    await page.getByLabel("Table of tabs").getByRole("link").first().click();
    await expect
      .poll(() => page.getByLabel("Tab", { exact: true }).locator("li").count())
      .toBeGreaterThan(0);
  });

  const screens = [
    ["1280", { width: 1280, height: 1000 }, "light"],
    ["960", { width: 960, height: 1000 }, "dark"],
    ["390", { width: 390, height: 844 }, "light"],
  ] as const;

  it.each(screens)("has no violation of axe's rules: %s", async (name, viewport, colorScheme) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const check = async (view: string) => {
      const folderOfScreens = process.env["GAME_DATA_SCREENSHOTS"];
      for (const scheme of folderOfScreens === undefined ? [] : (["light", "dark"] as const)) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.waitForTimeout(500);
        await page.screenshot({
          path: `${folderOfScreens}/stash-index-${view}-${name}-${scheme}.png`,
          fullPage: name === "390",
        });
      }
      await page.emulateMedia({ colorScheme });
      const isScrolling = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(isScrolling).toBe(false);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(document),
      );
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    };
    await open("league=Standard&q=band&check=yes");
    await expect.poll(() => page.locator(".check canvas").count()).toBeGreaterThan(0);
    await rows().first().getByRole("button").click();
    await expect.poll(() => page.getByRole("button", { name: "Find similar" }).count()).toBe(1);
    await check("search");
    await open("league=Standard&view=exchange");
    await expect.poll(() => page.locator("canvas").count()).toBe(1);
    await check("exchange");
    await page.locator("section").getByLabel("Chart").selectOption("Candles");
    await expect.poll(() => page.getByRole("img", { name: /as candles$/u }).count()).toBe(1);
    await check("candles");
  });
});
