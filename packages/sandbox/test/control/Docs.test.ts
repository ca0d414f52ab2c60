import { describeWithService } from "@game-data/test-support";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchChromium } from "../chromium.ts";
import { open, type Tools } from "./harness.ts";

describeWithService("chromium", "the documentation pages in a browser", (executablePath) => {
  let sandbox: Tools;
  let browser: Browser;

  beforeAll(async () => {
    sandbox = await open();
    browser = await launchChromium(executablePath);
  });

  afterAll(async () => {
    await browser.close();
    await sandbox.close();
  });

  // CI tries every page in both colour schemes; elsewhere each is tried in one of them.
  const isWhole = process.env["REQUIRE_SERVICES"] === "1";
  it.each([
    ["/docs", "publicStashTabs", isWhole ? (["light", "dark"] as const) : (["light"] as const)],
    ["/docs/control", "faults", isWhole ? (["light", "dark"] as const) : (["dark"] as const)],
  ])(
    "%s is drawn under its policy and asks nobody else for anything",
    async (path, group, schemes) => {
      const origin = new URL(sandbox.controlUrl).origin;
      const page = await browser.newPage();
      const foreign: Array<string> = [];
      const complaints: Array<string> = [];
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(origin) && !/^(?:data|blob):/u.test(url)) foreign.push(url);
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(`${origin}${path}`);
      await page.getByRole("heading", { name: group, exact: true }).waitFor();
      // Everything is open, so that axe sees all of it.
      await page.evaluate(
        "document.querySelectorAll('details').forEach((one) => (one.open = true))",
      );
      // The addresses on the page are those that answer, not the specification's placeholders.
      expect(await page.content()).not.toMatch(/(?:auth|data)\.example/u);
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(axe.source);
        const { violations } = (await page.evaluate(
          "axe.run(document, { resultTypes: ['violations'] })",
        )) as Pick<axe.AxeResults, "violations">;
        const found = violations.map(({ id, nodes }) => [
          id,
          nodes.length,
          nodes.slice(0, 3).map(({ any, html }) => `${html.slice(0, 200)} ${any[0]?.message}`),
        ]);
        expect([colorScheme, found]).toEqual([colorScheme, []]);
      }
      await page.close();
    },
    90_000,
  );
});
