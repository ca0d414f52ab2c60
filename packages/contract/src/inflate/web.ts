/**
 * Inflating with `DecompressionStream`, which every runtime has: it stops when nobody reads on.
 */
import { acceptedCoding, InflateError, type InflateOptions, refused, tooLarge } from "./Coding.ts";

/**
 * Inflates a body piece by piece, at the pace of its reader. `read` gives the next bytes of the
 * body, `undefined` at its end; whoever leaves early releases it. Fails with an `InflateError`, or
 * with the error of `read`. Reads gzip, deflate, and bodies without compression.
 */
export async function* inflateStream(
  read: () => Promise<Uint8Array | undefined>,
  encoding: string,
  { codings, limit }: InflateOptions,
): AsyncGenerator<Uint8Array, undefined> {
  const coding = acceptedCoding(encoding, codings);
  if (coding === "br" || coding === "zstd") throw refused(coding);
  const next: (isOver?: true) => Promise<Uint8Array | undefined> =
    coding === "identity" ? read : inflating(read, coding);
  let length = 0;
  try {
    for (let piece = await next(); piece; piece = await next()) {
      length += piece.byteLength;
      if (length > limit) throw tooLarge(limit);
      yield piece;
    }
    return undefined;
  } finally {
    if (coding !== "identity") await next(true);
  }
}

/** Reads the output of a `DecompressionStream`; with `true` ends it. */
const inflating = (
  read: () => Promise<Uint8Array | undefined>,
  coding: "gzip" | "deflate",
): ((isOver?: true) => Promise<Uint8Array | undefined>) => {
  let broken: { readonly cause: unknown } | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    try {
      const bytes = await read();
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
  return async (isOver) => {
    if (isOver) return void (await reader.cancel().catch(() => undefined));
    try {
      return (await reader.read()).value;
    } catch (cause) {
      if (broken !== undefined) throw broken.cause;
      throw new InflateError("corrupt", `${coding}: ${(cause as Error).message}`, cause);
    }
  };
};
