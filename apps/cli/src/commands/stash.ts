/** `gamedata stash export`: a whole stash with its items. */
import type { TabFailure } from "@game-data/api-client";
import { routes } from "@game-data/contract/routes";
import type { StashTab } from "@game-data/schemas";
import { Effect, Stream } from "effect";
import { argument, choiceFlag, command, given, group, load } from "../command.ts";
import { connected } from "../config.ts";
import { outFlag, writeOutput } from "../output.ts";
import { makeProgress, printMessage } from "../print.ts";

/** Requests in flight; lines keep the order of the list. */
const TABS_AT_ONCE = 4;

const exportStash = command(
  "export",
  [
    "Export a whole stash as NDJSON, one tab per line with its items. Tabs that could not be fetched are named on stderr.",
    "gamedata stash export Standard --out stash.ndjson",
  ],
  {
    league: argument("league", "Name of the league"),
    realm: choiceFlag(
      "realm",
      ["pc", ...routes["stashes.list"].params.realm],
      "Realm (default: pc)",
    ),
    out: outFlag,
  },
  Effect.fnUntraced(function* ({ league, out, ...flags }) {
    const request = { league, ...given(flags) };
    const { gameApi } = yield* load(() => import("../connect.ts"));
    const api = yield* gameApi("stashes.list", "stashes.get");
    const ids = fetchable(yield* api.stashes.list(request)).map(({ id }) => id);
    const progress = yield* makeProgress;
    const failures: Array<TabFailure> = [];
    let fetched = 0;
    const lines = Stream.fromIterable(ids).pipe(
      Stream.mapEffect((id) => api.stashes.some({ ...request, ids: [id] }), {
        concurrency: TABS_AT_ONCE,
      }),
      Stream.tap(() => progress(`${++fetched} of ${ids.length} tabs`)),
      Stream.map((result) => {
        failures.push(...result.failures);
        return result.tabs.map((tab) => `${JSON.stringify(tab)}\n`).join("");
      }),
    );
    yield* writeOutput(out, lines);
    for (const { error, stash_id: id, substash_id: inner } of failures)
      yield* printMessage(`Not exported: ${inner ?? id}: ${error.message}`);
    const [first] = failures;
    if (first !== undefined) return yield* first.error;
  }),
);

/** The tabs that are fetched by their own id: those in folders, and none within another tab. */
const fetchable = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> =>
  tabs.flatMap((tab) => {
    if (tab.type === "Folder") return fetchable(tab.children ?? []);
    const parent = tabs.find(({ id }) => id === tab.parent);
    return parent === undefined || parent.type === "Folder" ? [tab] : [];
  });

export const stash = group("stash", "Export the account's stash", [exportStash]).pipe(connected);
