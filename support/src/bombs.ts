/** Makes bodies of some hundred bytes or kilobytes that inflate to 600 MiB. */
import { Readable } from "node:stream";
import zlib, {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  deflateRawSync,
  gzipSync,
} from "node:zlib";

const BLOCKS = 60;
const BLOCK = Buffer.alloc(10 * 1_048_576);

/**
 * Makes a body for each content coding: less than a kilobyte as Brotli, some 600 kB as gzip or
 * deflate. Compresses a few blocks and repeats them, because compressing 600 MiB takes ten seconds
 * of CPU for each coding.
 */
export const makeBombs = async () => ({
  br: await brotliBomb(),
  gzip: gzipBomb(),
  deflate: deflateBomb(),
});

export type Bombs = Awaited<ReturnType<typeof makeBombs>>;

/**
 * Counts the bytes that zlib's streams inflate in this process during `run`, including those of `fetch`
 * and `DecompressionStream`. Unlike a time, the count does not depend on the load of the machine.
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

/** Compresses a block, and ends the output at a whole byte, so that more output may follow. */
const compressBlock = async (stream: BrotliCompress): Promise<Buffer> => {
  const chunks: Array<Buffer> = [];
  const collect = (chunk: Buffer) => chunks.push(chunk);
  stream.on("data", collect);
  await new Promise<void>((resolve) => {
    stream.write(BLOCK, () => stream.flush(resolve));
  });
  stream.off("data", collect);
  return Buffer.concat(chunks);
};

const brotliBomb = async (): Promise<Buffer> => {
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_LGWIN]: 24 };
  const stream = createBrotliCompress({ params });
  const first = await compressBlock(stream);
  const next = await compressBlock(stream);
  stream.destroy();
  const last = Buffer.of(0x03); // an empty last block
  return Buffer.concat([first, ...Array.from({ length: BLOCKS - 1 }, () => next), last]);
};

const gzipBomb = (): Buffer => {
  const member = gzipSync(BLOCK);
  return Buffer.concat(Array.from({ length: BLOCKS }, () => member));
};

const deflateBomb = (): Buffer => {
  const block = deflateRawSync(BLOCK, { finishFlush: constants.Z_FULL_FLUSH });
  const head = Buffer.of(0x78, 0x9c);
  const last = Buffer.of(0x03, 0x00); // an empty last block
  const checksum = Buffer.alloc(4); // Adler-32 of zeros: their number, and 1
  checksum.writeUInt16BE((BLOCKS * BLOCK.byteLength) % 65_521, 0);
  checksum.writeUInt16BE(1, 2);
  return Buffer.concat([head, ...Array.from({ length: BLOCKS }, () => block), last, checksum]);
};
