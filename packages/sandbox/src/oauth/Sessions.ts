/**
 * Browsers: who is signed in, and proof that a form was sent by a page of ours to this very
 * browser.
 *
 * A session starts before the sign-in and gets a new name at it, so that nobody can plant one
 * (session fixation). The proof (`csrf`) is a hash of the session's secret and the purpose: it
 * holds for one session and one request (RFC 6749 §10.12).
 */
import { timingSafeEqual } from "../internal/encoding.ts";
import type { Platform } from "../platform/Platform.ts";
import type { Store } from "../store/Store.ts";
import type { OAuthTables } from "./tables.ts";

/** Time that a browser stays signed in. */
const SESSION_MILLIS = 12 * 3_600_000;

/** A browser's session. */
export interface Session {
  /** The cookie's value: the session's secret. */
  readonly secret: string;
  /** UUID of the account that is signed in, or undefined. */
  readonly sub: string | undefined;
}

/** The sessions of a store. */
export class Sessions {
  readonly #store: Store;
  readonly #rows: OAuthTables["sessions"];
  readonly #platform: Platform;
  readonly #now: () => number;

  constructor(store: Store, tables: OAuthTables, platform: Platform, now: () => number) {
    this.#store = store;
    this.#rows = tables.sessions;
    this.#platform = platform;
    this.#now = now;
  }

  /** Starts a session, signed in or not. */
  start(sub: string | undefined): Session {
    const secret = this.#platform.random(32);
    this.#store.transact(() => {
      this.#rows.deleteUpTo("expiresAt", this.#now());
      this.#rows.put({
        hash: this.#hash(secret),
        sub: sub ?? null,
        expiresAt: this.#now() + SESSION_MILLIS,
      });
    });
    return { secret, sub };
  }

  /** Ends a session. */
  end(secret: string): void {
    this.#rows.delete(this.#hash(secret));
  }

  /** The session of a cookie, if it is one of ours and in force. */
  find(secret: string | undefined): Session | undefined {
    if (secret === undefined) return undefined;
    const row = this.#rows.get(this.#hash(secret));
    if (row === undefined || row.expiresAt <= this.#now()) return undefined;
    return { secret, sub: row.sub ?? undefined };
  }

  /** Signs in: a new session takes the place of the old one. */
  signIn(old: Session, sub: string): Session {
    return this.#store.transact(() => {
      this.end(old.secret);
      return this.start(sub);
    });
  }

  /** The proof for a purpose: what a form of ours carries. */
  csrfToken(session: Session, purpose: string): string {
    return this.#hash(`${session.secret}\n${purpose}`);
  }

  /** Whether a form carries the proof for a purpose. */
  verifyCsrf(session: Session, purpose: string, token: string | undefined): boolean {
    return token !== undefined && timingSafeEqual(token, this.csrfToken(session, purpose));
  }

  #hash(text: string): string {
    return this.#platform.sha256(text, "hex");
  }
}
