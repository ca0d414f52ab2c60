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
import { NO_REALM, type Rule, violation } from "./rules.ts";

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
  const rules: Readonly<Record<string, Rule>> = { __proto__: null!, ...params, ...query };
  if (Object(request) !== request) throw new ParameterInvalid(name, "request", "must be an object");
  // A class may have the members that the operation takes, and not list them.
  const keys = read(name, "request", () => [...Object.keys(request), ...Object.keys(rules)]);
  const values: Record<string, unknown> = {};
  for (const key of keys) {
    const value = read(name, key, () => (request as typeof values)[key]);
    if (value === undefined) continue;
    const rule = rules[key];
    const reason = rule
      ? !(key === "realm" && value === "pc") && violation(rule, value)
      : "is unknown";
    if (reason) throw new ParameterInvalid(name, key, reason);
    values[key] = value;
  }
  const search = new URLSearchParams();
  for (const key of Object.keys(query)) {
    const value = values[key];
    if (value === undefined) continue;
    const needed = needs[`${key}=${value}`];
    if (needed && values[needed] === undefined)
      throw new ParameterInvalid(name, needed, `is needed for ${key} ${value}`);
    search.set(key, toWire(name, key, value, words));
  }
  const path = pathOf(name, values, words);
  return search.size ? `${path}?${search}` : path;
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
  deployment: { readonly baseUrl: string | URL; readonly words?: WordsInput | undefined },
  name: Name,
  request: Requests[Name],
): string => {
  const [base, words] = read(name, "baseUrl", () => [String(deployment.baseUrl), deployment.words]);
  const [, address] = /^(https?:\/\/[^\s?#@]+?)\/?$/iu.exec(base) ?? [];
  if (!address)
    throw new ParameterInvalid(name, "baseUrl", "must be an http(s) address without a user");
  return address + requestTarget(name, request, words);
};

/** The path of a request. Throws `ParameterInvalid` where it would mean something else. */
export const pathOf = (
  name: RouteName,
  values: Readonly<Record<string, unknown>>,
  words?: WordsInput,
): string => {
  const { path, params, pcWhen } = routeOf(name);
  const isRealm = (value: unknown) =>
    (params["realm"] as ReadonlyArray<string> | undefined)?.some(
      (realm) => toWire(name, "realm", realm, words) === value,
    );
  return path.replaceAll(/\/:(\w+)(\??)/gu, (_, key: string, isOptional: string) => {
    const value = values[key];
    if (key === "realm" && (value ?? "pc") === "pc")
      return pcWhen && isRealm(values[pcWhen]) ? "/pc" : "";
    if (value === undefined && isOptional) return "";
    if (value === undefined) throw new ParameterInvalid(name, key, "is required");
    // In the deployment's words, too, a stash id must not look like a realm: /stash/pc/{realm}/…
    if (params[key] === "stashId" && isRealm(value))
      throw new ParameterInvalid(name, key, NO_REALM);
    return `/${encodeURIComponent(toWire(name, key, value, words))}`;
  });
};

/** The text of a value; a realm in the words of the deployment. */
const toWire = (name: string, key: string, value: unknown, words?: WordsInput): string =>
  key === "realm" ? read(name, "words", () => realmToWire(value as string, words)) : String(value);

/** What a caller's object says. Its getters and proxies may throw anything, secrets included. */
const read = <T>(name: string, key: string, get: () => T): T => {
  try {
    return get();
  } catch {
    throw new ParameterInvalid(name, key, "must be readable");
  }
};
