/**
 * Follows the public stash stream and the exchange history into transactional sinks.
 *
 * @packageDocumentation
 */
export {};
