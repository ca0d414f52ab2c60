/**
 * `gamedata characters`: the account's characters, or one with equipment and passives.
 */
import { command, help } from "./command.ts";
import { allRealms, realmFlag } from "../config/flags.ts";
import { optionalArgument } from "@game-data/terminal/flags";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, orNotFound } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";

/** `gamedata characters`. */
export const charactersCommand = command(
  "characters",
  help("List the account's characters, or show one with its equipment. --json holds everything.", {
    "gamedata characters": "All characters of realm pc",
    "gamedata characters NAME --json": "Everything about one",
    "gamedata characters --jq '.[] | select(.level > 90) | .name'":
      "Names of characters above level 90",
  }),
  {
    name: optionalArgument("name", "Name of a character (default: list all)"),
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
).pipe(connected);
