/**
 * Link → payload: canonical base64url with padding, as the game's own links have it. Everything is
 * checked first: a link that its version cannot hold is refused with a `TreeLinkError`, never cut
 * or wrapped.
 */
import { type CodecOptions, DEFAULT_MAX_LENGTH } from "./Decode.ts";
import { TreeLinkError, type TreeLinkReason } from "./Errors.ts";
import { base64Url } from "./internal/Base64Url.ts";
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

/**
 * A link to encode: as decoded, but version 6 may leave out `alternateAscendancy`, which then is 0.
 */
export type TreeLinkInput =
  | TreeLink
  | (Omit<Extract<TreeLink, { version: 6 }>, "alternateAscendancy"> & {
      readonly alternateAscendancy?: number | undefined;
    });

/** Any member of any version: what an untyped caller may hand over. */
interface Loose {
  readonly version?: unknown;
  readonly class?: unknown;
  readonly ascendancy?: unknown;
  readonly alternateAscendancy?: unknown;
  readonly fullscreen?: unknown;
  readonly hashes?: unknown;
  readonly extendedHashes?: unknown;
  readonly masteries?: unknown;
}

/** How a payload is written. */
export interface EncodeOptions extends CodecOptions {
  /**
   * `false` leaves out the `=` at the end, which decoders here and elsewhere do not need; `true` if
   * not given.
   */
  readonly padding?: boolean | undefined;
}

/**
 * The payload of a link.
 *
 * @throws TreeLinkError and nothing else.
 */
export const encode = (link: TreeLinkInput, options?: EncodeOptions): string => {
  const size = sizeOf(link, options);
  const bytes = base64Url.scratch(size);
  write(link, bytes);
  const text = base64Url.toText(bytes, size);
  return options?.padding === false ? text : text + ["", "==", "="][size % 3];
};

/**
 * The byte stream of a link.
 *
 * @throws TreeLinkError and nothing else.
 */
export const encodeBytes = (link: TreeLinkInput, options?: CodecOptions): Uint8Array => {
  const size = sizeOf(link, options);
  const bytes = base64Url.scratch(size);
  write(link, bytes);
  return new Uint8Array(bytes.subarray(0, size));
};

/** How many bytes the link takes: known, and within the limit, before any are set aside for it. */
const sizeOf = (link: Loose, options: CodecOptions | undefined): number => {
  if (Object(link) !== link) return refuse("invalid-type");
  const { version } = link;
  if (version !== 4 && version !== 5 && version !== 6) return refuse("unknown-version", "version");
  let size = version + 3 + asList(link.hashes, "hashes").length * 2;
  if (version > 4) size += asList(link.extendedHashes, "extendedHashes").length * 2;
  if (version > 5) size += asList(link.masteries, "masteries").length * 4;
  const maxLength = options?.maxLength ?? DEFAULT_MAX_LENGTH;
  if (size * 4 > maxLength * 3) throw new TreeLinkError("too-long", maxLength, "character");
  return size;
};

const write = (link: Loose, bytes: Uint8Array): void => {
  const version = link.version as number;
  bytes[0] = bytes[1] = bytes[2] = 0;
  bytes[3] = version;
  bytes[4] = checked(link.class, 255, "class");
  bytes[5] = checked(link.ascendancy, version === 6 ? 3 : 255, "ascendancy");
  if (version === 4) {
    bytes[6] = checked(link.fullscreen, 1, "fullscreen", "invalid-fullscreen");
    writeElements(link.hashes as ReadonlyArray<unknown>, "hashes", bytes, 7);
    refuseUnlessEmpty(link.extendedHashes, "extendedHashes");
  } else {
    refuseUnlessEmpty(link.fullscreen, "fullscreen");
    const hashesEnd = writeCounted(link.hashes, "hashes", bytes, 6);
    const extendedEnd = writeCounted(link.extendedHashes, "extendedHashes", bytes, hashesEnd);
    if (version === 6) {
      bytes[5] |= checked(link.alternateAscendancy ?? 0, 63, "alternateAscendancy") << 2;
      writeCounted(link.masteries, "masteries", bytes, extendedEnd);
      return;
    }
  }
  refuseUnlessEmpty(link.masteries, "masteries");
  refuseUnlessEmpty(link.alternateAscendancy, "alternateAscendancy");
};

/** Writes a list behind its count. */
const writeCounted = (value: unknown, field: List, bytes: Uint8Array, at: number): number => {
  const list = value as ReadonlyArray<unknown>;
  if (list.length > 255) return refuse("too-many", field, 255);
  bytes[at] = list.length;
  return writeElements(list, field, bytes, at + 1);
};

/** Writes the elements of a list, and says where it stopped. */
const writeElements = (
  list: ReadonlyArray<unknown>,
  field: List,
  bytes: Uint8Array,
  start: number,
): number => {
  const isPairs = field === "masteries";
  let at = start;
  for (let i = 0; i < list.length; i++) {
    let value = list[i];
    if (isPairs) {
      const pair = value as MasteryEffect | undefined;
      const effect = pair?.effect;
      if (!isUint16(effect)) return refuse("out-of-range", field, i);
      bytes[at++] = effect >> 8;
      bytes[at++] = effect;
      value = pair?.node;
    }
    if (!isUint16(value)) return refuse("out-of-range", field, i);
    bytes[at++] = value >> 8;
    bytes[at++] = value;
  }
  return at;
};

type List = "hashes" | "extendedHashes" | "masteries";

const asList = (value: unknown, field: List): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : refuse("invalid-type", field);

/** What a version has no place for may be there, if it says nothing: absent, 0 or an empty list. */
const refuseUnlessEmpty = (value: unknown, field: string) => {
  if (value && !(Array.isArray(value) && !value.length)) refuse("no-room", field);
};

const isUint16 = (value: unknown): value is number =>
  typeof value === "number" && (value & 0xffff) === value;

/** `value`, if it is an integer from 0 to `max`. */
const checked = (
  value: unknown,
  max: number,
  field: string,
  reason: TreeLinkReason = "out-of-range",
): number => (isUint16(value) && value <= max ? value : refuse(reason, field));

const refuse = (reason: TreeLinkReason, field?: string, index = 0): never => {
  throw new TreeLinkError(reason, index, "element", field);
};
