/**
 * `gamedata characters`: the account's characters, or one with all that it wears and has allocated.
 */
import { allRealms, realmFlag } from "@game-data/terminal/Flags";
import { print, printList } from "@game-data/terminal/Output";
import { gameApi, present } from "../session/apiContext.ts";
import { connected } from "@game-data/terminal/Settings";
import * as Views from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Argument, Command } from "effect/cli";

/** The command. */
export const charactersCommand = Command.make(
  "characters",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("One character, with equipment and passives (default: the list)"),
      Argument.optional,
    ),
    realm: realmFlag(allRealms),
  },
  Effect.fnUntraced(function* ({ name, realm }) {
    const api = yield* gameApi("account:characters");
    if (Option.isNone(name))
      return yield* printList(yield* api.characters.list({ realm }), Views.characters);
    const found = yield* api.characters.get({ realm, name: name.value });
    const what = `character "${name.value}" on this account`;
    yield* print(yield* present(found, what, "gamedata characters"), Views.character);
  }),
).pipe(
  Command.withDescription("The account's characters, or one of them"),
  Command.withExamples([
    { command: "gamedata characters", description: "The list" },
    { command: "gamedata characters NAME --json", description: "Everything about one" },
  ]),
  connected,
);
