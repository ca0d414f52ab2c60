/**
 * Splits a byte stream into its fields, as far as they go: what `layout` and `decodePartial` are
 * made of. Checks nothing.
 */
import type { Field, FieldGroup } from "../Field.ts";
import { fieldsOfVersion, isVersion, type NumberName } from "./table.ts";

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
  const version = take("version", "version", 32);
  if (!isVersion(version)) return fields;
  for (const field of fieldsOfVersion(version)) {
    if (!("count" in field)) {
      take(groupOf(field.name), field.name, field.bits);
      continue;
    }
    const { entry, name } = field;
    // A list without a count ends where the stream does.
    const count = field.count === "rest" ? Infinity : (take(name, "count", field.count) ?? 0);
    for (let i = 0; i < count; i++)
      if (entry.some((part) => take(name, part, 16, i) === undefined)) break;
  }
  return fields;
};

/** Both ascendancies are one byte of the specification's tables. */
const groupOf = (name: NumberName): FieldGroup =>
  name === "alternateAscendancy" ? "ascendancy" : name;

const covering = ({ end, start }: Field["bits"], unit: number): Field["bits"] => ({
  start: Math.floor(start / unit),
  end: Math.ceil(end / unit),
});
