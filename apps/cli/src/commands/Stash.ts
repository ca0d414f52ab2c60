/**
 * `gamedata stash` and `gamedata guild-stash`: tabs, their items, and the export of a whole stash.
 */
import { command, commands, help } from "./command.ts";
import type { TabFailure } from "@game-data/api-client";
import { openOutput } from "../output/outputFile.ts";
import { gameOneRealms, outFlag, realmFlag } from "../config/flags.ts";
import { omitUndefined, argument, optionalArgument } from "@game-data/terminal/flags";
import { printError, print, printList, progress } from "@game-data/terminal/Output";
import { gameApi, orNotFound } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Stream } from "effect";

/** Requests in flight; lines keep the order of the list. */
const TABS_AT_ONCE = 4;

type Group = "stashes" | "guildStashes";

const league = argument("league", "Name of the league");
const realm = realmFlag(gameOneRealms);
const stash = Effect.promise(() => import("@game-data/api-client/stash"));

const listOf = (group: Group, name: string) =>
  command(
    "list",
    help("List all tabs of a league, without their items.", {
      [`${name} list Standard`]: "Tabs of a league",
    }),
    { league, realm },
    Effect.fnUntraced(function* (request) {
      const api = yield* gameApi(`${group}.list`);
      const { flattenTabs } = yield* stash;
      yield* printList(flattenTabs(yield* api[group].list(request)), tables.tabs);
    }),
  );

const getOf = (group: Group, name: string) =>
  command(
    "get",
    help("Show a tab with its items.", { [`${name} get Standard ID`]: "One tab" }),
    {
      league,
      stash_id: argument("id", "Id of the tab"),
      substash_id: optionalArgument("sub-id", "Id of a tab inside it"),
      realm,
    },
    Effect.fnUntraced(function* ({ substash_id, ...request }) {
      const api = yield* gameApi(`${group}.get`);
      const { flattenTabs } = yield* stash;
      const inner = omitUndefined({ substash_id });
      const found = yield* api[group].get({ ...request, ...inner });
      const what = `tab ${inner.substash_id ?? request.stash_id} in ${request.league}`;
      const tab = yield* orNotFound(found, what, `${name} list ${request.league}`);
      yield* print(tab, (all) => tables.tabsWithItems(flattenTabs([all])));
    }),
  );

const exportCommand = command(
  "export",
  help(
    "Export a whole stash with its items as NDJSON, one tab per line, each written\nas soon as it is there. Tabs that could not be fetched\nare named on stderr.",
    { "gamedata stash export Standard --out stash.ndjson": "Into a file" },
  ),
  { league, realm, out: outFlag() },
  Effect.fnUntraced(function* ({ out, ...request }) {
    const { countItems, flattenTabs, topTabs } = yield* stash;
    const api = yield* gameApi("stashes.list", "stashes.get");
    const bar = yield* progress;
    const listed = topTabs(yield* api.stashes.list(request));
    const file = yield* openOutput(out);
    const failures: Array<TabFailure> = [];
    let fetched = 0;
    let tabs = 0;
    let items = 0;
    yield* Stream.fromIterable(listed).pipe(
      Stream.mapEffect(({ id }) => api.stashes.some({ ...request, ids: [id] }), {
        concurrency: TABS_AT_ONCE,
      }),
      Stream.runForEach((result) => {
        failures.push(...result.failures);
        tabs += flattenTabs(result.tabs).length;
        items += countItems(result.tabs);
        bar.update(`${++fetched} of ${listed.length} tabs`);
        return file.write(result.tabs.map((tab) => `${JSON.stringify(tab)}\n`).join(""));
      }),
    );
    yield* file.close;
    const counts = `${tabs} tabs with ${items} items`;
    bar.done(`${counts}${out === "-" ? "" : ` in ${out}`}`);
    for (const { error, stash_id: id, substash_id: inner } of failures)
      yield* printError(`Not exported: ${inner ?? id}: ${error.message}`);
    if (failures[0] !== undefined) return yield* failures[0].error;
  }),
);

/** `gamedata stash`. */
export const stashCommand = commands("stash", "List, show and export the account's stash", [
  listOf("stashes", "gamedata stash"),
  getOf("stashes", "gamedata stash"),
  exportCommand,
]).pipe(connected);

/** `gamedata guild-stash`. */
export const guildStashCommand = commands("guild-stash", "List and show the guild's stash", [
  listOf("guildStashes", "gamedata guild-stash"),
  getOf("guildStashes", "gamedata guild-stash"),
]).pipe(connected);
