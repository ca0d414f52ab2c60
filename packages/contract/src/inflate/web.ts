/**
 * Inflating piece by piece: with Node's zlib, elsewhere with `DecompressionStream`, which stops when
 * nobody reads on. That one reads a single member of gzip; a second is `corrupt`.
 */
import { boundedCoding, InflateError, type InflateOptions, refused, tooLarge } from "./Coding.ts";
import { inflatePieces, nodeZlib } from "./node.ts";

/**
 * Inflates a body piece by piece, at the pace of its reader. `read` gives the next bytes of the
 * body, `undefined` at its end; whoever leaves early releases it. Fails with an `InflateError`, or
 * with the error of `read`. Reads gzip, deflate, and bodies without compression.
 */
export async function* inflateStream(
  read: () => Promise<Uint8Array | undefined>,
  encoding: string,
  options: InflateOptions,
): AsyncGenerator<Uint8Array, undefined> {
  const coding = boundedCoding(encoding, options);
  const { limit } = options;
  if (coding === "br" || coding === "zstd") throw refused(coding);
  let length = 0;
  for await (const piece of piecesOf(read, coding, limit)) {
    length += piece.byteLength;
    if (length > limit) throw tooLarge(limit);
    yield piece;
  }
  return undefined;
}

const piecesOf = (
  read: () => Promise<Uint8Array | undefined>,
  coding: "identity" | "gzip" | "deflate",
  limit: number,
): AsyncIterable<Uint8Array> => {
  if (coding === "identity") return plain(read);
  const zlib = nodeZlib();
  return zlib === undefined ? inflating(read, coding) : inflatePieces(zlib, read, coding, limit);
};

async function* plain(read: () => Promise<Uint8Array | undefined>) {
  for (let piece = await read(); piece; piece = await read()) yield piece;
}

/** Reads the output of a `DecompressionStream`. */
async function* inflating(
  read: () => Promise<Uint8Array | undefined>,
  coding: "gzip" | "deflate",
): AsyncGenerator<Uint8Array, undefined> {
  let broken: { readonly cause: unknown } | undefined;
  let isRead = false;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    try {
      const bytes = await read();
      isRead = bytes === undefined;
      if (bytes === undefined) controller.close();
      else controller.enqueue(bytes as Uint8Array<ArrayBuffer>);
    } catch (cause) {
      broken = { cause };
      throw cause;
    }
  };
  const reader = new ReadableStream({ pull }, { highWaterMark: 0 })
    .pipeThrough(new DecompressionStream(coding))
    .getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    return undefined;
  } catch (cause) {
    if (broken !== undefined) throw broken.cause;
    // What fails at the end of the input has no end of its own.
    const kind = isRead ? "truncated" : "corrupt";
    throw new InflateError(kind, `${coding}: ${(cause as Error).message}`, cause);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
