/** Arguments of a Chromium without a window that sends no requests of its own. */
export const CHROMIUM_ARGS: Array<string> = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
