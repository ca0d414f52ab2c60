/**
 * Reads date-time strings. Dates on the wire are ISO 8601 date-time strings (§1) and stay strings in
 * the records, so that a record can be written as it was read.
 *
 * `Z` and numeric offsets are accepted, because services mix them. A date without a time and a time
 * without an offset are refused, because JavaScript would read them in the zone of the machine.
 */
import { isDateTime } from "./formats.ts";

/** An ISO 8601 date-time string, such as `2026-01-02T03:04:05Z`. */
export type DateTimeString = string;

/** Whether the value is an ISO 8601 date-time with an offset or `Z`, of a day that exists. */
export const isDateTimeString = (value: string): boolean => isDateTime(value);

/** Returns milliseconds since 1970, or `undefined` if the value is not a valid date-time. */
export const toEpochMillis = (value: string): number | undefined =>
  isDateTime(value) ? Date.parse(value) : undefined;
