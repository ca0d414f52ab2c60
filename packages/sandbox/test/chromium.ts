/** A Chromium without a window that asks nobody on the network for anything of its own. */
import { type Browser, chromium } from "playwright-core";

/** Starts the Chromium at a path. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
