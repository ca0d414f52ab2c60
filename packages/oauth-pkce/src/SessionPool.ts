/**
 * One session for each key, so that a server renews a user's token once for any number of requests.
 *
 * Drops the longest unused sessions, but never a busy one. A dropped session costs one read of the
 * store when its user returns.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Session } from "./Session.ts";

/** Limits of a pool: the number of sessions, and the time that an unused session is kept. */
export interface SessionPoolOptions {
  /** Maximum number of sessions. Default: 10,000. */
  readonly max?: number | undefined;
  /** Time after which an unused session is dropped. Default: 10 minutes. */
  readonly idle?: Duration.Input | undefined;
}

/** Sessions by key, each opened on first use. */
export interface SessionPool extends ReturnType<typeof make> {}

/** Makes a pool. `open` makes the session of a key. */
export const make = (
  open: (key: string) => Session,
  { idle = "10 minutes", max = 10_000 }: SessionPoolOptions = {},
) => {
  const idleMillis = Duration.toMillis(idle);
  // The longest unused session is first.
  const sessions = new Map<string, { readonly session: Session; readonly usedAt: number }>();
  const evict = (now: number) => {
    for (const [key, { session, usedAt }] of sessions) {
      if (now - usedAt < idleMillis && sessions.size <= max) return;
      if (!session.isBusy()) sessions.delete(key);
    }
  };
  return {
    /** Returns the session of a key. Do not keep it longer than a request. */
    get: (key: string) => {
      const usedAt = performance.now();
      const session = sessions.get(key)?.session ?? open(key);
      sessions.delete(key);
      sessions.set(key, { session, usedAt });
      evict(usedAt);
      return session;
    },
    size: () => sessions.size,
    /** Closes all sessions: starts no more renewals, and waits for the current ones. */
    close: Effect.suspend(() => {
      const options = { concurrency: "unbounded", discard: true } as const;
      return Effect.forEach(sessions.values(), ({ session }) => session.close, options);
    }),
  };
};
