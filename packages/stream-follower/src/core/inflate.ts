/**
 * A whole body from its wire bytes to JSON text, on the thread pool, within a bound.
 */
import * as Effect from "effect/Effect";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate as inflateZlib, zstdDecompress } from "node:zlib";
import type { DecompressError, PageTooLarge, TruncatedBody } from "../Errors.ts";
import { inflateFailure, inflateNow, isKnownEncoding, zlibOptions } from "./inflateNow.ts";

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflateZlib),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/**
 * A body this small (the answer at the end of the stream) is inflated faster than a thread can be
 * told to.
 */
const SMALL_BYTES = 4096;

/** Inflates `wire`, at most `limit` bytes. */
export const inflate = (
  wire: Uint8Array,
  encoding: string,
  limit: number,
): Effect.Effect<Uint8Array, DecompressError | PageTooLarge | TruncatedBody> => {
  if (!isKnownEncoding(encoding) || wire.length <= SMALL_BYTES) {
    return Effect.suspend(() => {
      const inflated = inflateNow(wire, encoding, limit);
      return inflated instanceof Uint8Array ? Effect.succeed(inflated) : Effect.fail(inflated);
    });
  }
  return Effect.tryPromise({
    try: () => decoders[encoding](wire, zlibOptions(wire, encoding, limit)),
    catch: (cause) => inflateFailure(cause, wire, encoding, limit),
  });
};
