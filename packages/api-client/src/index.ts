/**
 * Typed client of the Game Data API: authentication, rate limits, retries, paging, typed errors.
 *
 * @packageDocumentation
 */
export {};
