/** Answers data API requests: checks access (§5, §7) and parameters, and sends JSON. */
import {
  parameterValue,
  type Route,
  type RouteName,
  routes,
  type Rule,
  violation,
} from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import { DataFailure, dataFailure } from "../http/errors.ts";
import type { Exchange } from "../http/Exchange.ts";
import { parseForm, utf8, utf8Text } from "../internal/encoding.ts";
import { LruCache } from "../internal/LruCache.ts";
import { INVALID_TOKEN, OAUTH_FAILURES } from "../oauth/OAuthFailure.ts";
import type { WordsTranslation } from "./words.ts";

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export interface DataRequest {
  readonly exchange: Exchange;
  /** UUID of the account that the token names. */
  readonly sub: string;
  readonly params: Parameters;
  readonly query: Parameters;
}

/** The value of a handler, which is sent as JSON. */
interface DataAnswer {
  readonly value: unknown;
  readonly status?: number;
}

/** A value that never changes, so its JSON is cached under the key. */
interface CachedAnswer {
  readonly cacheKey: string;
  readonly make: () => unknown;
}

export type DataHandler = (request: DataRequest) => DataAnswer | CachedAnswer | DataFailure;

/** Handlers by `group.endpoint`, one for each operation of the contract. */
export type DataHandlers = { readonly [Name in RouteName]: DataHandler };

const HEADERS = { "cache-control": "no-store", vary: "Accept-Encoding" };
const JSON_TYPE = "application/json; charset=utf-8";
/** Response to `HEAD`: no content is computed for it. */
const HEADERS_ONLY = Response.empty({ headers: { "cache-control": "no-store" } });

/** Holds about sixty full pages of the stream, which several followers request in turn. */
const MAX_CACHED_BYTES = 24 * 1024 * 1024;

export const makeAnswerData = (handlers: DataHandlers, words: WordsTranslation | undefined) => {
  const pages = new LruCache<Uint8Array>(MAX_CACHED_BYTES, (bytes) => bytes.length);
  const write = (name: RouteName, value: unknown): string =>
    JSON.stringify(words === undefined ? value : words.bodyToWire(name, value));

  const answer = (exchange: Exchange): Response.HttpServerResponse | DataFailure => {
    const { params, scopes } = exchange.match!;
    const name = exchange.match!.name as RouteName;
    const refused = accessProblem(exchange, scopes);
    if (refused !== undefined) return refused;
    if (exchange.method === "HEAD") return HEADERS_ONLY;
    const decoded = decodeParameters(routes[name], params, exchange.query);
    if ("problem" in decoded) return dataFailure("InvalidQuery", decoded.problem);
    const { sub } = exchange.credentials.identity!;
    const answered = handlers[name]({ ...decoded, exchange, sub });
    if (answered instanceof DataFailure) return answered;
    if ("make" in answered) {
      // Keep the same bytes, so that they are compressed only once.
      const bytes = pages.get(answered.cacheKey, () => utf8(write(name, answered.make())));
      return Response.uint8Array(bytes, { headers: HEADERS, contentType: JSON_TYPE });
    }
    const { status, value } = answered;
    return Response.text(write(name, value), { status, headers: HEADERS, contentType: JSON_TYPE });
  };

  return (exchange: Exchange): Effect.Effect<Response.HttpServerResponse, DataFailure> => {
    const answered = answer(exchange);
    if (!(answered instanceof DataFailure)) return Effect.succeed(answered);
    if (words === undefined) return Effect.fail(answered);
    const { headers, message, reason } = answered;
    return Effect.fail(dataFailure(reason, words.messageToWire(message), headers));
  };
};

/**
 * Returns the refusal of a request without a valid token or its scopes, or with a second token in a
 * form (RFC 6750 §2). A token in the URL is ignored.
 */
const accessProblem = (
  { body, credentials: { identity, isBearer }, headers }: Exchange,
  scopes: ReadonlyArray<string>,
): DataFailure | undefined => {
  if (identity === undefined)
    return dataFailure(
      "Unauthorized",
      OAUTH_FAILURES[isBearer ? "BearerInvalid" : "BearerMissing"].description,
      { "www-authenticate": isBearer ? INVALID_TOKEN : "Bearer" },
    );
  if (carriesSecondToken(headers["content-type"] ?? "", body))
    return dataFailure("InvalidQuery", "The request carries two access tokens.");
  const missing = scopes.filter((scope) => !identity.scopes.includes(scope)).join(" ");
  return missing === ""
    ? undefined
    : dataFailure("Forbidden", `The access token lacks the scope ${missing}.`, {
        "www-authenticate": `Bearer error="insufficient_scope", scope="${missing}"`,
      });
};

const carriesSecondToken = (type: string, body: Uint8Array): boolean =>
  type.toLowerCase().startsWith("application/x-www-form-urlencoded") &&
  (parseForm(utf8Text(body) ?? "")?.values.has("access_token") ?? false);

/**
 * The parameters of a request, or the refusal of a wrong parameter. Unknown parameters are ignored.
 */
type Decoded =
  | { readonly params: Parameters; readonly query: Parameters }
  | { readonly problem: string };

const decodeParameters = (
  route: Route,
  params: Readonly<Record<string, string>>,
  queryText: string,
): Decoded => {
  const path = decodeAll(
    route.params ?? {},
    // A path with the realm `pc` means the same as a path without a realm.
    (name) =>
      name === "realm" && route.pcWhen !== undefined && params[name] === "pc"
        ? undefined
        : params[name],
    "path",
  );
  if ("problem" in path) return path;
  if (route.query === undefined || queryText === "") return { params: path.values, query: {} };
  const search = new URLSearchParams(queryText);
  const repeated = Object.keys(route.query).find((name) => search.getAll(name).length > 1);
  if (repeated !== undefined)
    return { problem: `Invalid query: ${repeated} is given more than once.` };
  const query = decodeAll(route.query, (name) => search.get(name) ?? undefined, "query");
  if ("problem" in query) return query;
  for (const [name, value] of Object.entries(query.values)) {
    const needed = route.needs?.[`${name}=${String(value)}`];
    if (needed !== undefined && query.values[needed] === undefined)
      return { problem: `Invalid query: ${needed} is needed for ${name} ${String(value)}.` };
  }
  return { params: path.values, query: query.values };
};

const decodeAll = (
  rules: Readonly<Record<string, Rule>>,
  read: (name: string) => string | undefined,
  part: "path" | "query",
): { readonly values: Parameters } | { readonly problem: string } => {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, rule] of Object.entries(rules)) {
    const text = read(name);
    if (text === undefined) continue;
    const value = parameterValue(rule, text);
    // Drop the type from the message, because every parameter arrives as text.
    const problem = violation(rule, value)?.replace(/, got \w+$/u, "");
    if (problem !== undefined) return { problem: `Invalid ${part}: ${name} ${problem}.` };
    values[name] = value;
  }
  return { values };
};
