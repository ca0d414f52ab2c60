/**
 * Builds the URL of a request from its parameters, checked and percent-encoded.
 *
 * Path and query parameters are given together. A parameter that the operation does not take, one
 * that is missing and one out of bounds are refused with their name before anything is sent.
 */
import { wordedRealms, type WordsInput } from "../Words.ts";
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
  const wordOf = wordsOf(name, words);
  if (Object(request) !== request) throw new ParameterInvalid(name, "request", "must be an object");
  const values: Record<string, unknown> = {};
  // A class may have the members that the operation takes, and not list them.
  for (const key of read(name, "request", () => [...Object.keys(request), ...Object.keys(rules)])) {
    const value = read(name, key, () => (request as typeof values)[key]);
    if (value === undefined) continue;
    const rule = rules[key];
    const reason = rule
      ? !(key === "realm" && value === "pc") && violation(rule, value)
      : "is unknown";
    if (reason) throw new ParameterInvalid(name, key, reason);
    values[key] = key === "realm" ? wordOf(value) : value;
  }
  const search = new URLSearchParams();
  for (const key in query) {
    const value = values[key];
    if (value === undefined) continue;
    const needed = needs[`${key}=${value}`];
    if (needed && !values[needed])
      throw new ParameterInvalid(name, needed, `is needed for ${key} ${value}`);
    search.set(key, `${value}`);
  }
  const path = pathOf(name, values, wordOf);
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
  routeOf(name);
  const [base, words] = read(name, "baseUrl", () => [
    String(URL.parse(deployment.baseUrl)),
    deployment.words,
  ]);
  const [, address] = /^(https?:[^?#@]+?)\/?$/u.exec(base) ?? [];
  if (!address) throw new ParameterInvalid(name, "baseUrl", "must be a plain http(s) address");
  return address + requestTarget(name, request, words);
};

/**
 * The path of a request, whose realm is in the deployment's words. Throws `ParameterInvalid` where
 * it would mean something else.
 */
export const pathOf = (
  name: RouteName,
  values: Readonly<Record<string, unknown>>,
  wordOf: (realm: string) => unknown,
): string => {
  const { path, params, pcWhen } = routeOf(name);
  const isRealm = (value: unknown) =>
    (params["realm"] as ReadonlyArray<string>).some((one) => wordOf(one) === value);
  return path.replaceAll(/\/:(\w+)(\??)/gu, (_, key: string, isOptional: string) => {
    const value = values[key];
    if (key === "realm" && (value ?? "pc") === "pc")
      return pcWhen && isRealm(values[pcWhen]) ? "/pc" : "";
    if (value === undefined && isOptional) return "";
    if (value === undefined) throw new ParameterInvalid(name, key, "is required");
    // In the deployment's words, too, a stash id must not look like a realm: /stash/pc/{realm}/…
    if (params[key] === "stashId" && isRealm(value))
      throw new ParameterInvalid(name, key, NO_REALM);
    return `/${encodeURIComponent(value as string)}`;
  });
};

/** Realms in the words of a deployment, which must each be a segment of a path, and another one. */
const wordsOf = (name: string, words: WordsInput | undefined) => {
  const realms = ["pc", ...wordedRealms];
  const all = read(name, "words", () => realms.map((one) => words?.[one as "game2"] ?? one));
  for (const word of all) {
    const reason = violation("name", word) || (new Set(all).size < all.length && NO_REALM);
    if (reason) throw new ParameterInvalid(name, "words", reason);
  }
  return (realm: unknown): unknown => all[realms.indexOf(realm as string)];
};

/** What a caller's object says. Its getters and proxies may throw anything, secrets included. */
const read = <T>(name: string, key: string, get: () => T): T => {
  try {
    return get();
  } catch {
    throw new ParameterInvalid(name, key, "must be readable");
  }
};
