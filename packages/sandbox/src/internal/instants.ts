/** Parses and formats instants and durations. */
import * as Duration from "effect/Duration";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { nearestOf } from "./words.ts";

/** Formats an instant in ISO 8601, to the millisecond. */
export const isoInstant = (millis: number): string => new Date(millis).toISOString();

/**
 * Limits of the clock. Records show hours before the present, which are not negative, and matches
 * after it, in years of four digits.
 */
const FIRST_INSTANT = Date.parse("1971-01-01T00:00:00.000Z");
const LAST_INSTANT = Date.parse("9998-12-31T23:59:59.999Z");

/** Whether the clock can show an instant. */
export const isInClock = (millis: number): boolean =>
  millis >= FIRST_INSTANT && millis <= LAST_INSTANT;

export const OUT_OF_CLOCK = "the clock stays within the years 1971 to 9998";

const ISO_DATE = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:$|T)/u;

/** Parses ISO 8601, else returns undefined. Refuses 30 February, which `Date.parse` accepts. */
export const parseInstant = (text: string): number | undefined => {
  const [, year, month, day] = ISO_DATE.exec(text)?.map(Number) ?? [];
  const millis = Date.parse(text);
  return Number.isNaN(millis) || new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() !== day
    ? undefined
    : millis;
};

export const Instant = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      parseInstant(text) !== undefined || `${JSON.stringify(text)} is no instant in ISO 8601`,
  ),
).annotate({ description: "ISO 8601, virtual time" });

const UNITS = ["millis", "seconds", "minutes", "hours", "days", "weeks"];

/** Returns the milliseconds of a text such as `31 seconds`, or undefined. */
export const parseDuration = (text: string): number | undefined => {
  const duration = Duration.fromInput(text as Duration.Input);
  return /^\d/u.test(text) ? Option.getOrUndefined(duration)?.pipe(Duration.toMillis) : undefined;
};

/** A number and a unit, such as `31 seconds`, `5 minutes`, `28 days`. */
export const DurationText = Schema.String.check(
  Schema.makeFilter((text) => {
    if (parseDuration(text) !== undefined) return undefined;
    const [, count, unit = ""] = /^(\d+(?:\.\d+)?) *([a-z]*)$/iu.exec(text) ?? [];
    const nearest = count === undefined ? undefined : nearestOf(unit, UNITS);
    const hint = nearest === undefined ? "" : `; did you mean ${count} ${nearest}?`;
    return `${JSON.stringify(text)} is no duration such as "31 seconds"${hint}`;
  }),
).annotate({ description: "A number and a unit, such as `31 seconds`, `5 minutes`, `28 days`" });
