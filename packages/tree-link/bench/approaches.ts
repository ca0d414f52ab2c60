/**
 * The ways in which passive-tree links are read and written in the wild, written anew from their
 * idea, without their defects: what the benchmark compares with. All take and give version 6.
 */
import { decode, encode, type TreeLinkV6 } from "@game-data/tree-link";

/** One way to read and to write. */
export interface Approach {
  readonly decode: (payload: string) => unknown;
  readonly encode: (link: TreeLinkV6, bytes: Buffer) => string;
}

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
  encode(link) {
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
    const view = new DataView(buffer, byteOffset, byteLength);
    let at = 0;
    return readFields((width) => {
      const value =
        width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at) : view.getUint32(at);
      at += width;
      return value;
    });
  },
  encode(link) {
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
  encode: (_, bytes) => bytes.toString("base64url"),
};

export const approaches: Record<string, Approach> = {
  ours: { decode: (payload) => decode(payload), encode: (link) => encode(link) },
  bare,
  "atob and char codes": atobLoop,
  "Buffer and DataView": dataView,
};
