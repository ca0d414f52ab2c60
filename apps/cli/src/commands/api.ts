/** `gamedata api`: sends a request to any path of the data API. */
import type { Scope } from "@game-data/contract";
import { matchPath, routes } from "@game-data/contract/routes";
import { Effect } from "effect";
import { Flag } from "effect/cli";
import { argument, command, load, text } from "../command.ts";
import { connected, settings } from "../config.ts";
import { usage } from "../failures.ts";
import { readJson } from "../files.ts";
import { printJson } from "../print.ts";

export const api = command(
  "api",
  [
    "Send a request to any path of the data API, with your token, and print the JSON response. The response is not checked.",
    "gamedata api /profile",
    "gamedata api /item-filter -F filter_name=Mine -F realm=pc -F filter=Show",
  ],
  {
    path: argument("path", "Path of the data API, such as /profile or /league?realm=pc"),
    method: Flag.Literals("method", ["GET", "POST"]).pipe(
      Flag.withAlias("X"),
      Flag.withDescription("Method (default: GET, or POST with --field or --input)"),
      Flag.withDefault(undefined),
    ),
    field: Flag.String("field").pipe(
      Flag.withAlias("F"),
      Flag.withMetavar("NAME=VALUE"),
      Flag.withDescription("Member of the JSON body; true, false, null and numbers are typed"),
      Flag.atLeast(0),
    ),
    input: text("input", "File with the JSON body, or - for standard input"),
    scope: Flag.String("scope").pipe(
      Flag.withDescription("Scope to request with a client secret (default: the operation's)"),
      Flag.atLeast(0),
    ),
  },
  Effect.fnUntraced(function* ({ field, input, method, path, scope }) {
    if (field.length > 0 && input !== undefined)
      return yield* usage("--field and --input are both given.", "use one of them");
    const fields = field.length > 0 ? yield* members(field) : undefined;
    const body = input === undefined ? fields : yield* readJson(input);
    const verb = method ?? (body === undefined ? "GET" : "POST");
    if (verb === "GET" && body !== undefined)
      return yield* usage("A GET request has no body.", "remove the body, or use --method POST");
    const url = path.startsWith("/") ? URL.parse(path, "https://data.invalid") : null;
    if (url?.host !== "data.invalid")
      return yield* usage(`Invalid path: ${path}.`, "begin it with one /, such as /profile");
    const match = matchPath(verb, url.pathname);
    const own = match === undefined ? [] : routes[match.name].scopes;
    const scopes = (scope.length > 0 ? scope : own) as ReadonlyArray<Scope>;
    const { clientSecret, token } = yield* settings;
    if (scopes.length === 0 && clientSecret !== undefined && token === undefined)
      return yield* usage(
        `${url.pathname} is outside the contract.`,
        "add --scope with a scope that the token needs",
      );
    const { gameApiWith } = yield* load(() => import("../connect.ts"));
    const client = yield* gameApiWith(scopes);
    const response = yield* client.request({
      method: verb,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      ...(body !== undefined && { body }),
      ...(scopes.length > 0 && { scopes }),
    });
    yield* printJson(response);
  }),
).pipe(connected);

const members = Effect.fnUntraced(function* (fields: ReadonlyArray<string>) {
  const found: Record<string, unknown> = {};
  for (const field of fields) {
    const [, name, value] = /^([^=]+)=(.*)$/su.exec(field) ?? [];
    if (name === undefined || value === undefined)
      return yield* usage(`Invalid --field: ${field}.`, "use NAME=VALUE");
    const isTyped = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/u.test(value);
    found[name] = isTyped ? JSON.parse(value) : value;
  }
  return found;
});
