/** The platform without Node: browsers, workerd, Deno and Bun. */
import { base64url, hex, utf8 } from "../internal/encoding.ts";
import { sha256Bytes } from "../internal/sha256.ts";
import type { Platform } from "./Platform.ts";

/** Random bytes, clock and compression of the web platform, with hashes in JavaScript. */
export const webPlatform: Platform = {
  sha256: (text, encoding) => {
    const digest = sha256Bytes(utf8(text));
    return encoding === "hex" ? hex(digest) : base64url(digest);
  },
  random: (bytes) => base64url(crypto.getRandomValues(new Uint8Array(bytes))),
  monotonic: () => performance.now(),
  codings: ["gzip"],
  compress: async (bytes, coding) => {
    const { readable, writable } = new CompressionStream(coding === "gzip" ? "gzip" : "deflate");
    const writer = writable.getWriter();
    void writer.write(bytes as Uint8Array<ArrayBuffer>).then(() => writer.close());
    return new Uint8Array(await new Response(readable).arrayBuffer());
  },
};
