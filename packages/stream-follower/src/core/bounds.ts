/**
 * Bounds of changes as a store keeps them: nine bytes each (from, length, flags), little endian.
 */
import type { ChangeBounds } from "../PageLog.ts";
import type { PageRow } from "../Model.ts";

const BYTES = 9;
const LISTED = 1;
const REJECTED = 2;

/** Packs the bounds of a page's rows. */
export const packBounds = (
  bounds: ReadonlyArray<number>,
  rows: ReadonlyArray<PageRow>,
): Uint8Array => {
  const packed = Buffer.allocUnsafe(rows.length * BYTES);
  for (const [index, row] of rows.entries()) {
    const from = bounds[index * 2]!;
    packed.writeUInt32LE(from, index * BYTES);
    packed.writeUInt32LE(bounds[index * 2 + 1]! - from, index * BYTES + 4);
    const listed = row.stash?.isPublic === true ? LISTED : 0;
    packed[index * BYTES + 8] = listed | (row.error === undefined ? 0 : REJECTED);
  }
  return packed;
};

/** Unpacks them. */
export const unpackBounds = (packed: Uint8Array): ReadonlyArray<ChangeBounds> => {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  return Array.from({ length: packed.length / BYTES }, (_, index) => {
    const from = view.getUint32(index * BYTES, true);
    const flags = view.getUint8(index * BYTES + 8);
    return {
      from,
      to: from + view.getUint32(index * BYTES + 4, true),
      isListed: (flags & LISTED) !== 0,
      isRejected: (flags & REJECTED) !== 0,
    };
  });
};
