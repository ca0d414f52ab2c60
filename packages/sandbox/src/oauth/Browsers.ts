/**
 * Browsers at the pages: who is signed in, the cookie that says so, and forms that such a browser
 * sent.
 *
 * A session starts before the sign-in and gets a new name at it, so that nobody can plant one
 * (session fixation). A form counts if a page of this server sent it (its origin), to this very
 * browser, for this very purpose: its `csrf` is a hash of the session's secret and the purpose (RFC
 * 6749 §10.12).
 */
import type { Core } from "../Core.ts";
import { type RequestInput, type ResponseOutput, withHeaders } from "../http/messages.ts";
import { timingSafeEqual } from "../internal/encoding.ts";
import { readForm } from "./formBody.ts";
import { refuse } from "./OAuthErrors.ts";
import type { Forms } from "./Pages.ts";
import type { OAuthTables } from "./tables.ts";

const SESSION_MILLIS = 12 * 3_600_000;

export interface Session {
  /** The cookie's value. */
  readonly secret: string;
  /** UUID of the account that is signed in, or undefined. */
  readonly sub: string | undefined;
}

export const makeBrowsers = (
  { clock, config, platform, store }: Core,
  { sessions }: OAuthTables,
) => {
  const { origin, pathname, port, protocol } = new URL(config.authUrl);
  /** The path of a world; empty where the server has an address of its own. */
  const prefix = pathname.replace(/\/$/u, "");
  /** Browsers share cookies among the ports of a host: the name tells the sandboxes apart. */
  const cookieName = `sandbox_session_${port || "0"}`;
  const isSecure = protocol === "https:";
  const hash = (text: string): string => platform.sha256(text, "hex");
  const csrfOf = ({ secret }: Session, purpose: string) => hash(`${secret}\n${purpose}`);

  const start = (sub: string | undefined): Session => {
    const secret = platform.random(32);
    const expiresAt = clock.now() + SESSION_MILLIS;
    store.transact(() => {
      sessions.deleteUpTo("expiresAt", clock.now());
      sessions.put({ hash: hash(secret), sub: sub ?? null, expiresAt });
    });
    return { secret, sub };
  };

  /** The session of the request's cookie, or a new one that the response then has to carry. */
  const sessionOf = (request: RequestInput): Session => {
    const secret = cookieOf(request, cookieName);
    const row = secret === undefined ? undefined : sessions.get(hash(secret));
    if (secret === undefined || row === undefined || row.expiresAt <= clock.now())
      return start(undefined);
    return { secret, sub: row.sub ?? undefined };
  };

  return {
    prefix,
    sessionOf,
    /** Puts another session, signed in or not, in the place of one. */
    replace: (old: Session, sub: string | undefined): Session =>
      store.transact(() => {
        sessions.delete(hash(old.secret));
        return start(sub);
      }),
    /** Puts the session's cookie on a response: out of reach of scripts and of foreign forms. */
    withSession: (response: ResponseOutput, { secret }: Session): ResponseOutput =>
      withHeaders(response, {
        "set-cookie": `${cookieName}=${secret}; Path=${prefix}/; HttpOnly${isSecure ? "; Secure" : ""}; SameSite=Lax`,
      }),
    formsOf: (session: Session): Forms => ({
      prefix,
      csrf: (purpose) => csrfOf(session, purpose),
    }),
    /** The form of a request and its session. Refuses one that no page of ours sent for the purpose. */
    ownForm: (
      request: RequestInput,
      members: ReadonlyArray<string>,
      purposeOf: (values: ReadonlyMap<string, string>) => string,
    ) => {
      if (!isSameOriginForm(request, origin)) refuse("FormForged");
      const values = readForm(request, [...members, "csrf"]);
      const session = sessionOf(request);
      const isProven = timingSafeEqual(
        values.get("csrf") ?? "",
        csrfOf(session, purposeOf(values)),
      );
      return isProven ? { values, session } : refuse("FormForged");
    },
  };
};

/**
 * Whether a form was sent by one of our pages. Pages without referrer send `Origin: null` (Fetch
 * §3.2); then the browser's `Sec-Fetch-Site` decides. A client without either is no browser.
 */
const isSameOriginForm = (request: RequestInput, origin: string): boolean => {
  const from = request.header("origin");
  const site = request.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  if (from === undefined) return true;
  return from === "null" ? site === "same-origin" : from === origin;
};

const cookieOf = (request: RequestInput, name: string): string | undefined => {
  for (const pair of (request.header("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/u, "$1");
  }
  return undefined;
};
