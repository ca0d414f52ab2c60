/** Hashes, random bytes, clock and compression of Node. */
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Platform } from "./Platform.ts";

// Take the built-in module, because an `import` of node:crypto also loads Web Crypto.
// oxlint-disable-next-line no-restricted-properties -- nothing is inflated here
const { hash, randomBytes, randomFillSync } = process.getBuiltinModule("node:crypto");

const TOKEN_BYTES = 32;

/** Random bytes for many tokens, because a system call for each token costs more than the rest. */
const pool = Buffer.alloc(TOKEN_BYTES * 128);
let drawn = pool.length;

const token = (): string => {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const bytes = pool.subarray(drawn, (drawn += TOKEN_BYTES));
  const text = bytes.toString("base64url");
  // Overwrite the bytes of an issued token, so that they do not stay in memory.
  bytes.fill(0);
  return text;
};

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

export const nodePlatform: Platform = {
  sha256: (text, encoding) => hash("sha256", text, encoding),
  random: (bytes) => (bytes === TOKEN_BYTES ? token() : randomBytes(bytes).toString("base64url")),
  monotonic: () => performance.now(),
  codings: ["gzip", "br"],
  compress: (bytes, coding) =>
    coding === "gzip"
      ? gzipAsync(bytes, { level: 5 })
      : brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
};
