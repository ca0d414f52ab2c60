/**
 * Typed client of the Game Data API: authentication, rate limits, retries, typed errors.
 *
 * @packageDocumentation
 */
export { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
export {
  LimiterStore,
  LimiterStoreError,
  PolicyLimiter,
  RequestNotSent,
} from "@game-data/rate-limit";
export type {
  Forecast,
  LimiterOptions,
  LimiterRequest,
  Outcome,
  Permit,
  PolicyLimiterService,
} from "@game-data/rate-limit";
export type { Api, EffectFace, Extras, Face, Groups } from "./Api.ts";
export * from "./CallOptions.ts";
export * from "./Credentials.ts";
export * from "./Errors.ts";
export * from "./fetchTransport.ts";
export * from "./GameApi.ts";
export type * from "./GameApiService.ts";
export * from "./httpClientTransport.ts";
export * as Metrics from "./Metrics.ts";
export type * from "./Model.ts";
export * from "./operations/limits.ts";
export type { RetryPolicy } from "./Retry.ts";
export * from "./Transport.ts";
