/**
 * Limits failed authentication attempts per key and minute (RFC 6749 §10.10), in memory and by the
 * virtual clock.
 */
import { refuse } from "./OAuthErrors.ts";

const WINDOW_MILLIS = 60_000;
/** When there are so many keys, the oldest one is forgotten. */
const MAX_KEYS = 1_000;

/** Counts failures by key. */
export type Throttle = ReturnType<typeof makeThrottle>;

/** Makes a throttle that allows `limit` failures per key and minute; `now` is the clock. */
export const makeThrottle = (limit: number, now: () => number) => {
  const windows = new Map<string, { since: number; failures: number }>();
  const current = (key: string) => {
    const window = windows.get(key);
    const age = window === undefined ? WINDOW_MILLIS : now() - window.since;
    return age >= 0 && age < WINDOW_MILLIS ? window : undefined;
  };
  return {
    /** Refuses a request of a key that has failed too often, with the seconds to wait. */
    check: (key: string): void => {
      const window = current(key);
      if (window === undefined || window.failures < limit) return;
      const seconds = Math.ceil((window.since + WINDOW_MILLIS - now()) / 1_000);
      refuse("TooManyAttempts", { "retry-after": String(Math.max(1, seconds)) });
    },
    /** Notes a failure. */
    failed: (key: string): void => {
      const window = current(key);
      if (window !== undefined) return void (window.failures += 1);
      const [oldest] = windows.keys();
      if (windows.size >= MAX_KEYS) windows.delete(oldest!);
      windows.delete(key);
      windows.set(key, { since: now(), failures: 1 });
    },
    /** Forgets everybody. */
    clear: (): void => windows.clear(),
  };
};
