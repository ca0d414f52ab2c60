/** Starts the Chromium of the tests: it opens no window, and asks nobody outside. */
import { chromium } from "playwright-core";

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launchChromium = (executablePath: string) =>
  chromium.launch({ executablePath, args: ARGS });
