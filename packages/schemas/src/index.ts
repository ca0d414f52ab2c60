/**
 * The records of the Game Data API as Effect Schemas: wire-shaped, fast, tolerant, drift-reporting.
 *
 * @packageDocumentation
 */
export {};
