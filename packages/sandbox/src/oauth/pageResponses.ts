/** The responses that pages are sent in: never stored, never framed, and where they may lead. */
import { STYLE_SOURCE } from "../generated/style.ts";
import { empty, type Headers, type ResponseOutput } from "../http/messages.ts";
import { html, page } from "./Html.ts";

/** Headers of everything that is for one browser only. */
export const PRIVATE: Headers = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** 303: the browser goes on with GET, so that no form is sent on elsewhere (RFC 9700 §4.12). */
export const seeOther = (location: string): ResponseOutput => empty(303, { ...PRIVATE, location });

/**
 * A page: never stored, never framed, no foreign resource, no referrer (RFC 9700 §4.16, §4.2.4).
 *
 * Chromium applies `form-action` to the redirect that answers the form as well, so the page names
 * where it may lead.
 */
export const pageResponse = (body: string, status = 200, leadsTo?: string): ResponseOutput => ({
  status,
  body,
  headers: {
    ...PRIVATE,
    "content-type": "text/html; charset=utf-8",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${STYLE_SOURCE}`,
      `form-action 'self'${leadsTo === undefined ? "" : ` ${cspSource(leadsTo)}`}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
  },
});

/** A page with a title and a sentence, for what cannot go on. */
export const messageResponse = (status: number, title: string, sentence: string): ResponseOutput =>
  pageResponse(
    page(
      title,
      html`<h1>${title}</h1>
        <p>${sentence}</p>`,
    ),
    status,
  );

/** The response where a request is answered, expired or unknown. */
export const gone = (): ResponseOutput =>
  messageResponse(
    400,
    "This request is over",
    "It was answered already, or waited too long. Start again in the application.",
  );

/**
 * The origin of a redirect URI as a CSP source; IPv6 literals have no form there, so their scheme
 * is used.
 */
const cspSource = (uri: string): string => {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
};
