/**
 * Builds the URL of a request from its parameters, checked and percent-encoded.
 *
 * Path and query parameters are given together. A parameter that the operation does not take, one
 * that is missing and one out of bounds are refused with their name before anything is sent.
 */
import { realmToWire, type WordsInput } from "../Words.ts";
import { routeOf, type RouteName } from "./table.ts";
import { ParameterInvalid } from "./ParameterInvalid.ts";
import type { Requests } from "./requests.ts";
import { type Rule, violation } from "./rules.ts";

/**
 * The path and query of a request, without the address of the service. Throws `ParameterInvalid`.
 *
 * @example
 * ```ts
 * import { requestTarget } from "@game-data/contract/routes";
 *
 * console.log(requestTarget("stashes.list", { realm: "console_a", league: "Standard" }));
 * // /stash/console_a/Standard
 * ```
 */
export const requestTarget = <Name extends RouteName>(
  name: Name,
  request: Requests[Name],
  words?: WordsInput,
): string => {
  const { needs = {}, params, query = {} } = routeOf(name);
  const values: Readonly<Record<string, unknown>> = request;
  if (Object(values) !== values) throw new ParameterInvalid(name, "request", "must be an object");
  for (const key of Object.keys(values)) {
    if (values[key] !== undefined && !Object.hasOwn(params, key) && !Object.hasOwn(query, key))
      throw new ParameterInvalid(name, key, "is no parameter of this operation");
  }
  const search = new URLSearchParams();
  for (const [key, rule] of Object.entries(query)) {
    const value = values[key];
    if (value === undefined) continue;
    demand(name, key, rule, value);
    const needed = needs[`${key}=${value}`];
    if (needed !== undefined && values[needed] === undefined)
      throw new ParameterInvalid(name, needed, `is needed for ${key} ${value}`);
    search.set(key, key === "realm" ? realmToWire(String(value), words) : String(value));
  }
  const path = pathOf(name, values, words);
  return search.size === 0 ? path : `${path}?${search}`;
};

/**
 * The URL of a request. Throws `ParameterInvalid`.
 *
 * @example
 * ```ts
 * import { urlOf } from "@game-data/contract/routes";
 *
 * const deployment = { baseUrl: "https://api.example" };
 * console.log(urlOf(deployment, "leagues.ladder", { league: "Hard & Core", limit: 100 }));
 * // https://api.example/league/Hard%20%26%20Core/ladder?limit=100
 * ```
 */
export const urlOf = <Name extends RouteName>(
  { baseUrl, words }: { readonly baseUrl: string | URL; readonly words?: WordsInput | undefined },
  name: Name,
  request: Requests[Name],
): string => {
  const target = requestTarget(name, request, words);
  const base = String(baseUrl);
  if (!/^https?:\/\/[^\s?#@]+$/iu.test(base))
    throw new ParameterInvalid(name, "baseUrl", "must be an http(s) address without a user");
  return base.replace(/\/$/u, "") + target;
};

/**
 * The path of a request. Throws `ParameterInvalid`; unless `isChecked`, only where the path would
 * mean something else.
 */
export const pathOf = (
  name: RouteName,
  values: Readonly<Record<string, unknown>>,
  words?: WordsInput,
  isChecked = true,
): string => {
  const { path, params, pcWhen } = routeOf(name);
  const realms = params["realm"] as ReadonlyArray<string> | undefined;
  const isRealm = (value: unknown) => realms?.some((realm) => realmToWire(realm, words) === value);
  let result = "";
  for (const segment of path.slice(1).split("/")) {
    if (!segment.startsWith(":")) {
      result += `/${segment}`;
      continue;
    }
    const key = segment.replace(/^:|\?$/gu, "");
    const value = values[key];
    if (key === "realm" && (value === undefined || value === "pc")) {
      if (pcWhen !== undefined && isRealm(values[pcWhen])) result += "/pc";
      continue;
    }
    if (value === undefined && segment.endsWith("?")) continue;
    const rule = params[key]!;
    if (isChecked) demand(name, key, rule, value);
    // In the deployment's words, too, a stash id must not look like a realm: /stash/pc/{realm}/…
    if (rule === "stashId" && isRealm(value))
      throw new ParameterInvalid(name, key, "must not be the name of a realm");
    result += `/${encodeURIComponent(key === "realm" ? realmToWire(String(value), words) : String(value))}`;
  }
  return result;
};

const demand = (name: string, key: string, rule: Rule, value: unknown): void => {
  const reason = violation(rule, value);
  if (reason !== undefined) throw new ParameterInvalid(name, key, reason);
};
