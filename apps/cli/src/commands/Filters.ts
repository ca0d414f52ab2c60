/**
 * `gamedata filters`: the account's online item filters.
 */
import { allRealms, omitUndefined, switchFlag, textFlag } from "../config/flags.ts";
import { failure } from "@game-data/terminal/Failure";
import { readText } from "@game-data/terminal/Input";
import { printText, print, printList } from "@game-data/terminal/Output";
import { gameApi } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const id = Argument.String("id").pipe(Argument.withDescription("Id of the filter"));
const api = gameApi(
  "itemFilters.list",
  "itemFilters.get",
  "itemFilters.create",
  "itemFilters.update",
);

const listCommand = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const { itemFilters } = yield* api;
    yield* printList(yield* itemFilters.list(), tables.filters);
  }),
).pipe(
  Command.withDescription("List the account's filters, without their text."),
  Command.withShortDescription("List filters"),
  Command.withExamples([
    {
      command: "gamedata filters list --template '\\(.id) \\(.filter_name)'",
      description: "Ids and names",
    },
  ]),
);

const getCommand = Command.make(
  "get",
  { id, text: switchFlag("text", "Print the filter's text only") },
  Effect.fnUntraced(function* ({ text, ...which }) {
    const { itemFilters } = yield* api;
    const filter = yield* itemFilters.get(which);
    // `printText` adds a line break: a text that is fetched and pushed again must not grow.
    if (text) yield* printText((filter.filter ?? "").replace(/\r?\n$/u, ""));
    else yield* print(filter, tables.filter);
  }),
).pipe(
  Command.withDescription("Show a filter and the result of its validation, or print its text."),
  Command.withShortDescription("Show a filter"),
  Command.withExamples([
    { command: "gamedata filters get ID --text > my.filter", description: "Download a filter" },
  ]),
);

const pushCommand = Command.make(
  "push",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("File with the filter's text, or - for standard input"),
    ),
    id: textFlag(
      "id",
      "Filter to update (default: the one with this name and realm, or a new one)",
    ),
    filter_name: textFlag("name", "Name of the filter (required without --id)"),
    realm: Flag.Literals("realm", allRealms).pipe(
      Flag.withDescription("Realm (default: pc, or unchanged)"),
      Flag.optional,
    ),
    type: Flag.Literals("type", ["Normal", "Ruthless"]).pipe(
      Flag.withDescription("Type of game that the filter is for"),
      Flag.optional,
    ),
    description: textFlag("description", "Description of the filter"),
    version: textFlag("game-version", "Game version of the filter"),
    public: switchFlag("public", "Publish the filter. This cannot be undone"),
    validate: switchFlag(
      "validate",
      "Reject the filter if it is not valid for the current game version",
    ),
  },
  Effect.fnUntraced(function* ({ file, id: known, public: isPublic, validate, ...about }) {
    const filter = yield* readText(file);
    const changes = { filter, ...omitUndefined(about), ...(isPublic && { public: true as const }) };
    const { filter_name: name } = changes;
    if (Option.isNone(known) && name === undefined)
      return yield* failure("usage", "The filter has no name.", {
        next: "add --name NAME, or --id ID to update a filter",
      });
    const { itemFilters } = yield* api;
    const outcome = Option.isSome(known)
      ? yield* itemFilters.update(known.value, changes, { validate })
      : yield* itemFilters.upsert({ realm: "pc", ...changes, filter_name: name! }, { validate });
    yield* print(outcome, tables.filterOutcome);
  }),
).pipe(
  Command.withDescription(
    "Upload a filter: updates the filter with that id, or with that name and realm, or creates it.",
  ),
  Command.withShortDescription("Upload a filter"),
  Command.withExamples([
    {
      command: "gamedata filters push my.filter --name Mine --validate",
      description: "Create or update a filter if it is valid",
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
    yield* print(yield* checked, tables.filterOutcome);
  }),
).pipe(
  Command.withDescription(
    "Validate an online filter against the current game version. Its text is sent again, unchanged:\nthe service has no other way to validate a filter.",
  ),
  Command.withShortDescription("Validate an online filter"),
  Command.withExamples([{ command: "gamedata filters validate ID", description: "One filter" }]),
);

/** The command and its subcommands. */
export const filtersCommand = Command.make("filters").pipe(
  Command.withDescription("List, download, upload and validate online item filters"),
  Command.withSubcommands([listCommand, getCommand, pushCommand, validateCommand]),
  connected,
);
