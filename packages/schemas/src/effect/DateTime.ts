/** Date-time strings of the wire as Effect's `DateTime`. */
import * as EffectDateTime from "effect/DateTime";
import { formattedString, type Wire } from "../internal/wire.ts";
import type * as Plain from "../plain/DateTime.ts";
import { isDateTime } from "../plain/formats.ts";

export { isDateTimeString, toEpochMillis } from "../plain/DateTime.ts";

/** An ISO 8601 date-time string. */
export type DateTimeString = Plain.DateTimeString;
/**
 * An ISO 8601 date-time string. Any string is accepted from the wire; `Drift` reports one of
 * another form.
 */
export const DateTimeString: Wire<string> = /*#__PURE__*/ formattedString("date-time");

/** The instant that a date-time string names, or `undefined` if it names none. */
export const parse = (value: string): EffectDateTime.Utc | undefined =>
  isDateTime(value) ? EffectDateTime.makeUnsafe(Date.parse(value)) : undefined;

/**
 * The date-time string of an instant, in UTC, to the second, as the specification's services write
 * it.
 */
export const format = (instant: EffectDateTime.Utc): string =>
  EffectDateTime.formatIso(instant).replace(/\.\d+Z$/u, "Z");
