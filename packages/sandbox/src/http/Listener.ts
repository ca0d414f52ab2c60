/**
 * The three listeners of a sandbox — OAuth server, data API, control plane — and which paths each of
 * them serves.
 *
 * One router knows all routes; each address serves only those of its own listener, as the real
 * service's addresses do. A client that mixes them up finds out here.
 */
import * as Context from "effect/Context";

/** A listener of the sandbox, each at an address of its own. */
export type Listener = "auth" | "data" | "control";

/** The listener at whose address a request arrived, whatever its path asks for. */
export const CurrentListener = Context.Reference<Listener>("@game-data/sandbox/CurrentListener", {
  defaultValue: () => "data",
});

/** First path segments of the listeners that are not the data API. */
const SEGMENTS: Readonly<Record<string, Listener>> = {
  oauth: "auth",
  "sign-in": "auth",
  "sign-out": "auth",
  my: "auth",
  control: "control",
  docs: "control",
  "openapi.json": "control",
};

/**
 * The listener to which a path (with or without a query) belongs.
 *
 * The router reads `/%63ontrol` as `/control`, so escapes are undone here as well: no listener can be
 * reached through another.
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
