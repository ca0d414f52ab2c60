/**
 * Inflates the beginning of a body that may end anywhere, on the calling thread.
 */
import { ACCEPTED_CODINGS, type Coding } from "@game-data/contract/inflate";
// oxlint-disable-next-line no-restricted-imports -- bounded by HEAD_BYTES below
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";

/** Maximum output. */
const HEAD_BYTES = 1_048_576;

/** Maximum input. */
export const COMPRESSED_HEAD_BYTES = 16_384;

const DECODERS = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
} as const;

/**
 * Returns what at most `COMPRESSED_HEAD_BYTES` inflate to; `undefined` for a coding that is not
 * among `codings`, for zstd (it has no output before a whole block) and for a bomb.
 */
export const inflateHead = (
  bytes: Uint8Array,
  encoding: string,
  codings: ReadonlyArray<Coding> = ACCEPTED_CODINGS,
): Uint8Array | undefined => {
  const name = encoding.trim().toLowerCase().replace("x-", "");
  if (name === "" || name === "identity") return bytes.subarray(0, HEAD_BYTES);
  const coding = codings.find((accepted) => accepted === name);
  if (coding === undefined || coding === "zstd") return undefined;
  const finishFlush = coding === "br" ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
  // A deflated byte holds at most 1,032 bytes, so the shorter try fits whatever the body is.
  const tries = coding === "br" ? [COMPRESSED_HEAD_BYTES] : [COMPRESSED_HEAD_BYTES, 1_000];
  for (const length of tries) {
    try {
      return DECODERS[coding](bytes.subarray(0, length), {
        maxOutputLength: HEAD_BYTES,
        chunkSize: 65_536,
        finishFlush,
      });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") return undefined;
    }
  }
  return undefined;
};
