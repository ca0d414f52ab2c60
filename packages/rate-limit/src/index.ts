/**
 * Learns rate limits from response headers and delays each request until they permit it.
 *
 * @packageDocumentation
 */
export { createLimiter } from "./Limiter.ts";
export type { Lease, Limiter, ReportedRequest } from "./Limiter.ts";
export type { LimiterOptions, LimiterRequest } from "./limiterOptions.ts";
export { limitFetch, routeOf } from "./limitFetch.ts";
export type { FetchOptions } from "./limitFetch.ts";
export * from "./Model.ts";
export * from "./RateLimitDialect.ts";
export { RequestNotSentError, StoreError } from "./RequestNotSentError.ts";
export type { NotSentDetails } from "./RequestNotSentError.ts";
export { ConfigurationInvalidError } from "./options.ts";
export { retryAfterMillis } from "./retryAfter.ts";
export { memoryStore } from "./Store.ts";
export type { Backend, Clock, Store, StoreContext } from "./Store.ts";
