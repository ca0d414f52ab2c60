/**
 * Splits a byte stream into its fields, as far as they go: what `layout` and `decodePartial` are
 * made of. Checks nothing.
 */
import type { Field, FieldGroup } from "../Field.ts";

const BITS_PER_BYTE = 8;
const BITS_PER_CHARACTER = 6;

/** Returns the fields that `bytes` holds entirely; of an unknown version, the version alone. */
export const fieldsOf = (bytes: Uint8Array): Array<Field> => {
  const fields: Array<Field> = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let isOver = false;

  /** Reads the next field; `undefined` where the stream is too short for it. */
  const take = (group: FieldGroup, name: string, width: number, index?: number) => {
    const bits = { start: at, end: at + width };
    const range = covering(bits, BITS_PER_BYTE);
    // The bytes behind a field that is cut off belong to no field.
    isOver ||= range.end > bytes.length;
    if (isOver) return undefined;
    let value = 0;
    for (let byte = range.start; byte < range.end; byte++)
      value = value * 256 + view.getUint8(byte);
    const unused = range.end * BITS_PER_BYTE - bits.end;
    value = Math.floor(value / 2 ** unused) % 2 ** width;
    const characters = covering(bits, BITS_PER_CHARACTER);
    const field = { group, name, value, bits, bytes: range, characters };
    fields.push(index === undefined ? field : { ...field, index });
    at += width;
    return value;
  };
  const takeHashes = (group: FieldGroup, count: number) => {
    for (let i = 0; i < count; i++) if (take(group, "hash", 16, i) === undefined) return;
  };

  const version = take("version", "version", 32);
  if (version !== 4 && version !== 5 && version !== 6) return fields;
  take("class", "class", 8);
  if (version === 6) take("ascendancy", "alternateAscendancy", 6);
  take("ascendancy", "ascendancy", version === 6 ? 2 : 8);
  if (version === 4) {
    take("fullscreen", "fullscreen", 8);
    takeHashes("hashes", (bytes.length - 7) >> 1);
    return fields;
  }
  takeHashes("hashes", take("hashes", "count", 8) ?? 0);
  takeHashes("extendedHashes", take("extendedHashes", "count", 8) ?? 0);
  if (version === 5) return fields;
  const count = take("masteries", "count", 8) ?? 0;
  for (let i = 0; i < count; i++) {
    if (take("masteries", "effect", 16, i) === undefined) break;
    if (take("masteries", "node", 16, i) === undefined) break;
  }
  return fields;
};

const covering = ({ end, start }: Field["bits"], unit: number): Field["bits"] => ({
  start: Math.floor(start / unit),
  end: Math.ceil(end / unit),
});
