/**
 * The operations of the Game Data API as plain data: method, path, parameters, scopes, limits.
 *
 * Imports nothing at run time but this package's own light modules. The table is generated from the
 * HttpApi of `@game-data/contract/server`, so nothing states a path a second time.
 *
 * @example
 * ```ts
 * import { routes, urlOf } from "@game-data/contract/routes";
 *
 * console.log(routes["leagues.ladder"].scopes); // [ 'service:leagues:ladder' ]
 * console.log(urlOf({ baseUrl: "https://api.example" }, "characters.get", { name: "Nim" }));
 * // https://api.example/character/Nim
 * ```
 */
export { type PageLimit, Limits } from "../Limits.ts";
export * from "../Words.ts";
export type { Requests } from "./generated/requests.ts";
export { oauthRoutes, routes } from "./generated/table.ts";
export { matchPath, type PathMatch } from "./matchPath.ts";
export { type Parameter, parametersOf } from "./parameters.ts";
export { ParameterInvalid } from "./ParameterInvalid.ts";
export type { OAuthRoute, Route } from "./Route.ts";
export type { Rule } from "./rules.ts";
export {
  requestFromWire,
  requestToWire,
  responseFromWire,
  responseToWire,
  urlFromWire,
  urlToWire,
} from "./translate.ts";
export { requestTarget, type RouteName, urlOf } from "./urlOf.ts";
