/**
 * Browsers: who is signed in, and proof that a form was sent by a page of ours to this very
 * browser.
 *
 * A session starts before the sign-in and gets a new name at it, so that nobody can plant one
 * (session fixation). The proof (`csrf`) is a hash of the session's secret and the purpose: it
 * holds for one session and one request (RFC 6749 §10.12).
 */
import { equalHashes, randomToken, sha256 } from "../internal/crypto.ts";
import type { Store } from "../store/Store.ts";

/** How long a browser stays signed in. */
const SESSION_MILLIS = 12 * 3_600_000;

/** A browser's session. */
export interface Session {
  /** The cookie's value: the session's secret. */
  readonly secret: string;
  /** UUID of the account that is signed in, or undefined. */
  readonly sub: string | undefined;
}

/** The sessions of a store. */
export type Sessions = ReturnType<typeof makeSessions>;

/** The sessions of `store`. */
export const makeSessions = (store: Store["Service"], now: () => number) => {
  const start = (sub: string | undefined): Session => {
    const secret = randomToken();
    store.transact(() => {
      store.prepare("DELETE FROM oauth_sessions WHERE expires_at <= ?").run(now());
      store
        .prepare("INSERT INTO oauth_sessions (hash, sub, expires_at) VALUES (?, ?, ?)")
        .run(sha256(secret), sub ?? null, now() + SESSION_MILLIS);
    });
    return { secret, sub };
  };
  const end = (secret: string): void => {
    store.prepare("DELETE FROM oauth_sessions WHERE hash = ?").run(sha256(secret));
  };
  return {
    start,
    end,
    /** The session of a cookie, if it is one of ours and in force. */
    find: (secret: string | undefined): Session | undefined => {
      if (secret === undefined) return undefined;
      const row = store
        .prepare("SELECT sub FROM oauth_sessions WHERE hash = ? AND expires_at > ?")
        .get(sha256(secret), now());
      if (row === undefined) return undefined;
      return { secret, sub: row["sub"] === null ? undefined : String(row["sub"]) };
    },
    /** Signs in: a new session takes the place of the old one. */
    signIn: (old: Session, sub: string): Session =>
      store.transact(() => {
        end(old.secret);
        return start(sub);
      }),
  };
};

/** The proof for a purpose: what a form of ours carries. */
export const csrfToken = (session: Session, purpose: string): string =>
  sha256(`${session.secret}\n${purpose}`);

/** Whether a form carries the proof for a purpose. */
export const verifyCsrf = (session: Session, purpose: string, token: string | undefined): boolean =>
  token !== undefined && equalHashes(token, csrfToken(session, purpose));
