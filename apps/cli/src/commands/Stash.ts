/**
 * `gamedata stash` and `gamedata guild-stash`: tabs, their items, and a whole stash as a file.
 */
import type { StashTab } from "@game-data/schemas";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { gameOneRealms, realmFlag } from "@game-data/cli-kit/Flags";
import { gameApi, present } from "@game-data/cli-kit/Service";
import { note, print, printList, progress, table } from "@game-data/cli-kit/Output";
import { open } from "@game-data/cli-kit/Destination";
import { connected } from "@game-data/cli-kit/Settings";

type Group = "stashes" | "guildStashes";

const COMMANDS = { stashes: "stash", guildStashes: "guild-stash" } as const;

const league = Argument.String("league").pipe(Argument.withDescription("Name of the league"));
const realm = realmFlag(gameOneRealms);

const listOf = (group: Group) =>
  Command.make(
    "list",
    { league, realm },
    Effect.fnUntraced(function* (request) {
      const api = yield* gameApi("account:stashes");
      const tabs = flatten(yield* api[group].list(request));
      yield* printList(tabs, (all) =>
        table(
          ["id", "name", "type", "parent", "public"],
          all.map((tab) => [
            tab.id,
            tab.name,
            tab.type,
            tab.parent ?? tab.folder,
            tab.metadata.public ? "yes" : "",
          ]),
          "No tabs in this league.",
        ),
      );
    }),
  ).pipe(Command.withDescription("All tabs of a league, without items"));

/** Tabs and the tabs within them, in their order. */
const flatten = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> =>
  tabs.flatMap(({ children, ...tab }) => [tab, ...flatten(children ?? [])]);

const getOf = (group: Group) =>
  Command.make(
    "get",
    {
      league,
      id: Argument.String("id").pipe(Argument.withDescription("Id of the tab")),
      subId: Argument.String("sub-id").pipe(
        Argument.withDescription("Id of a tab within it"),
        Argument.optional,
      ),
      realm,
    },
    Effect.fnUntraced(function* ({ id, league: of, realm: where, subId }) {
      const api = yield* gameApi("account:stashes");
      const inner = Option.getOrUndefined(subId);
      const request = { realm: where, league: of, stash_id: id };
      const found = yield* api[group].get(
        inner === undefined ? request : { ...request, substash_id: inner },
      );
      const tab = yield* present(
        found,
        `tab ${inner ?? id} in ${of}`,
        `gamedata ${COMMANDS[group]} list ${of}`,
      );
      yield* print(tab, itemsOf);
    }),
  ).pipe(Command.withDescription("One tab with its items"));

const itemsOf = (tab: StashTab): string =>
  flatten([tab])
    .map(
      (each) =>
        `${each.name} (${each.type})\n${table(
          ["x", "y", "item", "stack", "note"],
          (each.items ?? []).map((item) => [
            item.x,
            item.y,
            [item.name, item.typeLine].filter(Boolean).join(", "),
            item.stackSize,
            item.note,
          ]),
          "Empty.",
        )}`,
    )
    .join("\n\n");

const exportCommand = Command.make(
  "export",
  {
    league,
    realm,
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("A file to write, or - for standard output"),
      Flag.withDefault("-"),
    ),
  },
  Effect.fnUntraced(function* ({ league: of, out, realm: where }) {
    const { ResponseListener } = yield* Effect.promise(() => import("@game-data/api-client"));
    const api = yield* gameApi("account:stashes");
    const bar = progress();
    let answers = 0;
    const { failures, tabs } = yield* api.stashes
      .all({ realm: where, league: of })
      .pipe(Effect.provideService(ResponseListener, () => bar.show(`${++answers} answers`)));
    const file = yield* open(out);
    for (const tab of tabs) yield* file.write(`${JSON.stringify(tab)}\n`);
    yield* file.close;
    const all = flatten(tabs);
    const items = all.reduce((count, tab) => count + (tab.items?.length ?? 0), 0);
    bar.done(`${all.length} tabs with ${items} items${out === "-" ? "" : ` in ${out}`}`);
    const [first] = failures;
    for (const { error, stash_id: id, substash_id: subId } of failures)
      yield* note(`Left out ${subId ?? id}: ${error.message}`);
    if (first !== undefined) return yield* first.error;
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
  Command.withSubcommands([listOf("stashes"), getOf("stashes"), exportCommand]),
  connected,
);

/** `gamedata guild-stash`. */
export const guildStashCommand = Command.make("guild-stash").pipe(
  Command.withDescription("The guild's stash"),
  Command.withSubcommands([listOf("guildStashes"), getOf("guildStashes")]),
  connected,
);
