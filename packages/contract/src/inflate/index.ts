/**
 * Inflates the bodies of responses within a bound.
 *
 * Every path that inflates goes through this module: Node's zlib on its thread pool where it
 * exists, `DecompressionStream` elsewhere. A body may be a bomb, so the output has a limit that
 * stops the work while it runs, and a coding that the request did not ask for is refused unread
 * (RFC 9110 §12.5.3). Without zlib only gzip and deflate can be inflated, and no head.
 *
 * @example
 * ```ts
 * import { inflate, InflateError } from "@game-data/contract/inflate";
 *
 * const bomb = new Uint8Array(
 *   await new Response(
 *     new Blob(["0".repeat(100_000)]).stream().pipeThrough(new CompressionStream("gzip")),
 *   ).arrayBuffer(),
 * );
 * const error = await inflate(bomb, "gzip", { limit: 1_000 }).catch((cause) => cause);
 * if (!(error instanceof InflateError) || error.kind !== "too-large") throw new Error("no bound");
 * ```
 */
import { boundedCoding, type InflateOptions, tooLarge } from "./Coding.ts";
import { inflateWithZlib, nodeZlib } from "./node.ts";
import { inflateStream } from "./web.ts";

export {
  ACCEPTED_CODINGS,
  acceptedCoding,
  type Coding,
  InflateError,
  type InflateOptions,
  refusalOf,
} from "./Coding.ts";
export { COMPRESSED_HEAD_BYTES, inflateHead, inflateSync } from "./node.ts";
export { inflateStream } from "./web.ts";

/** Inflates a whole body. Rejects with an `InflateError`. */
export const inflate = async (
  bytes: Uint8Array,
  encoding: string,
  options: InflateOptions,
): Promise<Uint8Array> => {
  const coding = boundedCoding(encoding, options);
  if (coding === "identity") {
    if (bytes.byteLength > options.limit) throw tooLarge(options.limit);
    return bytes;
  }
  const zlib = nodeZlib();
  if (zlib === undefined) {
    const pieces: Array<Uint8Array<ArrayBuffer>> = [];
    let unread: Uint8Array | undefined = bytes;
    const read = async () => {
      const next = unread?.subarray(0, STEP_BYTES);
      unread = unread && unread.byteLength > STEP_BYTES ? unread.subarray(STEP_BYTES) : undefined;
      return next;
    };
    for await (const piece of inflateStream(read, encoding, options))
      pieces.push(piece as Uint8Array<ArrayBuffer>);
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }
  return inflateWithZlib(zlib, bytes, coding, options.limit);
};

/** Input of one step: browsers inflate a whole piece before anybody can stop them. */
const STEP_BYTES = 16_384;
