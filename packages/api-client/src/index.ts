/**
 * Typed client of the Game Data API: authentication, rate limits, retries, typed errors.
 *
 * @packageDocumentation
 */
export { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
export {
  type Forecast,
  type LimiterOptions,
  LimiterStore,
  LimiterStoreError,
  PolicyLimiter,
  type PolicyLimiterService,
  RequestNotSent,
  type RouteLimits,
} from "@game-data/rate-limit";
export type * from "./Api.ts";
export type {
  AccessToken,
  Credentials,
  CredentialsError,
  PromiseSessionLike,
  SessionLike,
  TokenFunction,
  TokenSource,
} from "./Credentials.ts";
export * from "./Errors.ts";
export { GameApi, type GameApiConfig } from "./GameApi.ts";
export * as Metrics from "./Metrics.ts";
export type {
  CallOptions,
  GameApiLayerOptions,
  GameApiOptions,
  ResponseInfo,
  RetryInfo,
  RetryPolicy,
} from "./Options.ts";
