/**
 * A link that is checked once and read on demand: `tree-link/view`. For programs that look at a few
 * fields of many links; `decode` is the better choice if you read every list.
 *
 * ```ts
 * import { view } from "@game-data/tree-link/view";
 *
 * const link = view("AAAABgMCAghnES0AAboaES0=");
 * if (link.class !== 3 || link.hashCount !== 2) throw new Error("a Witch with two nodes");
 * ```
 */
import {
  checkedBytes,
  type CodecOptions,
  decode,
  orThrow,
  readHashes,
  readMasteries,
  sizeOf,
} from "./Decode.ts";
import type { MasteryEffect, TreeLink, TreeLinkVersion } from "./TreeLink.ts";

/**
 * Checks a payload as `decode` does, and reads no list yet.
 *
 * @throws TreeLinkError as `decode` does.
 */
export const view = (payload: string, options?: CodecOptions): TreeLinkView =>
  new TreeLinkView(payload, orThrow(checkedBytes(payload, options)), sizeOf(payload));

/** The bytes of `payload`, which has been checked. Its length may be above the default limit. */
const again = (payload: string): DataView =>
  orThrow(checkedBytes(payload, { maxLength: payload.length }));

/**
 * The fields of a checked link. Each version has the same members here: a field that the version
 * does not have is 0 or an empty list. A list is read when it is first asked for, and kept.
 */
export class TreeLinkView {
  /** The payload, as it was given. */
  readonly payload: string;
  readonly version: TreeLinkVersion;
  readonly class: number;
  readonly ascendancy: number;
  readonly alternateAscendancy: number;
  readonly fullscreen: 0 | 1;
  /** Lengths of the lists; asking for them reads no list. */
  readonly hashCount: number;
  readonly extendedHashCount: number;
  readonly masteryCount: number;
  #hashes: ReadonlyArray<number> | undefined;
  #extendedHashes: ReadonlyArray<number> | undefined;
  #masteries: ReadonlyArray<MasteryEffect> | undefined;

  /** Use `view`: `bytes` must be those of `payload`, and checked. */
  constructor(payload: string, bytes: DataView, size: number) {
    const version = bytes.getUint8(3) as TreeLinkVersion;
    const ascendancy = bytes.getUint8(5);
    const sixth = bytes.getUint8(6);
    // Each version has its branch below; another does not compile.
    const isV4 = (version satisfies 4 | 5 | 6) === 4;
    const isV6 = version === 6;
    const hashCount = isV4 ? (size - 7) >> 1 : sixth;
    const extendedAt = 8 + 2 * hashCount;
    const extendedCount = isV4 ? 0 : bytes.getUint8(extendedAt - 1);
    this.payload = payload;
    this.version = version;
    this.class = bytes.getUint8(4);
    this.ascendancy = isV6 ? ascendancy & 3 : ascendancy;
    this.alternateAscendancy = isV6 ? ascendancy >> 2 : 0;
    this.fullscreen = (isV4 ? sixth : 0) as 0 | 1;
    this.hashCount = hashCount;
    this.extendedHashCount = extendedCount;
    this.masteryCount = isV6 ? bytes.getUint8(extendedAt + 2 * extendedCount) : 0;
  }

  get hashes(): ReadonlyArray<number> {
    return (this.#hashes ??= readHashes(again(this.payload), 7, this.hashCount));
  }

  get extendedHashes(): ReadonlyArray<number> {
    const { extendedHashCount, hashCount, payload } = this;
    return (this.#extendedHashes ??= readHashes(
      again(payload),
      8 + 2 * hashCount,
      extendedHashCount,
    ));
  }

  get masteries(): ReadonlyArray<MasteryEffect> {
    const { extendedHashCount, hashCount, masteryCount, payload } = this;
    const start = 9 + 2 * (hashCount + extendedHashCount);
    return (this.#masteries ??= readMasteries(again(payload), start, start + 4 * masteryCount));
  }

  /** Reads the whole link, as `decode` does. */
  toLink(): TreeLink {
    return decode(this.payload, { maxLength: this.payload.length });
  }
}
