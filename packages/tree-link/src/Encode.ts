/**
 * Link → payload: canonical base64url with padding, as the game's own links have it. A link that
 * its version cannot hold is refused with a `TreeLinkError`, never cut or wrapped.
 *
 * What is checked is what is written, also where getters or proxies of the caller's link change
 * their minds. What they throw is the `cause` of the `TreeLinkError`.
 *
 * ```ts
 * import { encode } from "@game-data/tree-link";
 *
 * const lists = { hashes: [63311], extendedHashes: [], masteries: [] };
 * const payload = encode({ version: 6, class: 0, ascendancy: 0, ...lists });
 * if (payload !== "AAAABgAAAfdPAAA=") throw new Error("an atlas tree with one node");
 * ```
 */
import { type CodecOptions, DEFAULT_MAX_LENGTH, orThrow } from "./Decode.ts";
import { TreeLinkError, type TreeLinkReason } from "./Errors.ts";
import { base64Url, SCRATCH_BYTES, viewOf } from "./internal/Base64Url.ts";
import { fail } from "./internal/textError.ts";
import type { MasteryEffect, TreeLink, TreeLinkVersion } from "./TreeLink.ts";

/** Lists as anything that can be iterated, and a second ascendancy that may be left out. */
type Input<L> = {
  readonly [
    K in keyof L as K extends "alternateAscendancy" ? never : K
  ]: L[K] extends ReadonlyArray<infer E> ? Iterable<E> : L[K];
} & { readonly [K in keyof L as K extends "alternateAscendancy" ? K : never]?: L[K] | undefined };

/**
 * A link to encode: as decoded, but version 6 may leave out `alternateAscendancy`, which then is 0,
 * and a list may be any iterable object, such as a `Uint16Array` or a `Set`.
 */
export type TreeLinkInput = TreeLink extends infer L
  ? L extends TreeLink
    ? Input<L>
    : never
  : never;

/** Any member of any version: an untyped caller may pass anything. */
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

/** Options of `encode`. */
export interface EncodeOptions extends CodecOptions {
  /** `false` leaves out the `=` at the end, which decoders here and elsewhere do not need. */
  readonly padding?: boolean | undefined;
}

/**
 * Writes the payload of a link.
 *
 * @throws TreeLinkError and nothing else.
 */
export const encode = (link: TreeLinkInput, options?: EncodeOptions): string => {
  const { bytes, size } = write(link, options);
  const text = base64Url.toText(bytes, size);
  return options?.padding === false ? text : text + ["", "==", "="][size % 3]!;
};

/**
 * Writes the byte stream of a link.
 *
 * @throws TreeLinkError and nothing else.
 */
export const encodeBytes = (link: TreeLinkInput, options?: CodecOptions): Uint8Array => {
  const { bytes, size } = write(link, options);
  return new Uint8Array(bytes.subarray(0, size));
};

/** A buffer, and how many of its bytes are in use. */
interface Target {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  size: number;
}

const allocate = (size: number): Target => {
  const bytes = base64Url.allocate(size);
  return { bytes, view: viewOf(bytes), size };
};

/** Reused by every link that fits. Taken while a link is written, because a getter may encode. */
let shared: Target | undefined = /*#__PURE__*/ allocate(SCRATCH_BYTES);

const write = (link: Loose, options: CodecOptions | undefined): Target => {
  const taken = shared;
  shared = undefined;
  let written: Target | undefined;
  let cause: unknown;
  try {
    written = fill(link, options?.maxLength ?? DEFAULT_MAX_LENGTH, taken);
  } catch (error) {
    cause = error;
  }
  shared = taken;
  if (written === undefined)
    throw new TreeLinkError(["invalid-type", 0], "element", orThrow(cause));
  return written;
};

const fill = (link: Loose, maxLength: number, taken: Target | undefined): Target => {
  // `null` throws in the next line, which is `invalid-type` too.
  if (typeof link !== "object") return refuse("invalid-type");
  const version = link.version as TreeLinkVersion;
  if (version !== 4 && version !== 5 && version !== 6)
    // Never: a version that is in the types and not here does not compile.
    return refuse("unknown-version", "version", 0, version satisfies never);
  // Each version has its branch below; another does not compile here either.
  const isV4 = (version satisfies 4 | 5 | 6) === 4;
  const isV6 = version === 6;
  const characterClass = uint(link.class, 255, "class");
  const ascendancy = uint(link.ascendancy, isV6 ? 3 : 255, "ascendancy");
  const alternate = isV6
    ? uint(link.alternateAscendancy ?? 0, 63, "alternateAscendancy")
    : empty(link.alternateAscendancy, "alternateAscendancy").length;
  const fullscreen = isV4
    ? uint(link.fullscreen, 1, "fullscreen", "invalid-fullscreen")
    : empty(link.fullscreen, "fullscreen").length;
  const hashes = list(link.hashes, "hashes", maxLength);
  // A proxy may claim any length.
  const hashCount = hashes.length >>> 0;
  const extendedHashes = isV4
    ? empty(link.extendedHashes, "extendedHashes")
    : list(link.extendedHashes, "extendedHashes", maxLength);
  const extendedCount = extendedHashes.length >>> 0;
  const masteries = isV6
    ? list(link.masteries, "masteries", maxLength)
    : empty(link.masteries, "masteries");
  const masteryCount = masteries.length >>> 0;

  const size = version + 3 + 2 * (hashCount + extendedCount) + 4 * masteryCount;
  if (!(size * 4 <= maxLength * 3)) throw fail("too-long", maxLength);
  const target = taken && size <= SCRATCH_BYTES ? taken : allocate(size);
  const { view } = target;
  view.setUint32(0, version);
  view.setUint8(4, characterClass);
  view.setUint8(5, ascendancy | (alternate << 2));
  // From here on the size is what is written.
  target.size = 6;
  putCount(target, isV4 ? fullscreen : hashCount, "hashes");
  putHashes(target, hashes, hashCount, "hashes");
  if (!isV4) {
    putCount(target, extendedCount, "extendedHashes");
    putHashes(target, extendedHashes, extendedCount, "extendedHashes");
  }
  if (isV6) {
    putCount(target, masteryCount, "masteries");
    putMasteries(target, masteries, masteryCount);
  }
  return target;
};

type Field = "hashes" | "extendedHashes" | "masteries";

const putCount = (target: Target, count: number, field: Field): void => {
  if (count > 255) refuse("too-many", field, 255, count);
  target.view.setUint8(target.size++, count);
};

/** Writes hashes, two a step; see `readHashes` for the `| 0`. */
const putHashes = (
  target: Target,
  hashes: ReadonlyArray<unknown>,
  count: number,
  field: Field,
): void => {
  const { view } = target;
  const length = count | 0;
  let at = target.size | 0;
  let i = 0;
  for (; i + 1 < length; i = (i + 2) | 0) {
    const first = hashes[i];
    const second = hashes[i + 1];
    if (!isUint16(first) || !isUint16(second)) break;
    view.setUint32(at, (first << 16) | second);
    at = (at + 4) | 0;
  }
  // The rest, or the hash that stopped the loop above.
  for (; i < length; i++) {
    const hash = hashes[i];
    if (!isUint16(hash)) return refuse("out-of-range", field, i, hash);
    view.setUint16(at, hash);
    at += 2;
  }
  target.size = at;
};

const putMasteries = (target: Target, masteries: ReadonlyArray<unknown>, count: number): void => {
  for (let i = 0; i < count; i++) {
    const pair = masteries[i] as Partial<MasteryEffect> | null | undefined;
    const effect = pair?.effect;
    const node = pair?.node;
    if (!isUint16(effect) || !isUint16(node))
      return refuse("out-of-range", "masteries", i, isUint16(effect) ? node : effect);
    target.view.setUint32(target.size, (effect << 16) | node);
    target.size += 4;
  }
};

const list = (value: unknown, field: Field, maxLength: number): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value;
  // A text can be iterated too, and is no list.
  if (typeof value !== "object" || !(value as Partial<Iterable<unknown>> | null)?.[Symbol.iterator])
    return refuse("invalid-type", field);
  const entries: Array<unknown> = [];
  // Endless ones end here: an entry takes more than a character, so these are too long.
  for (const entry of value as Iterable<unknown>) if (!(entries.push(entry) <= maxLength)) break;
  return entries;
};

/** Accepts a member that the version does not have, if it is absent, 0 or an empty list. */
const empty = (value: unknown, field: string): ReadonlyArray<unknown> =>
  !value || (Array.isArray(value) && value.length === 0) ? [] : refuse("no-room", field);

const isUint16 = (value: unknown): value is number =>
  typeof value === "number" && (value & 0xffff) === value;

/** Returns `value` if it is an integer from 0 to `max`. */
const uint = (
  value: unknown,
  max: number,
  field: string,
  reason: TreeLinkReason = "out-of-range",
): number => (isUint16(value) && value <= max ? value : refuse(reason, field, 0, value));

const refuse = (reason: TreeLinkReason, field?: string, index = 0, actual?: unknown): never => {
  const found = typeof actual === "number" ? actual : undefined;
  throw new TreeLinkError([reason, index, field, found], "element");
};
