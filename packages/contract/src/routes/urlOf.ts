/**
 * Builds the URL of a request from its parameters, checked and percent-encoded.
 *
 * Path and query parameters are given together. A parameter that is unknown, missing or out of
 * bounds is refused by its name before anything is sent.
 */
import { realmToWire, type WordsInput } from "../Words.ts";
import { ParameterInvalid } from "./ParameterInvalid.ts";
import type { Requests } from "./requests.ts";
import { REALM_NAME, type Rule, violation } from "./rules.ts";
import { routeOf, type RouteName } from "./table.ts";

/**
 * Returns the path and query of a request, without the address of the service. Throws
 * `ParameterInvalid`.
 */
export const requestTarget = <Name extends RouteName>(
  name: Name,
  request: Requests[Name],
  words?: WordsInput,
): string => {
  const { needs = {}, params, query = {} } = routeOf(name);
  const rules: Readonly<Record<string, Rule>> = { __proto__: null!, ...params, ...query };
  const toWord = (realm: string) => realmToWire(realm, words);
  const values: Record<string, unknown> = {};
  for (const [key, value] of readEntries(name, request)) {
    if (value === undefined) continue;
    const rule = rules[key];
    if (rule === undefined) throw new ParameterInvalid(name, key, "is unknown");
    const reason = key === "realm" && value === "pc" ? undefined : violation(rule, value);
    if (reason) throw new ParameterInvalid(name, key, reason);
    values[key] = key === "realm" ? toWord(value as string) : value;
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
  const path = requestPath(name, values, toWord);
  return search.size ? `${path}?${search}` : path;
};

const readEntries = (name: RouteName, request: unknown): ReadonlyArray<[string, unknown]> => {
  if (Object(request) !== request) throw new ParameterInvalid(name, "request", "must be an object");
  try {
    return Object.entries(request as object);
  } catch {
    // Drops the error that a getter has thrown, because the error may contain a secret.
    throw new ParameterInvalid(name, "request", "cannot be read");
  }
};

/** Returns the URL of a request. Throws `ParameterInvalid`, also for an invalid `baseUrl`. */
export const urlOf = <Name extends RouteName>(
  deployment: { readonly baseUrl: string | URL; readonly words?: WordsInput | undefined },
  name: Name,
  request: Requests[Name],
): string => {
  routeOf(name);
  const base = String(URL.parse(deployment.baseUrl));
  const [, address] = /^(https?:[^?#@]+?)\/?$/u.exec(base) ?? [];
  if (!address) throw new ParameterInvalid(name, "baseUrl", "must be a plain http(s) address");
  return address + requestTarget(name, request, deployment.words);
};

/**
 * Returns the path of a request whose realm is already a deployment's word; `toWord` translates the
 * realms of the table. Throws `ParameterInvalid` if the path would mean another request.
 */
export const requestPath = (
  name: RouteName,
  values: Readonly<Record<string, unknown>>,
  toWord: (realm: string) => unknown,
): string => {
  const { path, params, pcWhen } = routeOf(name);
  const isRealm = (value: unknown) =>
    (params["realm"] as ReadonlyArray<string>).some((realm) => toWord(realm) === value);
  return path.replaceAll(/\/:(\w+)(\??)/gu, (_, key: string, isOptional: string) => {
    const value = values[key];
    if (key === "realm" && (value ?? "pc") === "pc")
      return pcWhen && isRealm(values[pcWhen]) ? "/pc" : "";
    if (value === undefined && isOptional) return "";
    if (value === undefined) throw new ParameterInvalid(name, key, "is required");
    // Refuses a deployment's word for a realm as well, because `/stash/pc/{realm}/…` is ambiguous.
    if (params[key] === "stashId" && isRealm(value))
      throw new ParameterInvalid(name, key, REALM_NAME);
    return `/${encodeURIComponent(value as string)}`;
  });
};
