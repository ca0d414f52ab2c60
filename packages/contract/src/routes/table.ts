/** The operations by name, as the table and what it says of the OAuth server have them. */
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

/** The operations by name. */
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

/** The entry of an operation. Throws `ParameterInvalid` for a name that the table does not have. */
export const routeOf = (name: RouteName): Route => {
  if (Object.keys(routes).includes(name)) return routes[name];
  // In JavaScript a name may be no text, and have none.
  throw new ParameterInvalid(
    typeof name === "string" ? name : typeof name,
    "operation",
    "is unknown",
  );
};

/** The operations of the OAuth server (§4.1). */
export const oauthRoutes = {
  "oauth.authorize": {
    method: "GET",
    path: "/oauth/authorize",
    route: "GET /oauth/authorize",
    scopes: [],
  },
  "oauth.token": { method: "POST", path: "/oauth/token", route: "POST /oauth/token", scopes: [] },
  "oauth.revoke": {
    method: "POST",
    path: "/oauth/token/revoke",
    route: "POST /oauth/token/revoke",
    scopes: ["oauth:revoke"],
  },
  "oauth.introspect": {
    method: "POST",
    path: "/oauth/token/introspect",
    route: "POST /oauth/token/introspect",
    scopes: ["oauth:introspect"],
  },
} as const satisfies Readonly<Record<string, OAuthRoute>>;
