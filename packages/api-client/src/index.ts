/**
 * Typed client of the Game Data API: authentication, rate limits, retries, paging, typed errors.
 *
 * @packageDocumentation
 */
export * from "./CallOptions.ts";
export * from "./Credentials.ts";
export * from "./Errors.ts";
export * from "./GameApi.ts";
export { makeGameApi } from "./internal/makeGameApi.ts";
export * from "./LimiterStore.ts";
export * from "./NotLetGo.ts";
export * from "./PolicyLimiter.ts";
export * as RateLimitDialect from "./RateLimitDialect.ts";
export * from "./RawResponse.ts";
export * from "./Retry.ts";
export * as Telemetry from "./Telemetry.ts";
export * from "./UserAgent.ts";
