/** Arguments for a headless Chromium that sends no requests by itself. */
export const CHROMIUM_ARGS: Array<string> = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
