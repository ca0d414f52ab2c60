/**
 * Dates on the wire are ISO 8601 date-time strings (§1) and stay strings in the records, so that a
 * record is written back exactly as it was read. This helper reads and writes them.
 *
 * `parse` accepts `Z` and numeric offsets, which services mix; it refuses a date alone and a time
 * without an offset, because these would be read in the zone of the machine.
 */
import * as EffectDateTime from "effect/DateTime";
import { formatted, type Wire } from "./internal/wire.ts";
import { isDateTime } from "./internal/formats.ts";

/**
 * An ISO 8601 date-time string. Any string is accepted from the wire; `Drift` reports one of
 * another form.
 */
export const DateTimeString: Wire<string> = /*#__PURE__*/ formatted("date-time");
/** An ISO 8601 date-time string. */
export type DateTimeString = string;

/** True for an ISO 8601 date-time with an offset or `Z` that names an existing instant. */
export const isDateTimeString = (value: string): boolean => isDateTime(value);

/** The instant that a date-time string names, or `undefined` if it names none. */
export const parse = (value: string): EffectDateTime.Utc | undefined =>
  isDateTime(value) ? EffectDateTime.makeUnsafe(Date.parse(value)) : undefined;

/** Milliseconds since the epoch of a date-time string, or `undefined` if it names no instant. */
export const toEpochMillis = (value: string): number | undefined =>
  isDateTime(value) ? Date.parse(value) : undefined;

/**
 * The date-time string of an instant, in UTC, to the second, as the specification's services write
 * it.
 */
export const format = (instant: EffectDateTime.Utc): string =>
  EffectDateTime.formatIso(instant).replace(/\.\d+Z$/u, "Z");
