/**
 * The operations of the Game Data API as plain data: method, path, parameters, scopes, limits.
 *
 * Imports nothing at run time but this package's own light modules.
 */
export * from "../Limits.ts";
export {
  type Deployment,
  identityWords,
  isIdentity,
  makeWords,
  realmFromWire,
  realmToWire,
  renamableRealms,
  type Words,
  type WordsInput,
  WordsInvalid,
} from "../Words.ts";
export { operations } from "../operations.ts";
export * from "./matchPath.ts";
export * from "./parameters.ts";
export * from "./ParameterInvalid.ts";
export type { BodyOf, PagedName, Requests, Taken } from "./requests.ts";
export type * from "./Route.ts";
export { parameterValue, type Rule, violation } from "./rules.ts";
export * from "./table.ts";
export { requestFromWire, requestToWire, responseFromWire, responseToWire } from "./translate.ts";
export * from "./urlOf.ts";
