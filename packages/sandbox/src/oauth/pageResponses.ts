/** The responses that pages are sent in: never stored, never framed, and where they may lead. */
import { empty, type Headers, type ResponseOutput } from "../http/messages.ts";
import type { Platform } from "../platform/Platform.ts";
import { styleSource } from "./Html.ts";
import { messagePage } from "./Pages.ts";

/** Headers of everything that is for one browser only. */
export const PRIVATE: Headers = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** 303: the browser goes on with GET, so that no form is sent on elsewhere (RFC 9700 §4.12). */
export const seeOther = (location: string): ResponseOutput => empty(303, { ...PRIVATE, location });

/** The responses of a server's pages. */
export type PageResponses = ReturnType<typeof makePageResponses>;

/** Makes the responses; `platform` hashes the style of the pages. */
export const makePageResponses = (platform: Platform) => {
  /**
   * A page: never stored, never framed, no foreign resource, no referrer (RFC 9700 §4.16, §4.2.4).
   *
   * Chromium applies `form-action` to the redirect that answers the form as well, so the page names
   * where it may lead.
   */
  const page = (markup: string, status = 200, leadsTo?: string): ResponseOutput => ({
    status,
    body: markup,
    headers: {
      ...PRIVATE,
      "content-type": "text/html; charset=utf-8",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "content-security-policy": [
        "default-src 'none'",
        `style-src ${styleSource(platform)}`,
        `form-action 'self'${leadsTo === undefined ? "" : ` ${cspSource(leadsTo)}`}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join("; "),
    },
  });
  const message = (status: number, title: string, sentence: string): ResponseOutput =>
    page(messagePage(title, sentence), status);
  return {
    page,
    message,
    /** The response where a request is answered, expired or unknown. */
    gone: () =>
      message(
        400,
        "This request is over",
        "It was answered already, or waited too long. Start again in the application.",
      ),
    /** The response to a form that did not come from a page of this server. */
    csrfError: () =>
      message(
        403,
        "This form was not accepted",
        "It did not come from a page that this browser was shown. Go back and load the page again.",
      ),
  };
};

/**
 * The origin of a redirect URI as a CSP source; IPv6 literals have no form there, so their scheme
 * is used.
 */
const cspSource = (uri: string): string => {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
};
