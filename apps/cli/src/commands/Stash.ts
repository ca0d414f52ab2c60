/**
 * `gamedata stash` and `gamedata guild-stash`: tabs, their items, and a whole stash as a file.
 */
import { open } from "../output/outputFile.ts";
import { gameOneRealms, given, outFlag, realmFlag } from "@game-data/terminal/Flags";
import { note, print, printList, progress } from "@game-data/terminal/Output";
import { gameApi, present } from "../session/apiContext.ts";
import { connected } from "@game-data/terminal/Settings";
import * as Views from "../output/tables.ts";
import { Effect } from "effect";
import { Argument, Command } from "effect/cli";

type Group = "stashes" | "guildStashes";

const league = Argument.String("league").pipe(Argument.withDescription("Name of the league"));
const realm = realmFlag(gameOneRealms);
const stash = Effect.promise(() => import("@game-data/api-client/stash"));

const listOf = (group: Group) =>
  Command.make(
    "list",
    { league, realm },
    Effect.fnUntraced(function* (request) {
      const api = yield* gameApi("account:stashes");
      const { flattenTabs } = yield* stash;
      yield* printList(flattenTabs(yield* api[group].list(request)), Views.tabs);
    }),
  ).pipe(Command.withDescription("All tabs of a league, without items"));

const getOf = (group: Group, list: string) =>
  Command.make(
    "get",
    {
      league,
      stash_id: Argument.String("id").pipe(Argument.withDescription("Id of the tab")),
      substash_id: Argument.String("sub-id").pipe(
        Argument.withDescription("Id of a tab within it"),
        Argument.optional,
      ),
      realm,
    },
    Effect.fnUntraced(function* ({ substash_id, ...request }) {
      const api = yield* gameApi("account:stashes");
      const { flattenTabs } = yield* stash;
      const inner = given({ substash_id });
      const found = yield* api[group].get({ ...request, ...inner });
      const what = `tab ${inner.substash_id ?? request.stash_id} in ${request.league}`;
      const tab = yield* present(found, what, `${list} ${request.league}`);
      yield* print(tab, (all) => Views.tabsWithItems(flattenTabs([all])));
    }),
  ).pipe(Command.withDescription("One tab with its items"));

const exportCommand = Command.make(
  "export",
  { league, realm, out: outFlag() },
  Effect.fnUntraced(function* ({ out, ...request }) {
    const { countItems, flattenTabs } = yield* stash;
    const api = yield* gameApi("account:stashes");
    const bar = progress();
    let responses = 0;
    const { failures, tabs } = yield* api.stashes.all(request, {
      onResponse: () => bar.show(`${++responses} responses`),
    });
    const file = yield* open(out);
    for (const tab of tabs) yield* file.write(`${JSON.stringify(tab)}\n`);
    yield* file.close;
    const counts = `${flattenTabs(tabs).length} tabs with ${countItems(tabs)} items`;
    bar.done(`${counts}${out === "-" ? "" : ` in ${out}`}`);
    for (const { error, stash_id: id, substash_id: inner } of failures)
      yield* note(`Left out ${inner ?? id}: ${error.message}`);
    if (failures[0] !== undefined) return yield* failures[0].error;
  }),
).pipe(
  Command.withDescription("A whole stash with its items, one tab a line (NDJSON)"),
  Command.withExamples([
    { command: "gamedata stash export Standard --out stash.ndjson", description: "Into a file" },
  ]),
);

/** `gamedata stash`. */
export const stashCommand = Command.make("stash").pipe(
  Command.withDescription("The account's stash"),
  Command.withSubcommands([
    listOf("stashes"),
    getOf("stashes", "gamedata stash list"),
    exportCommand,
  ]),
  connected,
);

/** `gamedata guild-stash`. */
export const guildStashCommand = Command.make("guild-stash").pipe(
  Command.withDescription("The guild's stash"),
  Command.withSubcommands([
    listOf("guildStashes"),
    getOf("guildStashes", "gamedata guild-stash list"),
  ]),
  connected,
);
