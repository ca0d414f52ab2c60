/** Bodies of some hundred bytes or kilobytes that become 600 MiB when they are inflated. */
import { Readable } from "node:stream";
import zlib, { createBrotliCompress, constants, deflateSync, gzipSync } from "node:zlib";

const MEBIBYTE = 1_048_576;

/** Bodies by their content coding. */
export interface Bombs {
  /** Some 500 bytes. */
  readonly br: Buffer;
  /** Six members, some 600 kB. */
  readonly gzip: Buffer;
  readonly deflate: Buffer;
}

/** Makes the bodies: two seconds of work. */
export const makeBombs = async (): Promise<Bombs> => {
  const member = gzipSync(Buffer.alloc(100 * MEBIBYTE));
  return {
    br: await brotliBomb(),
    gzip: Buffer.concat(Array.from({ length: 6 }, () => member)),
    deflate: deflateSync(Buffer.alloc(600 * MEBIBYTE)),
  };
};

/**
 * The bytes that zlib's streams inflate in this process while `run` runs, also those of `fetch` and
 * of `DecompressionStream`. A count says the same on a busy machine.
 */
export const inflatedDuring = async <A>(
  run: () => Promise<A>,
): Promise<{ readonly value: A; readonly bytes: number }> => {
  let bytes = 0;
  const prototypes = [zlib.Gunzip, zlib.Inflate, zlib.Unzip, zlib.BrotliDecompress].map(
    (inflater) => (inflater as unknown as { readonly prototype: Partial<Readable> }).prototype,
  );
  for (const prototype of prototypes)
    prototype.push = function push(this: Readable, chunk: Uint8Array | null) {
      bytes += chunk?.byteLength ?? 0;
      return Readable.prototype.push.call(this, chunk);
    };
  try {
    const value = await run();
    return { value, bytes };
  } finally {
    for (const prototype of prototypes) delete prototype.push;
  }
};

const brotliBomb = async (): Promise<Buffer> => {
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_LGWIN]: 24 };
  const stream = createBrotliCompress({ params });
  const chunks: Array<Buffer> = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => stream.once("end", resolve));
  const piece = Buffer.alloc(MEBIBYTE);
  for (let count = 0; count < 600; count += 1)
    if (!stream.write(piece)) await new Promise((resolve) => stream.once("drain", resolve));
  stream.end();
  await ended;
  return Buffer.concat(chunks);
};
