/** Content codings: chosen by `Accept-Encoding` (RFC 9110 §12.5.3), and applied to a body. */
import { utf8 } from "../internal/encoding.ts";
import { pages } from "../internal/PageCache.ts";
import type { Coding, Platform } from "../platform/Platform.ts";
import { effectOf, type Headers, type RequestInput, type ResponseOutput } from "./messages.ts";

/** Below this size compression costs more than it saves. */
const LEAST_BYTES = 1024;

export const codingOf = (
  request: RequestInput,
  { body, mayCompress }: ResponseOutput,
  available: ReadonlyArray<Coding>,
): Coding | "identity" =>
  mayCompress === true && body.length >= LEAST_BYTES
    ? contentEncoding(request.header("accept-encoding") ?? "", available)
    : "identity";

interface Encoded {
  readonly bytes: Uint8Array;
  readonly headers: Headers;
  /** The number of bytes before they were coded. */
  readonly length: number;
}

/**
 * The body of a response in a coding, cut where a fault says so, and the headers that go with it;
 * at once where nothing has to be compressed.
 */
export const encodeBody = (
  platform: Platform,
  output: ResponseOutput,
  coding: Coding | "identity",
): Encoded | Promise<Encoded> => {
  const { body, cacheKey, headers } = output;
  const plain = typeof body === "string" ? utf8(body) : body;
  const { length } = plain;
  const cut = effectOf(output, "gzipCut");
  const used = cut === undefined ? coding : "gzip";
  if (used === "identity") return { bytes: plain, headers, length };
  const encoded = (whole: Uint8Array): Encoded => ({
    // At least one byte is missing, or nothing would be cut.
    bytes:
      cut === undefined
        ? whole
        : whole.subarray(0, Math.min(whole.length - 1, Math.floor(whole.length * cut.fraction))),
    headers: { ...headers, "content-encoding": used },
    length,
  });
  const pack = () => platform.compress(plain, used);
  const whole = cacheKey === undefined ? pack() : pages.coded(cacheKey, used, pack);
  return whole instanceof Promise ? whole.then(encoded) : encoded(whole);
};

/** The coding that a client prefers; of equals, gzip is the cheaper one. */
const contentEncoding = (header: string, available: ReadonlyArray<Coding>): Coding | "identity" => {
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
