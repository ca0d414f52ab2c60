/** Reads the `Retry-After` header (RFC 9110 §10.2.3). */

/** Longest wait: one day. A longer wait is probably a mistake, and timers overflow at 2^31 ms. */
const MAX_WAIT_MILLIS = 86_400_000;

/**
 * Returns the wait that a response requests, in milliseconds and at most one day, or `undefined` if
 * the header is absent or unreadable. Seconds may have fractions. A date is relative to the
 * response's own `Date`, so that the two clocks need not agree, and without `Date` to `now`, in
 * milliseconds since 1970.
 *
 * @example
 * ```ts
 * import { retryAfterMillis } from "@game-data/contract/retryAfter";
 *
 * console.log(retryAfterMillis({ "retry-after": "2.5" }, Date.now())); // 2500
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
    : instant(text) - (instant(headers["date"] ?? "") || now);
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), MAX_WAIT_MILLIS);
};

/**
 * Returns milliseconds, or NaN. Requires a month and a time, because `Date.parse` reads "-5" as a
 * year. The obsolete form (RFC 9110 §5.6.7) has no zone and is UTC.
 */
const instant = (date: string): number =>
  Date.parse(
    /[a-z]{3}/iu.test(date) && /\d:/u.test(date) ? date.replace(/ [\d:]+$/u, "$& GMT") : "",
  );
