/**
 * The three faces of a sandbox — OAuth server, data API, control plane — and which paths each of
 * them serves.
 *
 * One router knows all routes; each address serves only those of its own face, as the real
 * service's addresses do. A client that mixes them up finds out here.
 */
import * as Context from "effect/Context";

/** A face of the sandbox, each at an address of its own. */
export type Surface = "auth" | "data" | "control";

/** The face at whose address a request arrived, whatever its path asks for. */
export const CurrentFace = Context.Reference<Surface>("@game-data/sandbox/CurrentFace", {
  defaultValue: () => "data",
});

/** First path segments of the faces that are not the data API. */
const SEGMENTS: Readonly<Record<string, Surface>> = {
  oauth: "auth",
  "sign-in": "auth",
  "sign-out": "auth",
  my: "auth",
  control: "control",
  docs: "control",
  "openapi.json": "control",
};

/**
 * The face to which a path (with or without a query) belongs.
 *
 * The router reads `/%63ontrol` as `/control`, so escapes are undone here as well: no face can be
 * reached through another.
 */
export const surfaceOf = (path: string): Surface => {
  const segment = unescape(/^\/+([^/?#;]*)/u.exec(path)?.[1] ?? "");
  return Object.hasOwn(SEGMENTS, segment) ? (SEGMENTS[segment] as Surface) : "data";
};

const unescape = (segment: string): string => {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
