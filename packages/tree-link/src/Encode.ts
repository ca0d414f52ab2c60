/**
 * Link → payload: canonical base64url with padding, as the game's own links have it. Everything is checked first: a link that its
 * version cannot hold is refused with a `TreeLinkError`, never cut or wrapped.
 */
import { type CodecOptions, DEFAULT_MAX_LENGTH } from "./Decode.ts";
import { TreeLinkError, type TreeLinkReason } from "./Errors.ts";
import { base64Url } from "./internal/Base64Url.ts";
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

/** A link to encode: as decoded, but version 6 may leave out `alternateAscendancy`, which then is 0. */
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
  /** `false` leaves out the `=` at the end, which decoders here and elsewhere do not need; `true` if not given. */
  readonly padding?: boolean | undefined;
}

/**
 * The payload of a link.
 *
 * @throws TreeLinkError and nothing else.
 */
export const encode = (link: TreeLinkInput, options?: EncodeOptions): string => {
  const bytes = base64Url.scratch(roomFor(link));
  const size = write(link, bytes);
  const maxLength = options?.maxLength ?? DEFAULT_MAX_LENGTH;
  if (size * 4 > maxLength * 3) throw new TreeLinkError("too-long", maxLength, "character");
  const text = base64Url.toText(bytes, size);
  return options?.padding === false ? text : text + ["", "==", "="][size % 3];
};

/**
 * The byte stream of a link.
 *
 * @throws TreeLinkError and nothing else.
 */
export const encodeBytes = (link: TreeLinkInput): Uint8Array => {
  const bytes = base64Url.scratch(roomFor(link));
  return new Uint8Array(bytes.subarray(0, write(link, bytes)));
};

/** Bytes of a version 6 link whose three lists are full. */
const LONGEST_COUNTED = 9 + 255 * (2 + 2 + 4);

const roomFor = (link: Loose): number => {
  if (typeof link !== "object" || link === null) return refuse("invalid-type");
  const { version } = link;
  if (version === 4) return 7 + asList(link.hashes, "hashes").length * 2;
  if (version === 5 || version === 6) return LONGEST_COUNTED;
  return refuse("unknown-version", "version");
};

/** Writes the link, and says how many bytes it took. */
const write = (link: Loose, bytes: Uint8Array): number => {
  const version = link.version as number;
  bytes[0] = bytes[1] = bytes[2] = 0;
  bytes[3] = version;
  bytes[4] = checked(link.class, 255, "class");
  bytes[5] = checked(link.ascendancy, version === 6 ? 3 : 255, "ascendancy");
  if (version === 6) {
    bytes[5] |= checked(link.alternateAscendancy ?? 0, 63, "alternateAscendancy") << 2;
    return writeList(link.masteries, "masteries", bytes, writeBothHashes(link, bytes));
  }
  refuseUnlessEmpty(link.masteries, "masteries");
  refuseUnlessEmpty(link.alternateAscendancy, "alternateAscendancy");
  if (version === 5) return writeBothHashes(link, bytes);
  refuseUnlessEmpty(link.extendedHashes, "extendedHashes");
  bytes[6] = checked(link.fullscreen, 1, "fullscreen", "invalid-fullscreen");
  return writeElements(asList(link.hashes, "hashes"), "hashes", bytes, 7);
};

const writeBothHashes = (link: Loose, bytes: Uint8Array) =>
  writeList(
    link.extendedHashes,
    "extendedHashes",
    bytes,
    writeList(link.hashes, "hashes", bytes, 6),
  );

const writeList = (value: unknown, field: List, bytes: Uint8Array, at: number) => {
  const list = asList(value, field);
  if (list.length > 255) return refuse("too-many", field, 255);
  bytes[at] = list.length;
  return writeElements(list, field, bytes, at + 1);
};

const writeElements = (
  list: ReadonlyArray<unknown>,
  field: List,
  bytes: Uint8Array,
  start: number,
) => {
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

const asList = (value: unknown, field: List): ReadonlyArray<unknown> => {
  return Array.isArray(value) ? value : refuse("invalid-type", field);
};

/** What a version has no place for may be there, if it says nothing: absent, 0 or an empty list. */
const refuseUnlessEmpty = (value: unknown, field: List | "alternateAscendancy") => {
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
