/** The wait that a response asks for. */
import { retryAfterMillis } from "@game-data/contract/retryAfter";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";

/** `Retry-After` as a duration; `undefined` when absent or unreadable. */
export const retryAfter = (
  headers: Readonly<Record<string, string | undefined>>,
): Effect.Effect<Duration.Duration | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const millis = retryAfterMillis(headers, now);
    return millis === undefined ? undefined : Duration.millis(millis);
  });
