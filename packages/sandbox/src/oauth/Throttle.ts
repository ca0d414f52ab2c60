/**
 * Limits failed authentication attempts per key and minute (RFC 6749 §10.10).
 *
 * Kept in memory and by the virtual clock. The number of keys is bounded; when it is reached the
 * oldest is forgotten.
 */

const WINDOW_MILLIS = 60_000;
const MAX_KEYS = 1_000;

/** Counts failures by key. */
export interface Throttle {
  /** Seconds to wait before the next attempt, or 0. */
  waitSeconds(key: string): number;
  /** Notes a failure. */
  failed(key: string): void;
  /** Forgets everybody. */
  clear(): void;
}

/**
 * Makes a throttle that allows `limit` failures per key and minute; 0 allows any number. `now` is
 * the clock.
 */
export const makeThrottle = (limit: number, now: () => number): Throttle => {
  if (limit === 0) return { waitSeconds: () => 0, failed: () => {}, clear: () => {} };
  const windows = new Map<string, { since: number; failures: number }>();
  const current = (key: string) => {
    const window = windows.get(key);
    const age = window === undefined ? WINDOW_MILLIS : now() - window.since;
    return age >= 0 && age < WINDOW_MILLIS ? window : undefined;
  };
  return {
    waitSeconds: (key) => {
      const window = current(key);
      if (window === undefined || window.failures < limit) return 0;
      return Math.max(1, Math.ceil((window.since + WINDOW_MILLIS - now()) / 1_000));
    },
    failed: (key) => {
      const window = current(key);
      if (window !== undefined) {
        window.failures += 1;
        return;
      }
      if (windows.size >= MAX_KEYS) {
        const [oldest] = windows.keys();
        if (oldest !== undefined) windows.delete(oldest);
      }
      windows.delete(key);
      windows.set(key, { since: now(), failures: 1 });
    },
    clear: () => windows.clear(),
  };
};
