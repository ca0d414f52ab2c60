/**
 * One session per key, so that a server renews a user's token once however many requests ask.
 *
 * A session that has not been used for a while is dropped, and the longest unused one when there
 * are too many; a session with a renewal in flight never is. A dropped session costs one read of
 * the store when its user comes back.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { Session } from "./Session.ts";

/** Options of a pool. */
export interface SessionPoolOptions {
  /** Maximum number of sessions. Default: 10,000. */
  readonly max?: number | undefined;
  /** Time after which an unused session is dropped. Default: 10 minutes. */
  readonly idle?: Duration.Input | undefined;
}

/** Sessions by key. */
export interface SessionPool {
  /** Returns the session of a key. Don't keep it longer than a request. */
  readonly get: (key: string) => Session;
  /** The number of sessions. */
  readonly size: () => number;
  /** Closes all sessions: nothing new begins, renewals in flight are finished. */
  readonly close: Effect.Effect<void>;
}

/** Makes a pool; `open` makes the session of a key. */
export const make = (
  open: (key: string) => Session,
  { idle = "10 minutes", max = 10_000 }: SessionPoolOptions = {},
): SessionPool => {
  const idleMillis = Duration.toMillis(idle);
  // In the order of last use.
  const sessions = new Map<string, { readonly session: Session; usedAt: number }>();
  const evict = (at: number) => {
    for (const [key, { session, usedAt }] of sessions) {
      if (at - usedAt < idleMillis && sessions.size <= max) return;
      if (!session.isRenewing()) sessions.delete(key);
    }
  };
  return {
    get: (key) => {
      const at = performance.now();
      const session = sessions.get(key)?.session ?? open(key);
      sessions.delete(key);
      sessions.set(key, { session, usedAt: at });
      evict(at);
      return session;
    },
    size: () => sessions.size,
    close: Effect.suspend(() =>
      Effect.forEach([...sessions.values()], ({ session }) => session.close, {
        concurrency: "unbounded",
        discard: true,
      }),
    ),
  };
};
