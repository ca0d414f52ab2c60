/**
 * How data endpoints answer: JSON text, compressed when the client takes it, and nothing but
 * headers to a `HEAD`.
 *
 * Answers are written here and not by the schemas of the contract: they are built to fit (the tests
 * check every endpoint to the letter), and encoding a page of the stash stream a second time would
 * cost more than building it.
 */
import * as Effect from "effect/Effect";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Below this size compression costs more than it saves. */
const LEAST_BYTES = 1024;

/** A content coding that we speak. */
export type Coding = "gzip" | "br" | "identity";

/**
 * The coding that a client prefers, by `Accept-Encoding` (RFC 9110 §12.5.3); of equals, gzip is the
 * cheaper one.
 */
export const contentEncoding = (header: string | undefined): Coding => {
  if (header === undefined) return "identity";
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [coding, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const q = parameters.find((text) => text.startsWith("q="))?.slice(2);
    if (coding !== undefined && coding !== "") weights.set(coding, q === undefined ? 1 : Number(q));
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [gzipWeight, brWeight] = [weightOf("gzip"), weightOf("br")];
  if (Math.max(gzipWeight, brWeight) <= 0) return "identity";
  return brWeight > gzipWeight ? "br" : "gzip";
};

/** Bytes in a coding. */
export const encode = (bytes: Uint8Array, coding: Coding): Promise<Uint8Array> => {
  if (coding === "gzip") return gzipAsync(bytes, { level: 5 });
  if (coding === "br") {
    return brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  }
  return Promise.resolve(bytes);
};

/** Bytes of JSON as a response; already coded bytes say so. */
export const jsonBytes = (
  bytes: Uint8Array,
  coding: Coding,
  status = 200,
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    status,
    contentType: "application/json; charset=utf-8",
    headers: {
      "cache-control": "no-store",
      vary: "Accept-Encoding",
      ...(coding === "identity" ? {} : { "content-encoding": coding }),
    },
  });

const text = new TextEncoder();

/** A value as the bytes of its JSON. */
export const toBytes = (value: unknown): Uint8Array => text.encode(JSON.stringify(value));

/** To `HEAD`: all headers, no content; nothing is computed for it. */
export const headersOnly = HttpServerResponse.empty({
  status: 204,
  headers: { "cache-control": "no-store" },
});

/** Bytes of JSON as the answer to a request, compressed if that pays. */
export const respond = Effect.fnUntraced(function* (bytes: Uint8Array, status = 200) {
  const request = yield* HttpServerRequest.HttpServerRequest;
  const coding =
    bytes.length < LEAST_BYTES ? "identity" : contentEncoding(request.headers["accept-encoding"]);
  const coded = coding === "identity" ? bytes : yield* Effect.promise(() => encode(bytes, coding));
  return jsonBytes(coded, coding, status);
});
