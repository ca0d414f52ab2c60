/**
 * The console: a page at `/` of the control listener that shows a running sandbox and changes it.
 *
 * Page, script and style are static and hold nothing of the sandbox. A control key arrives in the
 * fragment of the address, which no browser sends, and stays in the tab.
 */
import * as Response from "effect/http/HttpServerResponse";
import { CONSOLE_SCRIPT, CONSOLE_STYLE } from "../generated/console.ts";
import { MARK, STYLE } from "../generated/style.ts";

/** The page may load only its own script and style, cannot be framed, and sends no form. */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Game Data sandbox</title>
    <link rel="icon" href="${MARK}">
    <link rel="stylesheet" href="console.css">
    <script type="module" src="console.js"></script>
  </head>
  <body><noscript>The console needs JavaScript; the control plane does not: see control/openapi.json.</noscript></body>
</html>
`;

const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/": ["text/html", PAGE],
  "/console.js": ["text/javascript", CONSOLE_SCRIPT],
  "/console.css": ["text/css", STYLE + CONSOLE_STYLE],
};

/** Returns the page, its script or its style, by path. */
export const consolePage = (path: string): Response.HttpServerResponse => {
  const [type, body] = FILES[path]!;
  return Response.text(body, { headers: HEADERS, contentType: `${type}; charset=utf-8` });
};
