/** Builds requests, which lack only their token, from operations and their parameters. */
import {
  requestTarget,
  requestToWire,
  type Requests,
  type Route,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import type { Settings } from "../Options.ts";

/** A request without its token. */
export interface PreparedRequest {
  readonly operation: string;
  /** Method and path template, as errors and metrics name it. */
  readonly route: string;
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly scopes: ReadonlyArray<string>;
  /** The key under which the limiter learns the route's policy. */
  readonly limitedRoute: string;
  readonly body?: string | undefined;
}

/** Builds the request of an operation. Throws `ParameterInvalid`, also for unknown parameters. */
export const operationRequest = <Name extends RouteName>(
  { address, words }: Settings,
  operation: Name,
  request: Requests[Name],
  payload?: unknown,
): PreparedRequest => {
  const { method, route, scopes }: Route = routes[operation];
  const url = address + requestTarget(operation, request, words);
  const limitedRoute = limitedRouteName(operation, (request as { realm?: string }).realm);
  const prepared = { operation, route, method, scopes, url, limitedRoute };
  if (payload === undefined) return prepared;
  return { ...prepared, body: JSON.stringify(requestToWire(operation, payload, words)) };
};

/** Returns the limiter's name of a route. The two games have policies of their own (§8). */
export const limitedRouteName = (operation: RouteName, realm?: string): string =>
  realm === "game2" ? `${routes[operation].route} game2` : routes[operation].route;

/** A request for a path that the specification does not list. */
export interface UnlistedRequest {
  /** Default: GET. */
  readonly method?: "GET" | "POST" | undefined;
  /** Path below the base URL, percent-encoded, e.g. `/league-rule/Hardcore`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** A JSON value. */
  readonly body?: unknown;
  /** Method and path template for errors, metrics and the limiter. Default: method and path. */
  readonly route?: string | undefined;
  /** The scopes that the request needs, if known. */
  readonly scopes?: ReadonlyArray<string> | undefined;
}

/** Builds the request of an unlisted path. Throws if the path would leave the base URL. */
export const unlistedRequest = (
  { address }: Settings,
  { body, method = "GET", path, query = {}, route, scopes = [] }: UnlistedRequest,
): PreparedRequest => {
  const url = new URL(address + path);
  if (!/^\/(?!\/)/u.test(path) || url.href !== address + path || url.search || url.hash)
    throw new Error("path must be a path below the base URL, such as /x/y");
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(key, String(value));
  const name = route ?? `${method} ${path}`;
  return {
    operation: "request",
    route: name,
    method,
    url: url.href,
    scopes,
    limitedRoute: name,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
};
