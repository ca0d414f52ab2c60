/**
 * CRC-32 and length of a page's JSON text. It recognises a page that is served twice; it is no
 * protection against a service that forges pages.
 */
import { crc32 } from "node:zlib";

/** The checksum of a text. */
export const checksum = (raw: Uint8Array): string => format(crc32(raw), raw.length);

/**
 * The same of a body that was inflated. The trailer of gzip names both numbers, and zlib has
 * compared them; of several members it names those of the last one.
 */
export const checksumOf = (raw: Uint8Array, wire: Uint8Array, encoding: string): string => {
  const trailer = gzipTrailer(wire, encoding);
  return trailer?.size === raw.length ? format(trailer.crc, raw.length) : checksum(raw);
};

const format = (crc: number, length: number): string =>
  `${crc.toString(16).padStart(8, "0")}-${length.toString(16)}`;

/** The end of a gzip body: CRC-32 and length of what its last member holds (RFC 1952 §2.3.1). */
const gzipTrailer = (
  wire: Uint8Array,
  encoding: string,
): { readonly crc: number; readonly size: number } | undefined => {
  if (encoding !== "gzip" || wire.length < TRAILER_BYTES) return undefined;
  const at = wire.byteOffset + wire.length - TRAILER_BYTES;
  const view = new DataView(wire.buffer, at, TRAILER_BYTES);
  return { crc: view.getUint32(0, true), size: view.getUint32(4, true) };
};

const TRAILER_BYTES = 8;
