/**
 * `gamedata api`: sends a request to any path of the data API.
 */
import { command, help } from "./command.ts";
import type { Scope } from "@game-data/contract";
import { failure } from "@game-data/terminal/Failure";
import { readJson } from "@game-data/terminal/Input";
import { printJson } from "@game-data/terminal/Output";
import { Effect, Option } from "effect";
import { Flag } from "effect/cli";
import { textFlag, argument } from "@game-data/terminal/flags";
import { connected, settings } from "../config/Settings.ts";
import { gameApiWith } from "../session/apiContext.ts";

/** `gamedata api`. */
export const apiCommand = command(
  "api",
  help(
    "Send a request to any path of the data API, with your token, and print the JSON response.\nThe response is not checked. Use --jq to select parts of the response.",
    {
      "gamedata api /profile": "The account's profile",
      "gamedata api '/league?realm=pc' --jq '.leagues[].id'": "Names of leagues",
      "gamedata api /item-filter -F filter_name=Mine -F realm=pc -F filter=Show":
        "Create an item filter",
    },
  ),
  {
    path: argument("path", "Path of the data API, such as /profile or /league?realm=pc"),
    method: Flag.Literals("method", ["GET", "POST"]).pipe(
      Flag.withAlias("X"),
      Flag.withDescription("Method (default: GET, or POST with --field or --input)"),
      Flag.optional,
    ),
    field: Flag.String("field").pipe(
      Flag.withAlias("F"),
      Flag.withMetavar("NAME=VALUE"),
      Flag.withDescription("Member of the JSON body; true, false, null and numbers are typed"),
      Flag.atLeast(0),
    ),
    input: textFlag("input", "File with the JSON body, or - for standard input"),
    scope: Flag.String("scope").pipe(
      Flag.withDescription("Scope to request with a client secret (default: the route's scopes)"),
      Flag.atLeast(0),
    ),
  },
  Effect.fnUntraced(function* ({ field, input, method, path, scope }) {
    if (field.length > 0 && Option.isSome(input))
      return yield* failure("usage", "Use --field or --input, not both.");
    const body = Option.isSome(input)
      ? yield* readJson(input.value)
      : field.length > 0
        ? yield* fieldsOf(field)
        : undefined;
    const verb = Option.getOrElse(method, () => (body === undefined ? "GET" : "POST"));
    if (verb === "GET" && body !== undefined)
      return yield* failure("usage", "A GET request has no body.", {
        next: "remove --field and --input, or use --method POST",
      });
    const url = path.startsWith("/") ? URL.parse(path, "https://data.invalid") : null;
    if (url === null || url.host !== "data.invalid")
      return yield* failure("usage", `Invalid path: ${path}.`, {
        next: "begin it with one /, such as /profile",
      });
    const { matchPath, routes } = yield* Effect.promise(() => import("@game-data/contract/routes"));
    const match = matchPath(verb, url.pathname);
    const ofRoute: ReadonlyArray<string> = match === undefined ? [] : routes[match.name].scopes;
    const scopes = scope.length > 0 ? scope : ofRoute;
    const { clientSecret, token } = yield* settings;
    if (match === undefined && scopes.length === 0 && clientSecret && token === undefined)
      return yield* failure("usage", `${url.pathname} is outside the contract.`, {
        next: "say with --scope what its token needs",
      });
    const api = yield* gameApiWith(scopes as ReadonlyArray<Scope>);
    const response = yield* api.request({
      method: verb,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      ...(body !== undefined && { body }),
      ...(scopes.length > 0 && { scopes }),
    });
    yield* printJson(response);
  }),
).pipe(connected);

const fieldsOf = Effect.fnUntraced(function* (fields: ReadonlyArray<string>) {
  const members: Record<string, unknown> = {};
  for (const field of fields) {
    const [, name, value] = /^([^=]+)=(.*)$/su.exec(field) ?? [];
    if (name === undefined || value === undefined)
      return yield* failure("usage", `Invalid --field: ${field}. Use NAME=VALUE.`);
    members[name] = typed(value);
  }
  return members;
});

const typed = (value: string): unknown =>
  /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/u.test(value) ? JSON.parse(value) : value;
