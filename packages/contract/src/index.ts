/**
 * The operations of the Game Data API without Effect at run time: URLs, parameters, scopes, limits.
 *
 * Bodies are in `./results`, Effect Schemas of bodies in `./effect`, the OpenAPI document in
 * `./openapi.json`.
 *
 * @packageDocumentation
 */
export { type Realm, realms } from "@game-data/schemas/Realm";
export * from "./CharacterClass.ts";
export * from "./ErrorCode.ts";
export type * from "./routes/results.ts";
export type { ErrorObject as ErrorDetail } from "@game-data/schemas/ErrorObject";
export * from "./RateLimitHeaders.ts";
export * from "./retryAfter.ts";
export * from "./routes/index.ts";
export * from "./Scope.ts";
export * from "./SecureUrl.ts";
export * from "./UserAgent.ts";
