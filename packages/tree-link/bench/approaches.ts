/**
 * Peers of the benchmark: the usual ways to read and write these links, written anew from their
 * idea and without their defects. All take and give version 6.
 */
import { decode, encode, type TreeLinkV6 } from "@game-data/tree-link";
import { view } from "@game-data/tree-link/view";

/** One way to read and to write. */
export interface Approach {
  readonly decode?: (payload: string) => unknown;
  readonly view?: (payload: string) => unknown;
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

const readFields = (uint: (width: 1 | 2 | 4) => number) => {
  const version = uint(4);
  const characterClass = uint(1);
  const ascendancy = uint(1);
  const hashes: Array<number> = [];
  for (let count = uint(1); count > 0; count--) hashes.push(uint(2));
  const extendedHashes: Array<number> = [];
  for (let count = uint(1); count > 0; count--) extendedHashes.push(uint(2));
  const masteries: Array<{ node: number; effect: number }> = [];
  for (let count = uint(1); count > 0; count--) {
    const effect = uint(2);
    masteries.push({ node: uint(2), effect });
  }
  return { version, class: characterClass, ascendancy, hashes, extendedHashes, masteries };
};

const fieldsOf = (link: TreeLinkV6): Array<[width: 1 | 2 | 4, value: number]> => [
  [4, link.version],
  [1, link.class],
  [1, link.ascendancy | (link.alternateAscendancy << 2)],
  [1, link.hashes.length],
  ...link.hashes.map((hash): [2, number] => [2, hash]),
  [1, link.extendedHashes.length],
  ...link.extendedHashes.map((hash): [2, number] => [2, hash]),
  [1, link.masteries.length],
  ...link.masteries.flatMap(({ effect, node }): Array<[2, number]> => [
    [2, effect],
    [2, node],
  ]),
];

/**
 * `atob` and a loop over char codes, numbers put together from a byte array; `btoa` over joined
 * characters on the way out.
 */
const atobLoop: Approach = {
  decode(payload) {
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes: Array<number> = [];
    for (let i = 0; i < binary.length; i++) bytes.push(binary.charCodeAt(i));
    let at = 0;
    return readFields((width) => {
      let value = 0;
      for (let i = 0; i < width; i++) value = value * 256 + bytes[at++]!;
      return value;
    });
  },
  encode(_payload, link) {
    const bytes = fieldsOf(link).flatMap(([width, value]) =>
      Array.from({ length: width }, (_, i) => (value >>> (8 * (width - 1 - i))) & 255),
    );
    const binary = bytes.map((byte) => String.fromCharCode(byte)).join("");
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_");
  },
};

/** `Buffer` and `DataView`, the tidy way on Node. */
const dataView: Approach = {
  decode(payload) {
    const { buffer, byteLength, byteOffset } = Buffer.from(payload, "base64url");
    const data = new DataView(buffer, byteOffset, byteLength);
    let at = 0;
    return readFields((width) => {
      const value =
        width === 1 ? data.getUint8(at) : width === 2 ? data.getUint16(at) : data.getUint32(at);
      at += width;
      return value;
    });
  },
  encode(_payload, link) {
    const fields = fieldsOf(link);
    const bytes = Buffer.alloc(fields.reduce((size, [width]) => size + width, 0));
    let at = 0;
    for (const [width, value] of fields) at = bytes.writeUIntBE(value, at, width);
    return bytes.toString("base64url");
  },
};

/** No codec at all: the platform's conversion between text and bytes, for scale. */
const bare: Approach = {
  decode: (payload) => Buffer.from(payload, "base64url"),
  view: (payload) => Buffer.from(payload, "base64url"),
  encode: (_payload, _link, bytes) => bytes.toString("base64url"),
};

export const approaches: Record<string, Approach> = {
  ours: {
    decode: (payload) => decode(payload),
    view: (payload) => view(payload),
    encode: (_payload, link) => encode(link),
  },
  bare,
  "atob and char codes": atobLoop,
  "Buffer and DataView": dataView,
};
