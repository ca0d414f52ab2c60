/**
 * `gamedata characters`: the account's characters, or one with equipment and passives.
 */
import { allRealms, realmFlag } from "../config/flags.ts";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, orNotFound } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Argument, Command } from "effect/cli";

/** `gamedata characters`. */
export const charactersCommand = Command.make(
  "characters",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("Name of a character (default: list all)"),
      Argument.optional,
    ),
    realm: realmFlag(allRealms),
  },
  Effect.fnUntraced(function* ({ name, realm }) {
    const api = yield* gameApi("characters.list", "characters.get");
    if (Option.isNone(name))
      return yield* printList(yield* api.characters.list({ realm }), tables.characters);
    const found = yield* api.characters.get({ realm, name: name.value });
    const what = `character "${name.value}" on this account`;
    yield* print(yield* orNotFound(found, what, "gamedata characters"), tables.character);
  }),
).pipe(
  Command.withDescription(
    "List the account's characters, or show one with its equipment. --json holds everything.",
  ),
  Command.withShortDescription("List characters, or show one"),
  Command.withExamples([
    { command: "gamedata characters", description: "All characters of realm pc" },
    { command: "gamedata characters NAME --json", description: "Everything about one" },
    {
      command: "gamedata characters --jq '.[] | select(.level > 90) | .name'",
      description: "Names of characters above level 90",
    },
  ]),
  connected,
);
