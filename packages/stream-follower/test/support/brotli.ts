/** Brotli at its lowest quality: the highest, Node's default, takes ten milliseconds a page. */
import { brotliCompressSync, constants } from "node:zlib";

export const brotli = (text: string | Uint8Array): Uint8Array =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
