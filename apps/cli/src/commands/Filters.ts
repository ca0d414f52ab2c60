/**
 * `gamedata filters`: the account's online item filters.
 */
import { command, commands, help } from "./command.ts";
import { allRealms } from "../config/flags.ts";
import {
  omitUndefined,
  switchFlag,
  textFlag,
  argument,
  choiceFlag,
} from "@game-data/terminal/flags";
import { failure } from "@game-data/terminal/Failure";
import { readText } from "@game-data/terminal/Input";
import { printText, print, printList } from "@game-data/terminal/Output";
import { gameApi } from "../session/apiContext.ts";
import { connected } from "../config/Settings.ts";
import * as tables from "../output/tables.ts";
import { Effect, Option } from "effect";

const id = argument("id", "Id of the filter");
const api = gameApi(
  "itemFilters.list",
  "itemFilters.get",
  "itemFilters.create",
  "itemFilters.update",
);

const listCommand = command(
  "list",
  help("List the account's filters, without their text.", {
    "gamedata filters list --template '\\(.id) \\(.filter_name)'": "Ids and names",
  }),
  {},
  () =>
    Effect.gen(function* () {
      const { itemFilters } = yield* api;
      yield* printList(yield* itemFilters.list(), tables.filters);
    }),
);

const getCommand = command(
  "get",
  help("Show a filter and the result of its validation, or print its text.", {
    "gamedata filters get ID --text > my.filter": "Download a filter",
  }),
  { id, text: switchFlag("text", "Print the filter's text only") },
  Effect.fnUntraced(function* ({ text, ...which }) {
    const { itemFilters } = yield* api;
    const filter = yield* itemFilters.get(which);
    // `printText` adds a line break: a text that is fetched and pushed again must not grow.
    if (text) yield* printText((filter.filter ?? "").replace(/\r?\n$/u, ""));
    else yield* print(filter, tables.filter);
  }),
);

const pushCommand = command(
  "push",
  help(
    "Upload a filter: updates the filter with that id, or with that name and realm, or creates it.",
    {
      "gamedata filters push my.filter --name Mine --validate":
        "Create or update a filter if it is valid",
    },
  ),
  {
    file: argument("file", "File with the filter's text, or - for standard input"),
    id: textFlag(
      "id",
      "Filter to update (default: the one with this name and realm, or a new one)",
    ),
    filter_name: textFlag("name", "Name of the filter (required without --id)"),
    realm: choiceFlag("realm", allRealms, "Realm (default: pc, or unchanged)"),
    type: choiceFlag("type", ["Normal", "Ruthless"], "Type of game that the filter is for"),
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
);

const validateCommand = command(
  "validate",
  help(
    "Validate an online filter against the current game version. Its text is sent again, unchanged:\nthe service has no other way to validate a filter.",
    { "gamedata filters validate ID": "One filter" },
  ),
  { id },
  Effect.fnUntraced(function* ({ id: of }) {
    const { itemFilters } = yield* api;
    const { filter } = yield* itemFilters.get({ id: of });
    const checked = itemFilters.update(of, { filter: filter ?? "" }, { validate: true });
    yield* print(yield* checked, tables.filterOutcome);
  }),
);

/** The command and its subcommands. */
export const filtersCommand = commands(
  "filters",
  "List, download, upload and validate online item filters",
  [listCommand, getCommand, pushCommand, validateCommand],
).pipe(connected);
