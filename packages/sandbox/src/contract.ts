/**
 * The facts of the contract that the running sandbox needs, as it uses them: routes by name, and
 * lifetimes in milliseconds.
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import {
  Limits,
  oauthRoutes,
  type Route,
  type RouteName,
  type Rule,
  routes,
} from "@game-data/contract/routes";

export { ErrorCode, errorCodeOfStatus } from "@game-data/contract/ErrorCode";
export type { RouteName } from "@game-data/contract/routes";

/** Rule for the values of a parameter of a path or a query. */
export type ParameterRule = Rule;

export type ContractRoute = Pick<
  Route,
  "method" | "path" | "scopes" | "params" | "query" | "needs" | "pcWhen" | "take"
>;

/** The operations of the data API by `group.endpoint` (§4.2). */
export const ROUTES: Readonly<Record<RouteName, ContractRoute>> = routes;

/** Paths of the OAuth server's endpoints (§4.1). */
export const OAUTH_ROUTES = oauthRoutes;

/** Most entries of a page, and how many there are where a request names no limit (§8). */
export const LIMITS = Limits;

const { accessToken, authorizationCode, publicStashDelay, refreshToken } = Lifetimes;

/** Lifetimes and delays of §3 and §8 in milliseconds. */
export const LIFETIMES = {
  authorizationCode: 1000 * authorizationCode,
  accessToken: {
    confidential: 1000 * accessToken.confidential,
    public: 1000 * accessToken.public,
  },
  refreshToken: {
    confidential: 1000 * refreshToken.confidential,
    public: 1000 * refreshToken.public,
  },
  publicStashDelay: 1000 * publicStashDelay,
} as const;
