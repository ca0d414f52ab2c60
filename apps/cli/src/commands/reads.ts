/**
 * A command for each operation that reads: `gamedata leagues get Standard`. Names, arguments, flags
 * and scopes follow from the table of operations.
 */
import {
  type Parameter,
  parametersOf,
  type Route,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import { Effect, String as Str } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { callOperation, given, group, loadGameApi } from "../command.ts";
import { connected } from "../config.ts";
import { Failure } from "../failures.ts";
import { print, printMessage } from "../print.ts";

/** Columns of lists whose most useful members are nested, so that the default columns omit them. */
const COLUMNS: { readonly [Name in RouteName]?: string } = {
  "accountLeagues.list": "id category.id startAt endAt",
  "characters.list": "name class level league realm",
  "guildStashes.list": "id name type index",
  "itemFilters.list": "id filter_name realm type version public",
  "leagues.list": "id category.id startAt endAt",
  "pvpMatches.list": "id startAt endAt",
  "stashes.list": "id name type index",
};

const reading = (Object.keys(routes) as ReadonlyArray<RouteName>).filter(
  (name) => routes[name].method === "GET",
);

/** Makes an argument for a required parameter, and a flag for an optional parameter. */
const input = (parameter: Parameter) => {
  const name = Str.kebabCase(parameter.name);
  return parameter.required
    ? Argument.String(name)
    : Flag.withDefault(flag(name, parameter), undefined);
};

const flag = (name: string, { kind, max, min = 0, words = [] }: Parameter): Flag.Flag<unknown> => {
  // Adds `pc`, which parameters in paths lack because paths omit the default realm.
  if (name === "realm") return Flag.Literals(name, [...new Set(["pc", ...words])]);
  if (kind === "word") return Flag.Literals(name, words);
  if (kind === "bool") return Flag.Boolean(name);
  if (kind !== "uint") return Flag.String(name);
  const range = max === undefined ? `from ${min}` : `from ${min} to ${max}`;
  return Flag.withDescription(Flag.Int(name), `A number ${range}`);
};

const readCommand = (name: RouteName) => {
  const { isNullable = false, path } = routes[name] as Route;
  const [of = "", method = ""] = name.split(".");
  const inputs = Object.fromEntries(parametersOf(name).map((each) => [each.name, input(each)]));
  const run = Effect.fnUntraced(function* (values: Readonly<Record<string, unknown>>) {
    const request = given(values);
    const response = Effect.flatMap(loadGameApi(name), (api) => callOperation(api, name, request));
    const notice = Effect.delay(printMessage("Waiting for the service …"), "5 seconds");
    const result: unknown = yield* Effect.raceFirst(response, Effect.andThen(notice, Effect.never));
    if (result === null)
      return yield* new Failure({
        code: "NotFound",
        message: `Nothing has this name: ${Object.values(request).join(" ")}.`,
        next: listCommand(of),
      });
    yield* print(result, COLUMNS[name]);
  });
  const absent = isNullable ? " Exits with 66 if there is no such thing." : "";
  return Command.make(Str.kebabCase(method), inputs, run).pipe(
    Command.withShortDescription(`GET ${path}`),
    Command.withDescription(`Send GET ${path} and print the response.${absent}`),
  );
};

/** Returns the next step after a name was not found: the command that lists the names. */
const listCommand = (of: string): string | undefined => {
  const list = reading.find((name) => name === `${of}.list`);
  if (list === undefined) return undefined;
  const needed = parametersOf(list).flatMap(({ name, required }) =>
    required ? ` ${name.toUpperCase()}` : [],
  );
  return `see what there is with: gamedata ${Str.kebabCase(of)} list${needed.join("")}`;
};

/** The commands that read, in one group for each group of operations. */
export const readCommands = [...Map.groupBy(reading, (name) => name.split(".")[0]!)].map(
  ([of, names]) => {
    const methods = names.map((name) => Str.kebabCase(name.split(".")[1]!));
    const about = `Read ${Str.kebabCase(of).replaceAll("-", " ")}: ${methods.join(", ")}`;
    return group(Str.kebabCase(of), about, names.map(readCommand)).pipe(connected);
  },
);
