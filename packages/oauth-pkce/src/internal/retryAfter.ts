/** Reads `Retry-After` by Effect's clock. */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { retryAfterMillis } from "./retryAfterMillis.ts";

/** Returns how long to wait from now. */
export const readRetryAfter = (
  headers: Readonly<Record<string, string | undefined>>,
): Effect.Effect<Duration.Duration | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const asked = retryAfterMillis(headers, now);
    return asked === undefined ? undefined : Duration.millis(asked);
  });
