/**
 * Safe HTML: every value put into `html` is escaped, unless it is HTML made by `html` itself.
 * Responses are not stored or framed, load no other resources, and send no referrer.
 */
import * as Response from "effect/http/HttpServerResponse";
import { STYLE, STYLE_SOURCE } from "../generated/style.ts";

export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Value = string | number | Html | undefined | ReadonlyArray<Html>;

/** Builds markup from a template and escapes its values. Absent values add nothing. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(parts.map((part, index) => part + render(values[index])).join(""));

const render = (value: Value): string => {
  if (value === undefined) return "";
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map((item: Html) => item.markup).join("");
  return escape(String(value));
};

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");

/**
 * Built as one piece, because white space within the element would change the hash of its content.
 */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** Returns a whole HTML page with a title and a body. */
export const page = (title: string, body: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Game Data sandbox</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header class="masthead page-narrow">
          <span class="brand">Game Data sandbox</span>
        </header>
        <main class="page page-narrow">
          <div class="card">${body}</div>
          <p class="lead">
            This is a sandbox for development and tests. It protects nothing: do not use it in
            production.
          </p>
        </main>
      </body>
    </html> `.markup;

/** Headers that keep a response out of caches, and its URL out of the referrer. */
export const PRIVATE = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** Redirects with 303, so that the browser uses GET and sends no form on (RFC 9700 §4.12). */
export const seeOther = (location: string) =>
  Response.empty({ status: 303, headers: { ...PRIVATE, location } });

/**
 * Responds with a page (RFC 9700 §4.16, §4.2.4). `leadsTo` is the redirect URI after its form,
 * because Chromium applies `form-action` to the redirect that answers a form as well.
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

/** Responds with a page of a title and a sentence. */
export const messageResponse = (status: number, title: string, sentence: string) =>
  pageResponse(
    page(
      title,
      html`<h1>${title}</h1>
        <p>${sentence}</p>`,
    ),
    { status },
  );

/** Response if the authorization request was answered, has expired, or is unknown. */
export const GONE = messageResponse(
  400,
  "This request is over",
  "It was answered already, or waited too long. Start again in the application.",
);

/**
 * Returns the origin of a redirect URI as a CSP source, or only its scheme if the host is an IPv6
 * literal, which a CSP source cannot express.
 */
const cspSource = (uri: string): string => {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
};
