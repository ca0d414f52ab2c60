/**
 * The three listeners of a sandbox — OAuth server, data API, control plane — and which paths each
 * of them serves. Each answers only its own paths, as the real service's addresses do.
 */

/** A listener of the sandbox, each at an address of its own. */
export type Listener = "auth" | "data" | "control";

/** Every listener, in the order of their ports. */
export const LISTENERS: ReadonlyArray<Listener> = ["auth", "data", "control"];

/** First path segments of the listeners that are not the data API. */
const SEGMENTS: Readonly<Record<string, Listener>> = {
  oauth: "auth",
  "sign-in": "auth",
  "sign-out": "auth",
  my: "auth",
  control: "control",
  "openapi.json": "control",
  // The console: a page at the root, its script and its style.
  "": "control",
  "console.js": "control",
  "console.css": "control",
};

/**
 * The listener to which a path (with or without a query) belongs. Escapes are undone, so that no
 * listener can be reached through another: `/%63ontrol` is `/control`.
 */
export const listenerOf = (path: string): Listener => {
  const segment = unescape(/^\/+([^/?#;]*)/u.exec(path)?.[1] ?? "");
  return Object.hasOwn(SEGMENTS, segment) ? (SEGMENTS[segment] as Listener) : "data";
};

const unescape = (segment: string): string => {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

export const withoutWords = (template: string): string => template.replace(/\([^()]*\)/gu, "");
