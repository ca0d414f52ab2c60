import { CHROMIUM_ARGS } from "@game-data/test-support";
import { type Browser, chromium } from "playwright-core";

/** Starts the Chromium at a path. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: CHROMIUM_ARGS });
