import { describeWithService } from "@game-data/test-support";
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

  it.each([
    ["/docs", "publicStashTabs"],
    ["/docs/control", "faults"],
  ])(
    "%s is drawn under its policy and asks nobody else for anything",
    async (path, group) => {
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
      await page.getByText(group, { exact: true }).first().waitFor({ timeout: 20_000 });
      // The addresses on the page are those that answer, not the specification's placeholders.
      expect(await page.content()).not.toMatch(/(?:auth|data)\.example/u);
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
    30_000,
  );
});
