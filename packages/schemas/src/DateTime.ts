/**
 * Dates on the wire are ISO 8601 date-time strings (§1) and stay strings in the records, so that a
 * record is written back exactly as it was read. This helper reads them.
 *
 * It accepts `Z` and numeric offsets, which services mix. It refuses a date alone and a time
 * without an offset, because these would be read in the zone of the machine.
 *
 * @example
 * ```ts
 * import { toEpochMillis } from "@game-data/schemas/DateTime";
 *
 * if (toEpochMillis("2026-01-01T00:00:00Z") !== 1_767_225_600_000) {
 *   throw new Error("another instant");
 * }
 * ```
 */
import { isDateTime } from "./formats.ts";

/** An ISO 8601 date-time string. */
export type DateTimeString = string;

/**
 * Whether `value` is an ISO 8601 date-time with an offset or `Z` that names an existing instant.
 */
export const isDateTimeString = (value: string): boolean => isDateTime(value);

/** Milliseconds since the epoch of a date-time string, or `undefined` if it names no instant. */
export const toEpochMillis = (value: string): number | undefined =>
  isDateTime(value) ? Date.parse(value) : undefined;
