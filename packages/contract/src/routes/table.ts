/** The operations of the data API and of the OAuth server by name. */
import { operations } from "../operations.ts";
import { ParameterInvalid } from "./ParameterInvalid.ts";
import type { OAuthRoute, Operation, Route } from "./Route.ts";

type Operations = typeof operations;

/** The name of a group of operations, such as `leagues`. */
export type GroupName = keyof Operations;

/** The name of an operation, such as `leagues.ladder`. */
export type RouteName = {
  [G in GroupName]: `${G}.${keyof Operations[G] & string}`;
}[GroupName];

type RouteOf<Name> = Name extends `${infer G extends GroupName}.${infer M}`
  ? M extends keyof Operations[G]
    ? Operations[G][M] & Pick<Route, "method" | "route">
    : never
  : never;

/** The operations by name, with their paths, parameters and scopes as literal types. */
export type Routes = { readonly [Name in RouteName]: RouteOf<Name> };

/** The operations of the data API (§4.2) by name, in the order of the specification. */
export const routes = Object.fromEntries(
  Object.entries(operations).flatMap(([group, methods]) =>
    Object.entries<Operation>(methods).map(([name, { method = "GET", ...operation }]) => [
      `${group}.${name}`,
      { method, route: `${method} ${operation.path.replace("/:realm?", "")}`, ...operation },
    ]),
  ),
) as unknown as Routes;

/** Returns the table's entry for an operation. Throws `ParameterInvalid` for an unknown name. */
export const routeOf = (name: RouteName): Route => {
  if (Object.hasOwn(routes, name)) return routes[name];
  throw new ParameterInvalid(String(name), "operation", "is unknown");
};

const oauthRoute = (
  method: Route["method"],
  path: string,
  ...scopes: OAuthRoute["scopes"]
): OAuthRoute => ({ method, path, route: `${method} ${path}`, scopes });

/** The operations of the OAuth server (§4.1). */
export const oauthRoutes = {
  "oauth.authorize": oauthRoute("GET", "/oauth/authorize"),
  "oauth.token": oauthRoute("POST", "/oauth/token"),
  "oauth.revoke": oauthRoute("POST", "/oauth/token/revoke", "oauth:revoke"),
  "oauth.introspect": oauthRoute("POST", "/oauth/token/introspect", "oauth:introspect"),
} as const;
