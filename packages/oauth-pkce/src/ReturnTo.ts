/**
 * Where to send the user after signing in, when that place came with a request (`?returnTo=…`).
 *
 * A login page that redirects wherever it is told to is an open redirector (RFC 9700 §4.11.1): only
 * paths of one's own origin pass, judged as a browser judges them (`//evil`, `/\evil`, `https:evil`
 * and a tab in `/\t/evil` all leave it).
 */

/** A made-up origin that no input can name. */
const BASE = "https://own.invalid";

/** `value` if it is a path of one's own origin, else `fallback`. */
export const returnTo = (value: string | null | undefined, fallback = "/"): string => {
  if (value === null || value === undefined || !/^\/(?![/\\])[^\\\p{C}]*$/u.test(value))
    return fallback;
  const url = URL.parse(value, BASE);
  if (url === null || url.origin !== BASE) return fallback;
  // "/.//evil" becomes "//evil" once the dot is resolved.
  const path = url.pathname + url.search + url.hash;
  return path.startsWith("//") ? fallback : path;
};
