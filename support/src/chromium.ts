/** The arguments of a Chromium without a window that asks nobody on the network for anything of its own. */
export const CHROMIUM_ARGS: Array<string> = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
