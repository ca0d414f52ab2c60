/** Learns rate limits from response headers and delays each request until they permit it. */
export { LimiterOptionInvalid, LimiterStoreError, RequestNotSent } from "./Errors.ts";
export type { NotSentReason } from "./Errors.ts";
export { ietf, retryAfterMillis, xRateLimit } from "./Headers.ts";
export type { HeaderRecord, LimitInfo, LimitReader, WindowInfo } from "./Headers.ts";
export { withPolicyLimiter } from "./http.ts";
export type { Forecast, PolicyLimits, RouteLimits, WindowLimits } from "./inspect.ts";
export { resolveOptions as checkLimiterOptions } from "./LimiterOptions.ts";
export type { LimiterOptions } from "./LimiterOptions.ts";
export * as Metrics from "./Metrics.ts";
export { PolicyLimiter } from "./PolicyLimiter.ts";
export type { LimiterRequest, Outcome, Permit, PolicyLimiterService } from "./PolicyLimiter.ts";
export { layerRedis } from "./RedisStore.ts";
export type { RedisStoreOptions } from "./RedisStore.ts";
export { routeOf } from "./routeOf.ts";
export type { ClassifyOptions } from "./routeOf.ts";
export { layerKeyValue, layerReopening, LimiterStore } from "./Store.ts";
export type { LimiterStoreService, Transaction } from "./Store.ts";
