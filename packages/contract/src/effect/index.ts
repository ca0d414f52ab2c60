/**
 * Effect Schemas of the bodies and queries of the data API and of the OAuth server.
 *
 * The bodies without Effect are in `@game-data/contract/results`.
 */
export * from "./ErrorBody.ts";
export * from "./OAuth.ts";
export * from "./Requests.ts";
export * from "./Responses.ts";
