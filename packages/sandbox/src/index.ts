/**
 * The Game Data service itself, for development and tests: OAuth server, data API, streams.
 *
 * @packageDocumentation
 */
export {};
