/**
 * A whole body from its wire bytes to JSON text, on the thread pool, within a bound.
 *
 * The bound is zlib's own `maxOutputLength`, so a bomb is stopped while it inflates and not after.
 */
import { Effect } from "effect";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate as inflateZlib, zstdDecompress } from "node:zlib";
import { DecompressError, OversizedPage, TruncatedBody } from "../Errors.ts";
import { inflateHead } from "./headScanner.ts";

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflateZlib),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** Larger pieces mean fewer trips to the thread pool: 5 MB take 20 of them instead of 320. */
const CHUNK_SIZE = 256 * 1024;

/** Bytes of an oversized page that are kept for the quarantine. */
const KEPT_HEAD = 64 * 1024;

/** Inflates `wire`, at most `limit` bytes. */
export const inflate = (
  wire: Uint8Array,
  encoding: string,
  limit: number,
): Effect.Effect<Uint8Array, DecompressError | OversizedPage | TruncatedBody> => {
  if (encoding === "" || encoding === "identity") {
    return wire.length > limit
      ? Effect.fail(oversized(limit, "inflated", wire, encoding))
      : Effect.succeed(wire);
  }
  const decode = decoders[encoding as keyof typeof decoders];
  if (decode === undefined) {
    return Effect.fail(new DecompressError({ encoding, detail: "not an encoding we asked for" }));
  }
  return Effect.tryPromise({
    try: () => decode(wire, { maxOutputLength: limit, chunkSize: CHUNK_SIZE }),
    catch: (cause) => {
      const { code = "", message = "" } = cause as { code?: string; message?: string };
      if (code === "ERR_BUFFER_TOO_LARGE") return oversized(limit, "inflated", wire, encoding);
      // A stream that ends early, and a checksum or length that does not fit, are the same event: bytes were lost on the way.
      if (code === "Z_BUF_ERROR" || /unexpected end|incorrect (data|length) check/.test(message)) {
        return new TruncatedBody({ received: wire.length, detail: message });
      }
      return new DecompressError({ encoding, detail: message });
    },
  });
};

/** The error of a page that is too large, with as much of its beginning as is worth keeping. */
export const oversized = (
  limit: number,
  stage: "wire" | "inflated",
  wire: Uint8Array,
  encoding: string,
): OversizedPage => {
  const head = inflateHead(wire, encoding) ?? new Uint8Array();
  return new OversizedPage({ limit, stage, head: Uint8Array.from(head.subarray(0, KEPT_HEAD)) });
};
