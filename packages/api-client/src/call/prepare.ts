/** Builds requests, which lack only their token, from operations and their parameters. */
import {
  requestTarget,
  requestToWire,
  type Requests,
  type Route,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import type { UnlistedRequest } from "../Api.ts";
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
  readonly body: string | undefined;
}

/** Builds the request of an operation. Throws `ParameterInvalid`, also for unknown parameters. */
export const operationRequest = <Name extends RouteName>(
  { address, words }: Settings,
  operation: Name,
  request: Requests[Name],
  payload?: unknown,
): PreparedRequest => {
  const { method, route, scopes }: Route = routes[operation];
  return {
    operation,
    route,
    method,
    scopes,
    url: address + requestTarget(operation, request, words),
    limitedRoute: limitedRouteName(operation, (request as { realm?: string }).realm),
    body:
      payload === undefined ? undefined : JSON.stringify(requestToWire(operation, payload, words)),
  };
};

/** Returns the limiter's name of a route. The two games have policies of their own (§8). */
export const limitedRouteName = (operation: RouteName, realm?: string): string =>
  realm === "game2" ? `${routes[operation].route} game2` : routes[operation].route;

/** Builds the request of an unlisted path. Throws if the path would leave the base URL. */
export const unlistedRequest = (
  { address }: Settings,
  {
    body,
    method = "GET",
    path,
    query = {},
    route = `${method} ${path}`,
    scopes = [],
  }: UnlistedRequest,
): PreparedRequest => {
  const url = new URL(address + path);
  if (!/^\/(?!\/)/u.test(path) || url.href !== address + path || url.search || url.hash)
    throw new Error("path must be a path below the base URL, such as /x/y");
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(key, String(value));
  return {
    operation: "request",
    route,
    method,
    url: url.href,
    scopes,
    limitedRoute: route,
    body: body === undefined ? undefined : JSON.stringify(body),
  };
};
