/** Instants and durations in texts. */

/** Formats an instant in ISO 8601, to the millisecond. */
export const isoInstant = (millis: number): string => new Date(millis).toISOString();

/** Years of four digits: what dates of HTTP (RFC 9110 §5.6.7) and of the records can write. */
const FIRST_INSTANT = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");

export const isWritable = (millis: number): boolean =>
  millis >= FIRST_INSTANT && millis <= LAST_INSTANT;

const ISO_DATE = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:$|T)/u;

/** The instant of a text in ISO 8601, or undefined: `Date.parse` takes 30 February for 2 March. */
export const parseInstant = (text: string): number | undefined => {
  const [, year, month, day] = ISO_DATE.exec(text)?.map(Number) ?? [];
  const millis = Date.parse(text);
  return Number.isNaN(millis) || new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() !== day
    ? undefined
    : millis;
};

const UNITS: Readonly<Record<string, number>> = {
  milli: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

/** The units of durations, in the plural. */
export const DURATION_UNITS: ReadonlyArray<string> = Object.keys(UNITS).map((unit) => `${unit}s`);

/** The milliseconds of a text such as `31 seconds`, or undefined. */
export const parseDuration = (text: string): number | undefined => {
  const parts = /^(\d+(?:\.\d+)?) +(milli|second|minute|hour|day|week)s?$/u.exec(text);
  return parts === null ? undefined : Number(parts[1]) * UNITS[parts[2]!]!;
};
