/** Chooses a content coding by `Accept-Encoding` (RFC 9110 §12.5.3). */
import type { Coding } from "../platform/Platform.ts";

/** Below this size compression costs more than it saves. */
export const LEAST_BYTES = 1024;

/** The coding that a client prefers; of equals, gzip is the cheaper one. */
export const contentEncoding = (
  header: string | undefined,
  available: ReadonlyArray<Coding>,
): Coding | "identity" => {
  if (header === undefined) return "identity";
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [coding, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const q = parameters.find((text) => text.startsWith("q="))?.slice(2);
    if (coding !== undefined && coding !== "") weights.set(coding, q === undefined ? 1 : Number(q));
  }
  const weightOf = (coding: Coding) =>
    available.includes(coding) ? (weights.get(coding) ?? weights.get("*") ?? 0) : 0;
  const [gzip, br] = [weightOf("gzip"), weightOf("br")];
  if (Math.max(gzip, br) <= 0) return "identity";
  return br > gzip ? "br" : "gzip";
};
