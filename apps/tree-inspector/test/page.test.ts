/** The built page in a real browser. */
import { decode, encode } from "@game-data/tree-link";
import { CHROMIUM_ARGS, describeWithService } from "@game-data/test-support";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type ServedInspector, serveInspector } from "../serve.ts";

const LINK = encode({
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 6,
  hashes: [2151, 4397, 11_420],
  extendedHashes: [0, 3],
  masteries: [{ node: 11_420, effect: 47_642 }],
});

describeWithService("chromium", "the page in Chromium", (executablePath) => {
  let served: ServedInspector;
  let browser: Browser;
  let page: Page;
  let requests: Array<string>;
  let address: string;

  beforeAll(async () => {
    served = await serveInspector();
    address = served.url;
    browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
  });

  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
    requests = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => {
      throw error;
    });
    await page.goto(address);
  });

  afterEach(async () => {
    await page.close();
  });

  const paste = (text: string) => page.getByLabel("A link in any form").fill(text);
  const lit = async (kind: string) =>
    page
      .locator(`${kind}[data-lit="true"]`)
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value ?? one.textContent));
  const linkNow = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("link")!;

  it("the tree inspector shows a pasted link, and sends no request", async () => {
    await paste(`https://www.example.com/passive-skill-tree/3.27.0/${LINK}?accountName=Secret`);
    const summary = page.getByLabel("Summary");
    await expect.poll(() => summary.innerText()).toContain("3 (witch)");
    expect(await summary.innerText()).toContain("6 (without a stated meaning)");
    expect(linkNow()).toBe(LINK);
    expect(page.url()).not.toContain("Secret");
    expect(requests.filter((url) => url.includes(LINK.slice(0, 8)) && !url.includes("#"))).toEqual(
      [],
    );
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(
      new Set([new URL(address).origin]),
    );
  });

  it("the page keeps a text without a payload out of its address, and opens an address with a link", async () => {
    await paste("MySecretAccount");
    await expect.poll(() => page.getByRole("alert").count()).toBe(1);
    expect(page.url()).toBe(address);
    await page.evaluate(() => (location.hash = "link=%E0%A4%A"));
    await expect.poll(() => page.getByLabel("A link in any form").inputValue()).toContain("%A");
    await page.evaluate((link) => (location.hash = link), `link=${encodeURIComponent(LINK)}`);
    await expect.poll(() => page.getByLabel("Summary").innerText()).toContain("witch");
  });

  it("a hovered character highlights its bytes and field, and a hovered field its characters", async () => {
    await paste(LINK);
    // Character 7 is bits 42 to 48: the end of the upper six bits of the ascendancy byte, and the
    // lower two.
    await page.getByRole("textbox", { name: /^character 7 / }).hover();
    expect(await lit(".field")).toHaveLength(2);
    expect(await page.getByRole("status").first().innerText()).toContain(
      "second ascendancy, ascendancy",
    );
    await page.getByLabel("hashes 1 hash", { exact: true }).hover();
    const characters = await lit("[data-characters]");
    expect(characters.join("")).toBe(LINK.slice(9, 12));
    expect(await lit("[data-bytes]")).toEqual(["08", "67"]);
  });

  it("cells of the tree inspector work by keyboard: Tab to a strip, arrows inside it", async () => {
    await paste(LINK);
    await page.getByRole("textbox", { name: /^character 0 / }).focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowRight");
    const status = page.getByRole("status").first();
    expect(await status.innerText()).toMatch(/^character 6 .*class/u);
    await page.keyboard.press("End");
    expect(await status.innerText()).toContain(`character ${LINK.length - 1}`);
    await page.keyboard.press("Home");
    await page.keyboard.press("Tab");
    expect(await status.innerText()).toMatch(/^byte 0, 00: version/u);
    await page.keyboard.press("ArrowDown");
    expect(await status.innerText()).toMatch(/^byte 12, /u);
  });

  it("edits of fields and lists change the link, and a refused edit shows its reason", async () => {
    await paste(LINK);
    await page.getByLabel("class", { exact: true }).fill("5");
    await page.getByLabel("class", { exact: true }).press("Enter");
    await expect.poll(() => decode(linkNow()).class).toBe(5);
    await page.getByRole("button", { name: "Remove hashes 2" }).click();
    await expect.poll(() => decode(linkNow()).hashes).toEqual([2151, 11_420]);
    await page
      .getByRole("group", { name: /^Cluster/ })
      .getByRole("button", { name: "Add" })
      .click();
    await expect.poll(() => decode(linkNow())).toMatchObject({ extendedHashes: [0, 3, 0] });
    const before = linkNow();
    await page.getByLabel("ascendancy", { exact: true }).fill("9");
    await page.getByLabel("ascendancy", { exact: true }).press("Enter");
    await expect
      .poll(() => page.getByRole("alert").innerText())
      .toContain("It is 9. It may be 0 to 255 in versions 4 and 5, 0 to 3");
    expect(linkNow()).toBe(before);
  });

  it("in the tree inspector, Escape restores a cell, and Control and Z the link", async () => {
    await paste(LINK);
    const cell = page.getByRole("textbox", { name: /^byte 4,/ });
    await cell.focus();
    await page.keyboard.press("Delete");
    expect(await cell.inputValue()).toBe("");
    await page.keyboard.press("Escape");
    expect(await cell.inputValue()).toBe("03");
    await page.keyboard.type("05");
    await expect.poll(() => decode(linkNow()).class).toBe(5);
    const next = page.getByRole("textbox", { name: /^byte 5,/ });
    expect(await next.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+z");
    await expect.poll(() => decode(linkNow()).class).toBe(3);
    await page.keyboard.press("Control+Shift+z");
    await expect.poll(() => decode(linkNow()).class).toBe(5);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+y");
    await expect.poll(() => decode(linkNow()).class).toBe(5);
    // A field's own undo stays with the field.
    await page.getByLabel("class", { exact: true }).focus();
    await page.keyboard.press("Control+z");
    expect(decode(linkNow()).class).toBe(5);
  });

  it("the page offers repairs of a link that an edit broke, and shows what each would change", async () => {
    await paste(LINK);
    await page.getByRole("textbox", { name: /^byte 6,/ }).focus();
    await page.keyboard.type("ff");
    const repairs = page.getByRole("list", { name: "Repairs" });
    await expect.poll(() => repairs.innerText()).toContain("count of nodes (byte 6) from 255 to 8");
    const marked = (tag: string) => repairs.locator(tag).allInnerTexts();
    expect([await marked("del"), await marked("ins")]).toEqual([
      ["_w", "="],
      ["CA", "AAA=="],
    ]);
    expect(await page.getByLabel("Fields", { exact: true }).innerText()).toContain("of 255");
    await repairs.getByRole("button", { name: "Repair" }).first().press("Enter");
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    // The button is gone, so the focus moves to the outcome.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("outcome");
    expect(decode(linkNow()).hashes.length).toBeGreaterThan(3);
  });

  it("the page shows the readable part of a truncated link", async () => {
    await paste(LINK.slice(0, 17));
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("cut off");
    // The fields are texts, and only characters and bytes can be changed.
    expect(await page.getByRole("status").first().innerText()).toContain(
      "a character or a byte to",
    );
    const fields = page.getByLabel("Fields", { exact: true });
    expect(await fields.innerText()).toContain("2 of 3");
    expect(await fields.getByLabel("hashes 2 hash", { exact: true }).inputValue()).toBe("4397");
    expect(await fields.getByRole("button", { name: "Add" }).count()).toBe(0);
    expect(linkNow()).toBe(LINK.slice(0, 17));
  });

  it("the page shows the first entries of the longest lists, and all entries after a click", async () => {
    const list = Array.from({ length: 255 }, (_, i) => i * 257);
    const masteries = list.map((node) => ({ node, effect: 65_535 - node }));
    const long = encode({
      version: 6,
      class: 0,
      ascendancy: 0,
      hashes: list,
      extendedHashes: list,
      masteries,
    });
    await paste(long);
    await expect.poll(() => page.locator("[data-bytes]").count()).toBeGreaterThan(0);
    expect(await page.locator("*").count()).toBeLessThan(3_000);
    await page.getByRole("button", { name: "Show all 255" }).first().click();
    await expect.poll(() => page.getByLabel("hashes 255 hash", { exact: true }).count()).toBe(1);
    // A cell that scrolls under the resting pointer would be described instead.
    await page.mouse.move(0, 0);
    await page.getByRole("textbox", { name: /^byte 0,/ }).focus();
    await page.keyboard.press("End");
    await expect.poll(() => page.getByRole("status").first().innerText()).toContain("byte 2048");
  });

  it("the page marks the character of a link that the codec refuses", async () => {
    await paste("AAAABg*BAAAA");
    const alert = page.getByRole("alert");
    await expect.poll(() => alert.innerText()).toContain("At character 6 of 12, counted from 0");
    expect(await alert.locator("mark").innerText()).toBe("*");
    await paste("AAAABgAA");
    await expect.poll(() => alert.innerText()).toContain("After the last of 8 characters");
  });

  it("a button of the page names what a conversion loses before it is made", async () => {
    await paste(LINK);
    await page
      .getByRole("button", {
        name: "To version 4, losing second ascendancy, 2 cluster nodes, mastery effects",
      })
      .click();
    await expect
      .poll(() => decode(linkNow()))
      .toMatchObject({ version: 4, hashes: [2151, 4397, 11_420] });
    await page.getByRole("button", { name: "To version 6", exact: true }).click();
    await expect.poll(() => decode(linkNow()).version).toBe(6);
  });

  it("a button of the page copies the canonical payload of the shown link", async () => {
    await page
      .context()
      .grantPermissions(["clipboard-read", "clipboard-write"], { origin: address });
    await paste(LINK.replace(/=+$/u, ""));
    await page.getByRole("button", { name: "Copy payload" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(LINK);
  });

  const screens = [
    ["wide", { width: 1280, height: 900 }, "light"],
    ["dark", { width: 1280, height: 900 }, "dark"],
    ["tablet", { width: 768, height: 1024 }, "light"],
    ["phone", { width: 390, height: 844 }, "light"],
    ["dark phone", { width: 390, height: 844 }, "dark"],
    ["dark tablet", { width: 768, height: 1024 }, "dark"],
  ] as const;

  it.each(screens)("the inspector breaks no axe rule: %s", async (name, viewport, colorScheme) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const check = async (view: string) => {
      const folderOfScreens = process.env["GAME_DATA_SCREENSHOTS"];
      if (folderOfScreens !== undefined)
        await page.screenshot({ path: `${folderOfScreens}/${view}-${name}.png`, fullPage: true });
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
    await check("start");
    await paste(LINK);
    await check("link");
    await paste(LINK.slice(0, 17));
    await expect.poll(() => page.getByRole("alert").count()).toBe(1);
    await check("refused");
  });
});
