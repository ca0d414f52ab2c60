/**
 * `gamedata watch`: the matches of a search of a stash index, as they come and go.
 */
import { argument } from "@game-data/terminal/flags";
import { command, help } from "./command.ts";
import { Host } from "@game-data/terminal/Host";
import { outputFormat, print, printError, printLine, printView } from "@game-data/terminal/Output";
import { Clock, Duration, Effect, Stream } from "effect";
import { watchLines } from "../output/watchLine.ts";

/** `gamedata watch`. */
export const watchCommand = command(
  "watch",
  help(
    "Watch a search of a stash index: what is listed from now on, and what becomes of its matches.\nThe address is that of the index's page, with the filters that you set there. A terminal gets a\nline per event, a pipe one JSON value per line. After a cut the command goes on behind the last\nevent; it ends with Ctrl-C.",
    {
      "gamedata watch 'http://127.0.0.1:8770/?league=Standard&q=band&priceMax=5'":
        "A line per event",
      "gamedata watch 'http://127.0.0.1:8770/?q=band' --jq 'select(.kind == \"sold\") | .no'":
        "Numbers of what is sold",
    },
  ),
  {
    address: argument("address", "Address of a search: copied from the page of a stash index"),
  },
  Effect.fnUntraced(function* ({ address }) {
    const { watchIndex, watchUrl } = yield* Effect.promise(
      () => import("../session/watchIndex.ts"),
    );
    const url = yield* watchUrl(address);
    const { stdout } = yield* Host;
    const isView = stdout.isTTY === true && (yield* outputFormat) === "view";
    const isJson = !isView && (yield* outputFormat) !== "jq";
    const lineOf = watchLines();
    const events = watchIndex(url, {
      onBegin: isView ? printError(`Watching ${url.host} (Ctrl-C ends it)`) : Effect.void,
      onCut: ({ message }, pause) =>
        printError(`${message} Trying again in ${Duration.toSeconds(pause).toFixed(1)} s.`),
    });
    yield* Stream.runForEach(events, (event) =>
      Effect.gen(function* () {
        if (isJson) return yield* printLine(JSON.stringify(event));
        if (!isView) return yield* print(event, () => "");
        const now = new Date(yield* Clock.currentTimeMillis);
        yield* printView(lineOf(event, now, stdout.columns));
      }),
    );
  }),
);
