/**
 * Readers of rate-limit headers, and the errors of the limiter. The limiter is `./effect`.
 *
 * @packageDocumentation
 */
export * from "./RateLimitDialect.ts";
