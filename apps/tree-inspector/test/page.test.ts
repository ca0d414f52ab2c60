/**
 * The built page in a real browser, from a plain static file server.
 */
import { createServer, type Server } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { decode, encode } from "@game-data/tree-link";
import { describeWithService } from "@game-data/test-support";
import { type Browser, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};
const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];
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
  let folder: string;
  let server: Server;
  let browser: Browser;
  let page: Page;
  let requests: Array<string>;
  let address: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "game-data-inspector-"));
    const root = join(import.meta.dirname, "..");
    await build({ root, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
    server = createServer(async (request, response) => {
      const path = request.url === "/" ? "/index.html" : request.url!;
      try {
        const body = await readFile(join(folder, path));
        response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" }).end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
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
  const lit = async (kind: string) => page.locator(`${kind}[data-lit="true"]`).allInnerTexts();
  const linkNow = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("link")!;

  it("shows a pasted link, and keeps it in the fragment and to itself", async () => {
    await paste(`https://www.example.com/passive-skill-tree/3.27.0/${LINK}?accountName=x`);
    const summary = page.getByLabel("Summary");
    await expect.poll(() => summary.innerText()).toContain("3 (witch)");
    expect(await summary.innerText()).toContain("6 (without a stated meaning)");
    expect(linkNow()).toContain(LINK);
    expect(requests.filter((url) => url.includes(LINK.slice(0, 8)) && !url.includes("#"))).toEqual(
      [],
    );
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(
      new Set([new URL(address).origin]),
    );
  });

  it("opens with the link that its address carries", async () => {
    const other = await browser.newPage();
    await other.goto(`${address}#link=${encodeURIComponent(LINK)}`);
    await expect.poll(() => other.getByLabel("Summary").innerText()).toContain("witch");
    await other.close();
  });

  it("lights bytes and fields of a hovered character, and the reverse", async () => {
    await paste(LINK);
    // Character 7 is bits 42 to 48: the end of the upper six bits of the ascendancy byte, and the
    // lower two.
    await page.getByRole("button", { name: /^character 7 / }).hover();
    expect(await lit(".field")).toHaveLength(2);
    expect(await page.getByRole("status").first().innerText()).toContain(
      "alternateAscendancy, ascendancy",
    );
    await page.getByLabel("hashes 1 hash", { exact: true }).hover();
    const characters = page
      .getByRole("group", { name: /^Characters/ })
      .locator('[data-lit="true"]');
    expect((await characters.allInnerTexts()).join("")).toBe(LINK.slice(9, 12));
    const bytes = page.getByRole("group", { name: "Bytes" }).locator('[data-lit="true"]');
    expect(await bytes.allInnerTexts()).toEqual(["08", "67"]);
  });

  it("works by keyboard alone: Tab to a strip, arrows inside it", async () => {
    await paste(LINK);
    await page.getByRole("button", { name: /^character 0 / }).focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowRight");
    const status = page.getByRole("status").first();
    expect(await status.innerText()).toMatch(/^character 6 .*class/u);
    await page.keyboard.press("End");
    expect(await status.innerText()).toContain(`character ${LINK.length - 1}`);
    await page.keyboard.press("Tab");
    expect(await status.innerText()).toMatch(/^byte 0, 0x00: version/u);
  });

  it("changes the link when a field is edited, grown or shrunk, and says why when it cannot", async () => {
    await paste(LINK);
    await page.getByLabel("class", { exact: true }).fill("5");
    await page.getByLabel("class", { exact: true }).press("Enter");
    await expect.poll(() => decode(linkNow()).class).toBe(5);
    await page.getByRole("button", { name: "Remove hashes 2" }).click();
    await expect.poll(() => decode(linkNow()).hashes).toEqual([2151, 11_420]);
    await page
      .getByRole("group", { name: /^Extended/ })
      .getByRole("button", { name: "Add" })
      .click();
    await expect.poll(() => decode(linkNow())).toMatchObject({ extendedHashes: [0, 3, 0] });
    const before = linkNow();
    await page.getByLabel("ascendancy", { exact: true }).fill("9");
    await page.getByLabel("ascendancy", { exact: true }).press("Enter");
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("out of range");
    expect(linkNow()).toBe(before);
  });

  it("points at the offending character", async () => {
    await paste("AAAABg*BAAAA");
    const alert = page.getByRole("alert");
    await expect.poll(() => alert.innerText()).toContain("Character 6 of 12");
    expect(await alert.locator("mark").innerText()).toBe("*");
    await paste("AAAABgAA");
    await expect.poll(() => alert.innerText()).toContain("After character 8");
  });

  it("compares two links", async () => {
    await paste(LINK);
    const link = decode(LINK);
    await page.getByLabel("Second link").fill(encode({ ...link, hashes: [2151, 99] }));
    const compare = page.getByLabel("Compare");
    await expect.poll(() => compare.innerText()).toContain("1 added: 99");
    expect(await compare.innerText()).toContain("2 removed: 4397, 11420");
  });

  it("names what a conversion loses before it is made", async () => {
    await paste(LINK);
    await page
      .getByRole("button", {
        name: "To version 4, losing alternateAscendancy, 2 extendedHashes, masteries",
      })
      .click();
    await expect
      .poll(() => decode(linkNow()))
      .toMatchObject({ version: 4, hashes: [2151, 4397, 11_420] });
    await page.getByRole("button", { name: "To version 6", exact: true }).click();
    await expect.poll(() => decode(linkNow()).version).toBe(6);
  });

  it("copies the canonical payload", async () => {
    await page
      .context()
      .grantPermissions(["clipboard-read", "clipboard-write"], { origin: address });
    await paste(LINK.replace(/=+$/u, ""));
    await page.getByRole("button", { name: "Copy payload" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(LINK);
  });

  it("says so where a page is not allowed to copy", async () => {
    await page.addInitScript(() =>
      Object.defineProperty(navigator, "clipboard", { value: undefined }),
    );
    await page.reload();
    await paste(LINK);
    await page.getByRole("button", { name: "Copy payload" }).click();
    await expect
      .poll(() => page.getByRole("button", { name: "Not allowed to copy" }).count())
      .toBe(1);
  });

  it.each(["light", "dark"] as const)(
    "can be read in %s: every label has a contrast of 4.5 or more",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await paste(LINK);
      if (process.env["GAME_DATA_SCREENSHOTS"])
        await page.screenshot({
          path: `${process.env["GAME_DATA_SCREENSHOTS"]}/inspector-${colorScheme}.png`,
          fullPage: true,
        });
      const worst = await page.evaluate(() => {
        const canvas = document
          .createElement("canvas")
          .getContext("2d", { willReadFrequently: true })!;
        const luminance = (colour: string) => {
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
            const part = value / 255;
            return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
        };
        const backgroundOf = (element: Element | null): string => {
          if (element === null) return "white";
          const colour = getComputedStyle(element).backgroundColor;
          return colour === "rgba(0, 0, 0, 0)" ? backgroundOf(element.parentElement) : colour;
        };
        const ratios = [
          ...document.querySelectorAll(
            ".cell, .field-name, .note, legend, dt, dd, button, h1, label",
          ),
        ].map((element) => {
          const [a, b] = [
            luminance(getComputedStyle(element).color),
            luminance(backgroundOf(element)),
          ].toSorted((x, y) => y - x);
          return (a! + 0.05) / (b! + 0.05);
        });
        return Math.min(...ratios);
      });
      expect(worst).toBeGreaterThanOrEqual(4.5);
    },
  );
});
