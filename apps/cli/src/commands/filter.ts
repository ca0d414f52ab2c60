/** `gamedata filter`: uploads, downloads and validates online item filters. */
import { routes } from "@game-data/contract/routes";
import { Console, Effect } from "effect";
import { argument, choice, command, given, group, loadGameApi, text, toggle } from "../command.ts";
import { connected } from "../config.ts";
import { usage } from "../failures.ts";
import { readText } from "../files.ts";
import { print, printEither } from "../print.ts";

const id = argument("id", "Id of the filter");

const itemFilters = Effect.map(
  loadGameApi("itemFilters.list", "itemFilters.create", "itemFilters.update"),
  (api) => api.itemFilters,
);

const push = command(
  "push",
  [
    "Upload a filter: updates the filter with that id, or with that name and realm, or creates it.",
    "gamedata filter push my.filter --name Mine --validate",
  ],
  {
    file: argument("file", "File with the filter's text, or - for standard input"),
    id: text("id", "Filter to update"),
    filter_name: text("name", "Name of the filter (required without --id)"),
    realm: choice("realm", routes["leagues.list"].query.realm, "Realm (default: pc)"),
    type: choice("type", ["Normal", "Ruthless"], "Type of game that the filter is for"),
    description: text("description", "Description of the filter"),
    version: text("game-version", "Game version of the filter"),
    public: toggle("public", "Publish the filter. This cannot be undone"),
    validate: toggle("validate", "Reject the filter if it is not valid"),
  },
  Effect.fnUntraced(function* ({ file, id: known, public: isPublic, validate, ...about }) {
    const filter = yield* readText(file);
    const changes = { filter, ...given(about), ...(isPublic && { public: true as const }) };
    const { filter_name: name } = changes;
    if (known === undefined && name === undefined)
      return yield* usage("The filter has no name.", "add --name NAME, or --id ID to update one");
    const filters = yield* itemFilters;
    const outcome =
      known === undefined
        ? yield* filters.upsert({ realm: "pc", ...changes, filter_name: name! }, { validate })
        : yield* filters.update(known, changes, { validate });
    yield* print(outcome);
  }),
);

const pull = command(
  "pull",
  ["Print the text of a filter.", "gamedata filter pull ID > my.filter"],
  { id },
  Effect.fnUntraced(function* (which) {
    const { filter } = yield* (yield* itemFilters).get(which);
    // `Console.log` adds a line break, so the text's own last line break is removed.
    yield* Console.log((filter ?? "").replace(/\r?\n$/u, ""));
  }),
);

const validate = command(
  "validate",
  [
    "Validate an online filter against the current game version. Its text is sent again, unchanged.",
    "gamedata filter validate ID",
  ],
  { id },
  Effect.fnUntraced(function* (which) {
    const filters = yield* itemFilters;
    const { filter } = yield* filters.get(which);
    const outcome = yield* filters.update(which.id, { filter: filter ?? "" }, { validate: true });
    yield* printEither("The filter is valid.", outcome);
  }),
);

export const filter = group("filter", "Upload, download and validate item filters", [
  push,
  pull,
  validate,
]).pipe(connected);
