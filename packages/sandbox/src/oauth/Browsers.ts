/**
 * Sessions of browsers on the OAuth pages: the signed-in account, the session cookie, and the check
 * of forms. A session starts before the sign-in. The sign-in gives the session a new secret, which
 * prevents session fixation. A form is accepted if its origin is this server and its `csrf` is the
 * hash of the session's secret and the form's purpose (RFC 6749 §10.12).
 */
import * as Cookies from "effect/http/Cookies";
import * as Response from "effect/http/HttpServerResponse";
import * as Schema from "effect/Schema";
import type { SandboxState } from "../State.ts";
import type { Exchange } from "../http/Exchange.ts";
import { timingSafeEqual } from "../internal/encoding.ts";
import type { Csrf } from "./markup.ts";

const SESSION_MILLIS = 12 * 3_600_000;

export interface Session {
  /** Value of the session cookie. */
  readonly secret: string;
  /** UUID of the account that is signed in, or undefined. */
  readonly sub: string | undefined;
}

const SessionRow = Schema.Struct({
  hash: Schema.String,
  sub: Schema.NullOr(Schema.String),
  expiresAt: Schema.Int,
});

export const makeBrowsers = ({ clock, config, platform, store }: SandboxState) => {
  const sessions = store.table("sessions", "hash", SessionRow);
  const { origin, port, protocol } = new URL(config.authUrl);
  /** Browsers share cookies among the ports of a host, so each sandbox has a name of its own. */
  const cookieName = `sandbox_session_${port || "0"}`;
  const attributes = `Path=/; HttpOnly${protocol === "https:" ? "; Secure" : ""}; SameSite=Lax`;
  const hash = (text: string): string => platform.sha256(text, "hex");
  const csrfOf =
    ({ secret }: Session): Csrf =>
    (purpose) =>
      hash(`${secret}\n${purpose}`);

  const start = (sub: string | undefined): Session => {
    const secret = platform.random(32);
    const expiresAt = clock.now() + SESSION_MILLIS;
    store.transact(() => {
      sessions.deleteWhere((row) => row.expiresAt <= clock.now());
      sessions.put({ hash: hash(secret), sub: sub ?? null, expiresAt });
    });
    return { secret, sub };
  };

  /** Returns the session of the request's cookie, or a new one for the response's cookie. */
  const sessionOf = ({ headers }: Exchange): Session => {
    const secret = Cookies.parseHeader(headers["cookie"] ?? "")[cookieName];
    const row = secret === undefined ? undefined : sessions.get(hash(secret));
    if (secret === undefined || row === undefined || row.expiresAt <= clock.now())
      return start(undefined);
    return { secret, sub: row.sub ?? undefined };
  };

  return {
    sessionOf,
    csrfOf,
    /** Replaces a session by one with another secret, signed in as `sub` if it is defined. */
    replace: (old: Session, sub: string | undefined): Session =>
      store.transact(() => {
        sessions.delete(hash(old.secret));
        return start(sub);
      }),
    /**
     * Adds the session's cookie to a response. Scripts and forms of other sites cannot use the
     * cookie.
     */
    withSession: (response: Response.HttpServerResponse, { secret }: Session) =>
      Response.setHeader(response, "set-cookie", `${cookieName}=${secret}; ${attributes}`),
    /**
     * Returns the session of a form, or `undefined` if the form's origin or its `csrf` for the
     * purpose is wrong.
     */
    sessionOfForm: (
      exchange: Exchange,
      csrf: string | undefined,
      purpose: string,
    ): Session | undefined => {
      if (!isSameOrigin(exchange, origin)) return undefined;
      const session = sessionOf(exchange);
      return timingSafeEqual(csrf ?? "", csrfOf(session)(purpose)) ? session : undefined;
    },
  };
};

export type Browsers = ReturnType<typeof makeBrowsers>;

/**
 * Whether a form is from a page of this server. Pages without referrer send `Origin: null` (Fetch
 * §3.2); then the browser's `Sec-Fetch-Site` decides. A client that sends neither is not a browser.
 */
const isSameOrigin = ({ headers }: Exchange, own: string): boolean => {
  const { origin, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return true;
  return origin === "null" ? site === "same-origin" : origin === own;
};
