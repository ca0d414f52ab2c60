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
export {
  LimiterStore,
  LimiterStoreError,
  PolicyLimiter,
  RateLimitDialect,
  RequestNotSent,
} from "@game-data/rate-limit/effect";
export type {
  Forecast,
  LimitedRequest,
  Permit,
  PolicyLimiterOptions,
  PolicyLimiterService,
  RequestOutcome,
  RouteSnapshot,
} from "@game-data/rate-limit/effect";
export * from "./RawResponse.ts";
export * from "./Retry.ts";
export * as Telemetry from "./Telemetry.ts";
export * from "./UserAgent.ts";
