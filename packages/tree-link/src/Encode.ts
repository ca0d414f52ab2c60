/**
 * Encodes links as canonical base64url with padding, as in the game's own links. A link that its
 * version cannot hold is refused with a `TreeLinkError`, never cut or wrapped.
 *
 * Each member is read once, so a getter cannot change a checked value. The error of a getter is the
 * `cause` of the `TreeLinkError`.
 */
import { type CodecOptions, DEFAULT_MAX_LENGTH } from "./Decode.ts";
import { refusal, TreeLinkError, type TreeLinkReason } from "./Errors.ts";
import { allocate, paddingFor, SCRATCH_BYTES, toText, viewOf } from "./internal/base64url.ts";
import type { FieldName, ListName } from "./internal/table.ts";
import type {
  MasteryEffect,
  TreeLinkV4,
  TreeLinkV5,
  TreeLinkV6,
  TreeLinkVersion,
} from "./TreeLink.ts";

/** A link whose lists may be any iterables. */
type WithIterables<L> = {
  readonly [K in keyof L]: L[K] extends ReadonlyArray<infer E> ? Iterable<E> : L[K];
};

/**
 * A link to encode. Version 6 may omit `alternateAscendancy`, which is then 0. A list may be any
 * iterable object, such as a `Uint16Array` or a `Set`.
 */
export type TreeLinkInput =
  | WithIterables<TreeLinkV4 | TreeLinkV5>
  | (WithIterables<Omit<TreeLinkV6, "alternateAscendancy">> & {
      readonly alternateAscendancy?: number | undefined;
    });

/** All members of all versions, because an untyped caller may pass any value. */
type UncheckedLink = { readonly [F in "version" | "link" | FieldName]?: unknown };

/** Bounds the length of the payload, and states whether it is padded. */
export interface EncodeOptions extends CodecOptions {
  /** `false` omits the `=` at the end of the payload, which decoders of this format do not need. */
  readonly padding?: boolean | undefined;
}

/**
 * Writes the payload of a link.
 *
 * @throws TreeLinkError and nothing else.
 *
 * @example
 * ```ts
 * import { encode } from "@game-data/tree-link";
 *
 * console.log(encode({ version: 4, class: 3, ascendancy: 2, fullscreen: 0, hashes: [2151, 4397] }));
 * // AAAABAMCAAhnES0=
 * ```
 */
export const encode = (link: TreeLinkInput, options?: EncodeOptions): string => {
  const { bytes, size } = write(link, options);
  const text = toText(bytes, size);
  return options?.padding === false ? text : text + paddingFor(size);
};

/**
 * Writes the bytes of a link, which `encode` would convert to text.
 *
 * @throws TreeLinkError and nothing else.
 */
export const encodeBytes = (link: TreeLinkInput, options?: CodecOptions): Uint8Array => {
  const { bytes, size } = write(link, options);
  return new Uint8Array(bytes.subarray(0, size));
};

/** A buffer, and the number of bytes that are written. */
interface Target {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  size: number;
}

const makeTarget = (size: number): Target => {
  const bytes = allocate(size);
  return { bytes, view: viewOf(bytes), size: 0 };
};

/**
 * Buffer that is reused for every link that fits. It is unset while a link is written, because a
 * getter of the link may call `encode`.
 */
let scratch: Target | undefined = makeTarget(SCRATCH_BYTES);

const write = (link: TreeLinkInput, options: CodecOptions | undefined): Target => {
  const buffer = scratch;
  scratch = undefined;
  try {
    return writeFields(link, options?.maxLength ?? DEFAULT_MAX_LENGTH, buffer);
  } catch (cause) {
    if (cause instanceof TreeLinkError) throw cause;
    throw new TreeLinkError(["invalid-type", 0], "element", cause);
  } finally {
    scratch = buffer;
  }
};

const writeFields = (
  link: UncheckedLink,
  maxLength: number,
  buffer: Target | undefined,
): Target => {
  if (typeof link !== "object" || link === null) return fail("invalid-type");
  const version = link.version as TreeLinkVersion;
  if (version !== 4 && version !== 5 && version !== 6) return failVersion(link, version);
  const isV4 = version === 4;
  const isV6 = version === 6;
  const characterClass = requireUint(link.class, 255, "class");
  const ascendancy = requireUint(link.ascendancy, isV6 ? 3 : 255, "ascendancy");
  const alternate = isV6
    ? requireUint(link.alternateAscendancy ?? 0, 63, "alternateAscendancy")
    : absent(link.alternateAscendancy, "alternateAscendancy", 0);
  const fullscreen = isV4
    ? requireUint(link.fullscreen, 1, "fullscreen", "invalid-fullscreen")
    : absent(link.fullscreen, "fullscreen", 0);
  const hashes = requireList(link.hashes, "hashes", maxLength);
  const extended = isV4
    ? absent(link.extendedHashes, "extendedHashes", NO_ENTRIES)
    : requireList(link.extendedHashes, "extendedHashes", maxLength);
  const masteries = isV6
    ? requireList(link.masteries, "masteries", maxLength)
    : absent(link.masteries, "masteries", NO_ENTRIES);

  const size = version + 3 + 2 * (hashes.count + extended.count) + 4 * masteries.count;
  // The comparison is negated, so that a limit of NaN refuses every link.
  if (!(size * 4 <= maxLength * 3)) throw refusal(["too-long", maxLength], "character");
  const target = buffer && size <= SCRATCH_BYTES ? buffer : makeTarget(size);
  const { view } = target;
  view.setUint32(0, version);
  view.setUint8(4, characterClass);
  view.setUint8(5, ascendancy | (alternate << 2));
  target.size = 6;
  if (isV4) view.setUint8(target.size++, fullscreen);
  else putCount(target, hashes);
  putHashes(target, hashes);
  if (!isV4) {
    putCount(target, extended);
    putHashes(target, extended);
  }
  if (isV6) {
    putCount(target, masteries);
    putMasteries(target, masteries);
  }
  return target;
};

/** A list of the caller. `count` is read once, because a proxy may change the length. */
interface List {
  readonly field: FieldName;
  readonly entries: ReadonlyArray<unknown>;
  readonly count: number;
}

/** Stands for a list that the version of the link does not have. */
const NO_ENTRIES: List = { field: "masteries", entries: [], count: 0 };

const putCount = (target: Target, { count, field }: List): void => {
  if (count > 255) fail("too-many", field, 255, count);
  target.view.setUint8(target.size++, count);
};

/** Writes four hashes for each step, which halves the time: `bench/tree-link.bench.ts`. */
const putHashes = (target: Target, { count, entries, field }: List): void => {
  const { view } = target;
  let at = target.size | 0;
  let i = 0;
  for (; i + 3 < count; i = (i + 4) | 0) {
    const [a, b, c, d] = [entries[i], entries[i + 1], entries[i + 2], entries[i + 3]];
    if (!isUint16(a) || !isUint16(b) || !isUint16(c) || !isUint16(d)) break;
    view.setUint32(at, (a << 16) | b);
    view.setUint32(at + 4, (c << 16) | d);
    at = (at + 8) | 0;
  }
  // Writes the last entries singly, and reports the first entry that is not a uint16.
  for (; i < count; i++) {
    const hash = entries[i];
    if (!isUint16(hash)) return fail("out-of-range", field, i, hash);
    view.setUint16(at, hash);
    at += 2;
  }
  target.size = at;
};

const putMasteries = (target: Target, { count, entries, field }: List): void => {
  for (let i = 0; i < count; i++) {
    const { effect, node } = (entries[i] ?? {}) as Partial<MasteryEffect>;
    if (!isUint16(effect)) return fail("out-of-range", field, i, effect);
    if (!isUint16(node)) return fail("out-of-range", field, i, node);
    target.view.setUint32(target.size, (effect << 16) | node);
    target.size += 4;
  }
};

/** Returns the entries of a list. Stops reading an iterable at the first surplus entry. */
const requireList = (value: unknown, field: ListName, maxLength: number): List => {
  if (Array.isArray(value)) return { field, entries: value, count: value.length >>> 0 };
  // Refuses a string, which is iterable but not a list.
  if (typeof value !== "object" || !(value as Partial<Iterable<unknown>> | null)?.[Symbol.iterator])
    return fail("invalid-type", field);
  const entries: Array<unknown> = [];
  // Stops early, because an iterable may be endless.
  for (const entry of value as Iterable<unknown>) if (!(entries.push(entry) <= maxLength)) break;
  return { field, entries, count: entries.length };
};

/** Returns `instead` if a member that the version lacks is missing, 0 or empty. Else fails. */
const absent = <A>(value: unknown, field: FieldName, instead: A): A =>
  !value || (Array.isArray(value) && value.length === 0) ? instead : fail("no-room", field);

const isUint16 = (value: unknown): value is number =>
  typeof value === "number" && (value & 0xffff) === value;

const requireUint = (
  value: unknown,
  max: number,
  field: FieldName,
  reason: TreeLinkReason = "out-of-range",
): number => (isUint16(value) && value <= max ? value : fail(reason, field, 0, value));

/** Refuses a version. Has a hint for callers that pass the whole result of `convert`. */
const failVersion = (link: UncheckedLink, version: unknown): never => {
  const hint = version === undefined && link.link ? " Pass convert(…).link." : undefined;
  const actual = typeof version === "number" ? version : undefined;
  throw new TreeLinkError(["unknown-version", 0, "version", actual, hint], "element");
};

const fail = (reason: TreeLinkReason, field?: string, index = 0, value?: unknown): never => {
  const actual = typeof value === "number" ? value : undefined;
  throw new TreeLinkError([reason, index, field, actual], "element");
};
