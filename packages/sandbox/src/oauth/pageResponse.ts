/** Responses for browsers: never stored, never framed, without foreign resources and referrer. */
import * as Response from "effect/http/HttpServerResponse";
import { STYLE_SOURCE } from "../generated/style.ts";
import { html, page } from "./html.ts";

/** Headers of every response that is for one browser. */
export const PRIVATE = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** 303: the browser continues with GET, so that no form is sent on to another place (RFC 9700 §4.12). */
export const seeOther = (location: string) =>
  Response.empty({ status: 303, headers: { ...PRIVATE, location } });

/**
 * A page (RFC 9700 §4.16, §4.2.4). Chromium applies `form-action` to the redirect that answers a form
 * as well, so the page names the address that it may lead to.
 */
export const pageResponse = (
  body: string,
  { leadsTo, status = 200 }: { readonly leadsTo?: string; readonly status?: number } = {},
) =>
  Response.text(body, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      ...PRIVATE,
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

/** A page with a title and a sentence. */
export const messageResponse = (status: number, title: string, sentence: string) =>
  pageResponse(
    page(
      title,
      html`<h1>${title}</h1>
        <p>${sentence}</p>`,
    ),
    { status },
  );

/** The answer to a request that is answered, expired or unknown. */
export const GONE = messageResponse(
  400,
  "This request is over",
  "It was answered already, or waited too long. Start again in the application.",
);

/** The origin of a redirect URI as a CSP source. IPv6 literals have no form there: their scheme. */
const cspSource = (uri: string): string => {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
};
