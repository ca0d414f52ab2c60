/**
 * Peers of the benchmark: the usual ways to read and write these links, as plain loops. All take and
 * give version 6. None checks what the codec checks; each says what it accepts.
 */
import { decode, encode, type TreeLinkV6 } from "@game-data/tree-link";

/** One way to read and to write. */
export interface Approach {
  readonly decode?: (payload: string) => unknown;
  readonly encode?: (payload: string, link: TreeLinkV6, bytes: Buffer) => string;
}

/** A small generator (mulberry32), so that all machines measure the same links. */
const random = (seed: number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xffff;
  };
};

/** 64 distinct links with so many nodes, extended hashes and masteries. */
export const makeLinks = (
  nodes: number,
  extended: number,
  masteries: number,
): ReadonlyArray<TreeLinkV6> => {
  const next = random(1);
  const list = (length: number) => Array.from({ length }, next);
  return Array.from({ length: 64 }, () => ({
    version: 6,
    class: next() % 7,
    ascendancy: next() % 4,
    alternateAscendancy: next() % 4,
    hashes: list(nodes),
    extendedHashes: list(extended),
    masteries: list(masteries).map((node) => ({ node, effect: next() })),
  }));
};

/**
 * `atob` and a loop over its characters; `btoa` over joined characters on the way out. Accepts
 * standard base64, white space, tail bits and bytes behind the link; missing bytes read as NaN.
 */
const atobLoop: Approach = {
  decode(payload) {
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const uint16 = (at: number) => (binary.charCodeAt(at) << 8) | binary.charCodeAt(at + 1);
    const hashes: Array<number> = [];
    const extendedHashes: Array<number> = [];
    const masteries: Array<{ node: number; effect: number }> = [];
    let at = 7;
    for (let left = binary.charCodeAt(6); left > 0; left--, at += 2) hashes.push(uint16(at));
    for (let left = binary.charCodeAt(at++); left > 0; left--, at += 2)
      extendedHashes.push(uint16(at));
    for (let left = binary.charCodeAt(at++); left > 0; left--, at += 4)
      masteries.push({ effect: uint16(at), node: uint16(at + 2) });
    const characterClass = binary.charCodeAt(4);
    const ascendancy = binary.charCodeAt(5);
    return { version: 6, class: characterClass, ascendancy, hashes, extendedHashes, masteries };
  },
  encode(_payload, link) {
    let binary = String.fromCharCode(0, 0, 0, 6, link.class, byteOf(link), link.hashes.length);
    for (const hash of link.hashes) binary += String.fromCharCode(hash >> 8, hash & 255);
    binary += String.fromCharCode(link.extendedHashes.length);
    for (const hash of link.extendedHashes) binary += String.fromCharCode(hash >> 8, hash & 255);
    binary += String.fromCharCode(link.masteries.length);
    for (const { effect, node } of link.masteries)
      binary += String.fromCharCode(effect >> 8, effect & 255, node >> 8, node & 255);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_");
  },
};

const byteOf = (link: TreeLinkV6) => link.ascendancy | (link.alternateAscendancy << 2);

/**
 * `Buffer` and its `readUInt16BE` and `writeUInt16BE`, the tidy way on Node. Skips foreign
 * characters, accepts tail bits and bytes behind the link; counts above 255 throw.
 */
const buffer: Approach = {
  decode(payload) {
    const bytes = Buffer.from(payload, "base64url");
    const hashes: Array<number> = [];
    const extendedHashes: Array<number> = [];
    const masteries: Array<{ node: number; effect: number }> = [];
    let at = 7;
    for (let left = bytes[6]!; left > 0; left--, at += 2) hashes.push(bytes.readUInt16BE(at));
    for (let left = bytes[at++]!; left > 0; left--, at += 2)
      extendedHashes.push(bytes.readUInt16BE(at));
    for (let left = bytes[at++]!; left > 0; left--, at += 4)
      masteries.push({ effect: bytes.readUInt16BE(at), node: bytes.readUInt16BE(at + 2) });
    const version = bytes.readUInt32BE(0);
    return { version, class: bytes[4], ascendancy: bytes[5], hashes, extendedHashes, masteries };
  },
  encode(_payload, link) {
    const { extendedHashes, hashes, masteries } = link;
    const numbers = hashes.length + extendedHashes.length + 2 * masteries.length;
    const bytes = Buffer.allocUnsafe(9 + 2 * numbers);
    bytes.writeUInt32BE(link.version, 0);
    bytes[4] = link.class;
    bytes[5] = byteOf(link);
    let at = bytes.writeUInt8(hashes.length, 6);
    for (const hash of hashes) at = bytes.writeUInt16BE(hash, at);
    at = bytes.writeUInt8(extendedHashes.length, at);
    for (const hash of extendedHashes) at = bytes.writeUInt16BE(hash, at);
    at = bytes.writeUInt8(masteries.length, at);
    for (const { effect, node } of masteries)
      at = bytes.writeUInt16BE(node, bytes.writeUInt16BE(effect, at));
    return bytes.toString("base64url");
  },
};

/** No codec at all: the platform's conversion between text and bytes, for scale. */
const bare = {
  decode: (payload) => Buffer.from(payload, "base64url"),
  encode: (_payload, _link, bytes) => bytes.toString("base64url"),
} satisfies Approach;

export const approaches = {
  ours: {
    decode: (payload) => decode(payload),
    encode: (_payload, link) => encode(link),
  },
  bare,
  "atob and char codes": atobLoop,
  "Buffer and readUInt16BE": buffer,
} satisfies Record<string, Approach>;
