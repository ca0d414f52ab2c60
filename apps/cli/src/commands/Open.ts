/**
 * `gamedata open`: opens a page of the service in the browser.
 */
import { command, help } from "./command.ts";
import { printError, printLine } from "@game-data/terminal/Output";
import { Host } from "@game-data/terminal/Host";
import { Effect } from "effect";
import { Argument } from "effect/cli";
import { switchFlag } from "@game-data/terminal/flags";
import { connected, required, settings } from "../config/Settings.ts";

/** `gamedata open`. */
export const openCommand = command(
  "open",
  help("Open the service or its sign-in page in the browser.", {
    "gamedata open": "The data API's address",
    "gamedata open sign-in --no-browser": "Print an address",
  }),
  {
    page: Argument.Literals("page", ["service", "sign-in"]).pipe(
      Argument.withDescription("Page to open: service or sign-in (default: service)"),
      Argument.withDefault("service" as const),
    ),
    noBrowser: switchFlag("no-browser", "Print the address instead of opening a browser"),
  },
  Effect.fnUntraced(function* ({ noBrowser, page }) {
    const from = yield* settings;
    const url = yield* required(from, page === "service" ? "baseUrl" : "authUrl");
    const { stdout } = yield* Host;
    // Programs in a pipe get the address.
    if (noBrowser || stdout.isTTY !== true) return yield* printLine(url);
    const { openBrowser } = yield* Effect.promise(() => import("@game-data/oauth-pkce/node"));
    yield* printError(`Opening ${url} in your browser.`);
    yield* openBrowser(url);
  }),
).pipe(connected);
