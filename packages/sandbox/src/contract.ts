/**
 * The facts of the contract that the running sandbox needs, as plain data.
 *
 * Routes and limits come from the contract's own table. Lifetimes and error codes are
 * stated by the contract with Effect, which a sandbox starts without loading:
 * `test/http/contract.test.ts` compares them with the contract.
 */
import { Limits, oauthRoutes, type Route, type Rule, routes } from "@game-data/contract/routes";

/** Rule for the values of a parameter of a path or a query. */
export type ParameterRule = Rule;

/** An endpoint of the contract. */
export type ContractRoute = Pick<
  Route,
  "method" | "path" | "scopes" | "params" | "query" | "pcWhen"
>;

/** The operations of the data API by `group.endpoint` (§4.2). */
export const ROUTES: Readonly<Record<string, ContractRoute>> = routes;

/** Paths of the OAuth server's endpoints (§4.1). */
export const OAUTH_ROUTES = oauthRoutes;

/** Most entries of a page, and how many there are where a request names no limit (§8). */
export const LIMITS = Limits;

/** Parameters that another one asks for, as `parameter=value` → parameter (§4.2). */
export const NEEDS: Readonly<Record<string, string>> = {
  "type=season": "season",
  "type=league": "league",
  "sort=class": "class",
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Lifetimes and delays of §3 and §8 in milliseconds. */
export const LIFETIMES = {
  authorizationCode: 30_000,
  accessToken: { confidential: 28 * DAY, public: 10 * HOUR },
  refreshToken: { confidential: 90 * DAY, public: 7 * DAY },
  publicStashDelay: 5 * 60_000,
} as const;

/** Codes of error bodies of the data API, by name. */
export const ErrorCode = {
  Accepted: 0,
  ResourceNotFound: 1,
  InvalidQuery: 2,
  RateLimitExceeded: 3,
  InternalError: 4,
  UnexpectedContentType: 5,
  Forbidden: 6,
  TemporarilyUnavailable: 7,
  Unauthorized: 8,
  MethodNotAllowed: 9,
  UnprocessableEntity: 10,
} as const;

const CODE_OF_STATUS: Readonly<Record<number, number>> = {
  202: 0,
  404: 1,
  400: 2,
  429: 3,
  500: 4,
  415: 5,
  403: 6,
  503: 7,
  401: 8,
  405: 9,
  422: 10,
};

/** The code that goes with an HTTP status, if there is one. */
export const errorCodeOfStatus = (status: number): number | undefined => CODE_OF_STATUS[status];
