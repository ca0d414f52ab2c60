/** Headers of the static pages of the control listener: console and reference. */
import type { Headers } from "./messages.ts";

/**
 * The headers of a page that loads only from the given sources, such as `script-src 'self'`; it
 * cannot be framed, and sends no form.
 */
export const pageHeaders = (...sources: ReadonlyArray<string>): Headers => ({
  "content-security-policy": [
    "default-src 'none'",
    ...sources,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
});
