/**
 * The readable part of a refused link, and repairs of it: `tree-link/partial`. For inspectors and
 * error messages. A program that needs a link uses `decode`.
 */
import { type CodecOptions, DEFAULT_MAX_LENGTH, safeDecode } from "./Decode.ts";
import type { TreeLinkError } from "./Errors.ts";
import { copyBytes, wholeBytes } from "./internal/base64url.ts";
import { type Field, splitFields } from "./internal/fields.ts";
import type { ListName, NumberName } from "./internal/table.ts";
import type { MasteryEffect } from "./TreeLink.ts";

export { repair, type Repair } from "./Repair.ts";

/**
 * The readable fields of a link. Numbers are not checked, so the version may be any uint32. Lists
 * have their readable entries.
 */
export type PartialLink = { readonly [F in "version" | NumberName]?: number } & {
  readonly [F in ListName]: ReadonlyArray<F extends "masteries" ? MasteryEffect : number>;
};

/** The readable part of a payload, and the reason for its refusal. */
export interface PartialDecode {
  readonly link: PartialLink;
  /** The error of `decode`. Absent if `decode` accepts the payload. */
  readonly error?: TreeLinkError;
  /** The readable fields, in the order of their bits. */
  readonly fields: ReadonlyArray<Field>;
  /** Number of entries that the count of each list announces. Version 4 has no counts. */
  readonly expected: { readonly [F in ListName]?: number };
  /** The bytes before the first character that is not base64url. */
  readonly bytes: Uint8Array;
  /** Bytes after the last readable field, such as half a field or surplus bytes. */
  readonly rest: Uint8Array;
}

/** Reads a payload up to the first mistake. Never throws. */
export const decodePartial = (payload: string, options?: CodecOptions): PartialDecode => {
  const result = safeDecode(payload, options);
  const bytes = readableBytes(payload, options?.maxLength);
  const fields = splitFields(bytes);
  const counts = fields.filter(({ name }) => name === "count");
  return {
    link: makeLink(fields),
    ...(result.ok ? {} : { error: result.error }),
    fields,
    expected: Object.fromEntries(counts.map(({ group, value }) => [group, value])),
    bytes,
    rest: bytes.subarray(fields.at(-1)?.bytes.end ?? 0),
  };
};

/** Returns the bytes before the first foreign character. Drops bits that fill no byte. */
const readableBytes = (payload: unknown, maxLength = DEFAULT_MAX_LENGTH): Uint8Array => {
  if (typeof payload !== "string") return new Uint8Array();
  return copyBytes(wholeBytes(/^[\w-]*/u.exec(payload.slice(0, maxLength))![0]));
};

const makeLink = (fields: ReadonlyArray<Field>): PartialLink => {
  const link: Record<string, unknown> = { hashes: [], extendedHashes: [], masteries: [] };
  fields.forEach(({ group, index, name, value }, i) => {
    const list = link[group] as Array<number | MasteryEffect>;
    // The effect precedes the node. An effect without a node after it is not an entry.
    if (name === "node") list.push({ node: value, effect: fields[i - 1]!.value });
    else if (name === "hash") list.push(value);
    else if (index === undefined && name !== "count") link[name] = value;
  });
  return link as unknown as PartialLink;
};
