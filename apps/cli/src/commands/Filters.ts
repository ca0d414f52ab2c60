/**
 * `gamedata filters`: item filters kept online.
 */
import { allRealms, given, switchFlag, textFlag } from "@game-data/terminal/Flags";
import { failure } from "@game-data/terminal/Failure";
import { readText } from "@game-data/terminal/Input";
import { line, print, printList } from "@game-data/terminal/Output";
import { gameApi } from "../session/apiContext.ts";
import { connected } from "@game-data/terminal/Settings";
import * as Views from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const id = Argument.String("id").pipe(Argument.withDescription("Id of the filter"));
const api = gameApi("account:item_filter");

const listCommand = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const { itemFilters } = yield* api;
    yield* printList(yield* itemFilters.list(), Views.filters);
  }),
).pipe(Command.withDescription("All filters, without their text"));

const getCommand = Command.make(
  "get",
  { id, text: switchFlag("text", "Print the filter's text and nothing else") },
  Effect.fnUntraced(function* ({ text, ...which }) {
    const { itemFilters } = yield* api;
    const filter = yield* itemFilters.get(which);
    // `line` ends it: a text that is fetched and pushed again must not grow.
    if (text) yield* line((filter.filter ?? "").replace(/\r?\n$/u, ""));
    else yield* print(filter, Views.filter);
  }),
).pipe(Command.withDescription("One filter"));

const pushCommand = Command.make(
  "push",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The filter's text, or - for standard input"),
    ),
    id: textFlag(
      "id",
      "Update this filter (default: the one with its name and realm, or a new one)",
    ),
    filter_name: textFlag("name", "Its name (required without --id)"),
    realm: Flag.Literals("realm", allRealms).pipe(
      Flag.withDescription("Its realm (default: pc, or as it is)"),
      Flag.optional,
    ),
    type: Flag.Literals("type", ["Normal", "Ruthless"]).pipe(Flag.optional),
    description: textFlag("description", "A description"),
    version: textFlag("game-version", "The game version it is for"),
    public: switchFlag("public", "Publish it, for good"),
    validate: switchFlag(
      "validate",
      "Have it checked against the current game version; refused if it is not valid",
    ),
  },
  Effect.fnUntraced(function* ({ file, id: known, public: isPublic, validate, ...about }) {
    const filter = yield* readText(file);
    const changes = { filter, ...given(about), ...(isPublic && { public: true as const }) };
    const { filter_name: name } = changes;
    if (Option.isNone(known) && name === undefined)
      return yield* failure("usage", "Which filter?", { next: "give --name NAME, or --id ID" });
    const { itemFilters } = yield* api;
    const outcome = Option.isSome(known)
      ? yield* itemFilters.update(known.value, changes, { validate })
      : yield* itemFilters.upsert({ realm: "pc", ...changes, filter_name: name! }, { validate });
    yield* print(outcome, Views.filterOutcome);
  }),
).pipe(
  Command.withDescription("Put a filter online, or update one"),
  Command.withExamples([
    {
      command: "gamedata filters push my.filter --name Mine --validate",
      description: "Create a filter, if it is valid",
    },
  ]),
);

const validateCommand = Command.make(
  "validate",
  { id },
  Effect.fnUntraced(function* ({ id: of }) {
    const { itemFilters } = yield* api;
    const { filter } = yield* itemFilters.get({ id: of });
    const checked = itemFilters.update(of, { filter: filter ?? "" }, { validate: true });
    yield* print(yield* checked, Views.filterOutcome);
  }),
).pipe(
  Command.withDescription(
    "Have an online filter checked against the current game version; its text stays",
  ),
);

/** The command and its subcommands. */
export const filtersCommand = Command.make("filters").pipe(
  Command.withDescription("Item filters kept online"),
  Command.withSubcommands([listCommand, getCommand, pushCommand, validateCommand]),
  connected,
);
