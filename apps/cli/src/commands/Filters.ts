/**
 * `gamedata filters`: item filters kept online.
 */
import type { FilterOutcome } from "@game-data/api-client";
import type { ItemFilter } from "@game-data/schemas";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { allRealms } from "@game-data/cli-kit/Flags";
import { gameApi } from "@game-data/cli-kit/Service";
import { failure } from "@game-data/cli-kit/Failure";
import { readText } from "@game-data/cli-kit/Input";
import { facts, line, print, printList, styled, table } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";

const id = Argument.String("id").pipe(Argument.withDescription("Id of the filter"));

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

const listCommand = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const api = yield* gameApi("account:item_filter");
    yield* printList(yield* api.itemFilters.list(), (filters) =>
      table(
        ["id", "name", "realm", "type", "version", "public"],
        filters.map((each) => [
          each.id,
          each.filter_name,
          each.realm,
          each.type,
          each.version,
          each.public ? "yes" : "",
        ]),
        "No filters online.",
      ),
    );
  }),
).pipe(Command.withDescription("All filters, without their text"));

const getCommand = Command.make(
  "get",
  {
    id,
    text: Flag.Boolean("text").pipe(
      Flag.withDescription("Print the filter's text and nothing else"),
      Flag.withDefault(false),
    ),
  },
  Effect.fnUntraced(function* ({ id: of, text: isText }) {
    const api = yield* gameApi("account:item_filter");
    const filter = yield* api.itemFilters.get({ id: of });
    if (isText) yield* line(filter.filter ?? "");
    else yield* print(filter, describe);
  }),
).pipe(Command.withDescription("One filter"));

const describe = (filter: ItemFilter): string =>
  facts([
    ["id", filter.id],
    ["name", filter.filter_name],
    ["description", filter.description || undefined],
    ["realm", filter.realm],
    ["type", filter.type],
    ["version", filter.version],
    ["public", filter.public ? "yes" : "no"],
    ["lines", filter.filter?.trimEnd().split("\n").length],
    ["valid", verdict(filter)],
  ]);

const verdict = ({ validation }: ItemFilter) =>
  validation == null
    ? undefined
    : `${validation.valid ? "yes" : "no"} (version ${validation.version ?? "unknown"}, ${validation.validated ?? "no date"})`;

const told = (outcome: FilterOutcome) =>
  outcome.status !== "accepted"
    ? describe(outcome.filter)
    : `${describe(outcome.filter)}\n${styled("yellow", `Accepted, and not done yet: ${outcome.error.message}`)}`;

const pushCommand = Command.make(
  "push",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The filter's text, or - for standard input"),
    ),
    id: text("id", "Update this filter (default: the one with its name and realm, or a new one)"),
    name: text("name", "Its name (required without --id)"),
    realm: Flag.Literals("realm", allRealms).pipe(
      Flag.withDescription("Its realm (default: pc, or as it is)"),
      Flag.optional,
    ),
    type: Flag.Literals("type", ["Normal", "Ruthless"]).pipe(Flag.optional),
    description: text("description", "A description"),
    version: text("game-version", "The game version it is for"),
    public: Flag.Boolean("public").pipe(
      Flag.withDescription("Publish it, for good"),
      Flag.withDefault(false),
    ),
    validate: Flag.Boolean("validate").pipe(
      Flag.withDescription(
        "Have it checked against the current game version; refused if it is not valid",
      ),
      Flag.withDefault(false),
    ),
  },
  Effect.fnUntraced(function* ({ file, ...given }) {
    const changes = {
      filter: yield* readText(file),
      ...optional("filter_name", given.name),
      ...optional("realm", given.realm),
      ...optional("type", given.type),
      ...optional("description", given.description),
      ...optional("version", given.version),
      ...(given.public && { public: true as const }),
    };
    const name = Option.getOrUndefined(given.name);
    if (Option.isNone(given.id) && name === undefined)
      return yield* failure("usage", "Which filter?", {
        next: "give --name NAME, or --id ID",
      });
    const api = yield* gameApi("account:item_filter");
    const options = given.validate ? { validate: true } : {};
    const outcome = Option.isSome(given.id)
      ? yield* api.itemFilters.update(given.id.value, changes, options)
      : yield* api.itemFilters.push({ realm: "pc", ...changes, filter_name: name! }, options);
    yield* print(outcome, told);
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

const optional = <Key extends string, A>(key: Key, value: Option.Option<A>) =>
  Option.match(value, { onNone: () => ({}), onSome: (some) => ({ [key]: some }) }) as {
    readonly [K in Key]?: A;
  };

const validateCommand = Command.make(
  "validate",
  { id },
  Effect.fnUntraced(function* ({ id: of }) {
    const api = yield* gameApi("account:item_filter");
    const { filter } = yield* api.itemFilters.get({ id: of });
    yield* print(
      yield* api.itemFilters.update(of, { filter: filter ?? "" }, { validate: true }),
      told,
    );
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
