/** Reads `Retry-After`, in seconds or as an HTTP date (RFC 9110 §10.2.3). */
import * as Clock from "effect/Clock";
import * as DateTime from "effect/DateTime";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Headers from "effect/http/Headers";

/**
 * Returns how long to wait from now. A date counts from the response's own `Date` where it has one,
 * so a wrong clock on this machine does not shorten the wait.
 */
export const readRetryAfter = (
  headers: Readonly<Record<string, string | undefined>>,
): Effect.Effect<Duration.Duration | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const parsed = Headers.parseRetryAfter(headers["retry-after"] ?? "");
    if (parsed._tag === "Failure") return undefined;
    if (parsed.success._tag === "Duration") return parsed.success.duration;
    const sentAt = Date.parse(headers["date"] ?? "");
    const at = DateTime.toEpochMillis(parsed.success.dateTime);
    return Duration.millis(Math.max(0, at - (Number.isNaN(sentAt) ? now : sentAt)));
  });
