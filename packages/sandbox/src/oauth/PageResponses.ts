/**
 * Responses to browsers: pages and redirects with the headers that protect them, and the cookie of
 * the session.
 */
import * as Effect from "effect/Effect";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { SandboxConfig } from "../Config.ts";
import { STYLE_SOURCE } from "./Html.ts";
import { OAuthServer } from "./OAuthServer.ts";
import type { Session } from "./Sessions.ts";

/**
 * A page: never stored, never framed, no foreign resource, no referrer (RFC 9700 §4.16, §4.2.4).
 *
 * Chromium applies `form-action` to the redirect that answers the form as well, so the page names
 * where it may lead.
 */
export const pageResponse = (
  markup: string,
  options: { readonly status?: number; readonly leadsTo?: string } = {},
): HttpServerResponse.HttpServerResponse => {
  const formAction =
    options.leadsTo === undefined ? "'self'" : `'self' ${cspSource(options.leadsTo)}`;
  return HttpServerResponse.text(markup, {
    status: options.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: {
      ...PRIVATE,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "content-security-policy": [
        "default-src 'none'",
        `style-src ${STYLE_SOURCE}`,
        `form-action ${formAction}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join("; "),
    },
  });
};

/**
 * 303: the browser goes on with GET, so that no form is ever sent on to another site (RFC 9700
 * §4.12).
 */
export const seeOther = (location: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 303, headers: { ...PRIVATE, location } });

/** The session of the request's cookie, or a new one that the response then has to carry. */
export const sessionOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const { sessions } = yield* OAuthServer;
  const name = yield* cookieName;
  const known = sessions.find(request.cookies[name]);
  return known ?? sessions.start(undefined);
});

/** Puts the session's cookie on a response: out of reach of scripts and of other sites' forms. */
export const withSession = Effect.fnUntraced(function* (
  response: HttpServerResponse.HttpServerResponse,
  session: Session,
) {
  const { authUrl } = yield* SandboxConfig;
  return HttpServerResponse.setCookieUnsafe(response, yield* cookieName, session.secret, {
    httpOnly: true,
    sameSite: "lax",
    secure: authUrl.startsWith("https:"),
    path: "/",
  });
});

/**
 * Whether a form was sent by one of our pages. Pages without referrer send `Origin: null` (Fetch
 * §3.2); then the browser's `Sec-Fetch-Site` decides. A client without either is no browser, and
 * carries nobody's cookie by accident.
 */
export const isSameOriginForm = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const { authUrl } = yield* SandboxConfig;
  const origin = request.headers["origin"];
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return true;
  return origin === "null" ? site === "same-origin" : origin === new URL(authUrl).origin;
});

const PRIVATE = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** Browsers share cookies among the ports of a host: the name tells one sandbox from another. */
const cookieName = Effect.map(
  SandboxConfig,
  ({ authUrl }) => `sandbox_session_${new URL(authUrl).port || "0"}`,
);

/**
 * The origin of a redirect URI as a CSP source; IPv6 literals have no form there, so their scheme
 * stands in.
 */
const cspSource = (uri: string): string => {
  const { origin, protocol, hostname } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
};
