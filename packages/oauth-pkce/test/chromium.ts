/** A Chromium for the tests of one block: one page, and servers that end with it. */
import type { RequestListener } from "node:http";
import { CHROMIUM_ARGS } from "@game-data/test-support";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { listen } from "./FakeServer.ts";

export const useChromium = (executablePath: string) => {
  const servers: Array<{ readonly close: () => unknown }> = [];
  /** Serves until the block ends. */
  const serve = async (handle: RequestListener): Promise<string> => {
    const server = await listen(handle);
    servers.push(server);
    return server.url;
  };
  const chrome = {} as { browser: Browser; context: BrowserContext; page: Page };
  beforeAll(async () => {
    chrome.browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
    chrome.context = await chrome.browser.newContext();
    chrome.page = await chrome.context.newPage();
  });
  afterAll(async () => {
    await chrome.browser?.close();
    for (const server of servers) server.close();
  });
  return { chrome, serve, servers };
};
