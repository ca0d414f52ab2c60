/** Bodies of some hundred bytes or kilobytes that become 600 MiB when they are inflated. */
import { createBrotliCompress, constants, deflateSync, gzipSync } from "node:zlib";

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
