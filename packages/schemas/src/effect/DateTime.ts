/** Converts the date-time strings of responses to and from Effect's `DateTime`. */
import * as EffectDateTime from "effect/DateTime";
import * as Plain from "../DateTime.ts";
import { toSchema, type Wire } from "./toSchema.ts";

export { isDateTimeString, toEpochMillis } from "../DateTime.ts";

/** An ISO 8601 date-time string, such as `2026-01-02T03:04:05Z`. */
export type DateTimeString = Plain.DateTimeString;
/** An ISO 8601 date-time string. Any string is accepted, and `Drift` reports another form. */
export const DateTimeString: Wire<string> = /* @__PURE__ */ toSchema("date-time");

/** Returns the instant of a date-time string, or `undefined` if the string is not valid. */
export const parse = (value: string): EffectDateTime.Utc | undefined => {
  const millis = Plain.toEpochMillis(value);
  return millis === undefined ? undefined : EffectDateTime.makeUnsafe(millis);
};

/** Returns the date-time string of an instant, in UTC and to the second, as services write it. */
export const format = (instant: EffectDateTime.Utc): string =>
  EffectDateTime.formatIso(instant).replace(/\.\d+Z$/u, "Z");
