/**
 * Browsers at the pages: the cookie of a session, and forms that such a browser sent.
 *
 * A form counts if a page of this server sent it (its origin), to this very browser (its `csrf`).
 */
import { type RequestInput, type ResponseOutput, withHeaders } from "../http/messages.ts";
import { readForm } from "./formBody.ts";
import { OAuthFailure } from "./OAuthErrors.ts";
import type { Forms } from "./Pages.ts";
import type { Session, Sessions } from "./Sessions.ts";

/** A form that came from a page of ours, and the session that sent it. */
interface OwnForm {
  readonly values: ReadonlyMap<string, string>;
  readonly session: Session;
}

/** The browsers of one sandbox. */
export class Browsers {
  /** The path of a world; empty where the server has an address of its own. */
  readonly prefix: string;
  readonly #sessions: Sessions;
  readonly #origin: string;
  /** Browsers share cookies among the ports of a host: the name tells the sandboxes apart. */
  readonly #cookieName: string;
  readonly #isSecure: boolean;

  constructor(authUrl: string, sessions: Sessions) {
    const { origin, pathname, port, protocol } = new URL(authUrl);
    this.prefix = pathname.replace(/\/$/u, "");
    this.#sessions = sessions;
    this.#origin = origin;
    this.#cookieName = `sandbox_session_${port || "0"}`;
    this.#isSecure = protocol === "https:";
  }

  /** The session of the request's cookie, or a new one that the response then has to carry. */
  sessionOf(request: RequestInput): Session {
    return (
      this.#sessions.find(cookieOf(request, this.#cookieName)) ?? this.#sessions.start(undefined)
    );
  }

  /** Puts the session's cookie on a response: out of reach of scripts and of foreign forms. */
  withSession(response: ResponseOutput, session: Session): ResponseOutput {
    return withHeaders(response, {
      "set-cookie": `${this.#cookieName}=${session.secret}; Path=${this.prefix}/; HttpOnly${this.#isSecure ? "; Secure" : ""}; SameSite=Lax`,
    });
  }

  /** What the forms of a page for the session need. */
  formsOf(session: Session): Forms {
    return {
      prefix: this.prefix,
      csrf: (purpose) => this.#sessions.csrfToken(session, purpose),
    };
  }

  /** The form of a request, if one of our pages sent it for the purpose. */
  ownForm(
    request: RequestInput,
    members: ReadonlyArray<string>,
    purposeOf: (values: OwnForm["values"]) => string,
  ): OwnForm | undefined {
    if (!this.#isSameOriginForm(request)) return undefined;
    const form = readForm(request, [...members, "csrf"]);
    if (form instanceof OAuthFailure) return undefined;
    const { values } = form;
    const session = this.sessionOf(request);
    return this.#sessions.verifyCsrf(session, purposeOf(values), values.get("csrf"))
      ? { values, session }
      : undefined;
  }

  /**
   * Whether a form was sent by one of our pages. Pages without referrer send `Origin: null` (Fetch
   * §3.2); then the browser's `Sec-Fetch-Site` decides. A client without either is no browser.
   */
  #isSameOriginForm(request: RequestInput): boolean {
    const from = request.header("origin");
    const site = request.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin") return false;
    if (from === undefined) return true;
    return from === "null" ? site === "same-origin" : from === this.#origin;
  }
}

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
