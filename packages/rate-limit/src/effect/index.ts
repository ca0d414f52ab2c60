/**
 * The limiter for programs that use Effect.
 *
 * @packageDocumentation
 */
export * from "./Errors.ts";
export * from "./Model.ts";
export { ConfigurationInvalidError } from "../options.ts";
export * from "./PolicyLimiter.ts";
export * as Metrics from "./Metrics.ts";
export * as RateLimitDialect from "../RateLimitDialect.ts";
export { memoryStore } from "../Store.ts";
export type { Store } from "../Store.ts";
