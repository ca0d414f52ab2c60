/**
 * `gamedata characters`: the account's characters, or one with all that it wears and has allocated.
 */
import { Effect, Option } from "effect";
import { Argument, Command } from "effect/cli";
import { allRealms, realmFlag } from "@game-data/cli-kit/Flags";
import { gameApi, present } from "@game-data/cli-kit/Service";
import { facts, print, printList, table } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";

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
    if (Option.isNone(name)) {
      return yield* printList(yield* api.characters.list({ realm }), (characters) =>
        table(
          ["name", "class", "level", "league", "realm"],
          characters.map((each) => [each.name, each.class, each.level, each.league, each.realm]),
          "This account has no characters in this realm.",
        ),
      );
    }
    const found = yield* api.characters.get({ realm, name: name.value });
    const character = yield* present(
      found,
      `character "${name.value}" on this account`,
      "gamedata characters",
    );
    yield* print(character, ({ equipment, inventory, jewels, passives, ...of }) =>
      [
        facts([
          ["name", of.name],
          ["class", of.class],
          ["level", of.level],
          ["experience", of.experience],
          ["league", of.league],
          ["realm", of.realm],
          ["passives", passives?.hashes.length],
          ["jewels", jewels?.length],
          ["inventory", inventory === undefined ? undefined : `${inventory?.length ?? 0} items`],
        ]),
        "",
        table(
          ["slot", "item", "level"],
          (equipment ?? []).map((item) => [
            item.inventoryId,
            [item.name, item.typeLine].filter(Boolean).join(", "),
            item.ilvl,
          ]),
          "No equipment.",
        ),
      ].join("\n"),
    );
  }),
).pipe(
  Command.withDescription("The account's characters, or one of them"),
  Command.withExamples([
    { command: "gamedata characters", description: "The list" },
    { command: "gamedata characters NAME --json", description: "Everything about one" },
  ]),
  connected,
);
