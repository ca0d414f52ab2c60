/**
 * `Retry-After` (RFC 9110 §10.2.3), the one reading of it. Imports nothing.
 */

/**
 * A day: a server that asks for more is misread more probably than obeyed, and timers end at 2^31
 * ms.
 */
const MAX_WAIT = 86_400_000;

/**
 * The wait that a response asks for, in milliseconds; `undefined` when absent or unreadable.
 * Seconds may have fractions. A date counts from the response's own `Date`, so that the two clocks
 * need not agree, and without one from `now`, in milliseconds since 1970. At most a day.
 *
 * @example
 * ```ts
 * import { retryAfterMillis } from "@game-data/rate-limit";
 *
 * if (retryAfterMillis({ "retry-after": "1.5" }, Date.now()) !== 1500) throw new Error("not reached");
 * ```
 */
export const retryAfterMillis = (
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined => {
  const text = headers["retry-after"]?.trim();
  if (!text) return undefined;
  const wait = /^\d+(\.\d+)?$/u.test(text)
    ? Number(text) * 1000
    : instantOf(text) - (instantOf(headers["date"] ?? "") || now);
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), MAX_WAIT);
};

/**
 * A date has a month, and then a time; `Date.parse` alone would take "-5" for a year. The obsolete
 * form (RFC 9110 §5.6.7) names no zone: it is UTC.
 */
const instantOf = (date: string): number =>
  Date.parse(
    /[a-z]{3}/iu.test(date) && /\d:/u.test(date) ? date.replace(/ [\d:]+$/u, "$& GMT") : "",
  );
