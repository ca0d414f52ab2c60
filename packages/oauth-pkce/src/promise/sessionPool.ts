/** `SessionPool` with promises. */
import type { OAuthClient } from "../OAuthClient.ts";
import * as Session from "../Session.ts";
import * as SessionPool from "../SessionPool.ts";
import { runPromise } from "./runPromise.ts";
import {
  toSessionOptions,
  wrap,
  type PromiseSession,
  type PromiseSessionOptions,
} from "./Session.ts";

/** Options of a pool and of every session in it. */
export interface PromiseSessionPoolOptions
  extends Omit<PromiseSessionOptions, "key">, SessionPool.SessionPoolOptions {}

/** Sessions by key. */
export interface PromiseSessionPool {
  /** Returns the session of a key. Don't keep it longer than a request. */
  readonly get: (key: string) => PromiseSession;
  /** The number of sessions. */
  readonly size: () => number;
  /** Closes all sessions: nothing new begins, renewals in flight are finished. */
  readonly close: () => Promise<void>;
}

/** Makes a pool: one session per user, so that a server renews a user's token once. */
export const sessionPool = (
  { client }: { readonly client: OAuthClient },
  { idle, max, ...options }: PromiseSessionPoolOptions,
): PromiseSessionPool => {
  const shared = toSessionOptions(options);
  const open = (key: string) => Session.forUser(client, { ...shared, key });
  const pool = SessionPool.make(open, { idle, max });
  return {
    get: (key) => wrap(pool.get(key)),
    size: pool.size,
    close: () => runPromise(pool.close),
  };
};
