/**
 * Conversion between versions: `tree-link/convert`.
 *
 * Older versions hold less, so a conversion can lose something. `losses` names it, and `convert`
 * refuses it unless you allow it.
 *
 * ```ts
 * import { decode } from "@game-data/tree-link";
 * import { convert, losses } from "@game-data/tree-link/convert";
 *
 * const link = decode("AAAABgMCAghnES0AAboaES0=");
 * const { link: old } = convert(link, 4, { allowLoss: true });
 * if (losses(link, 4)[0]?.field !== "masteries" || old.hashes.length !== 2)
 *   throw new Error("version 4 has no masteries");
 * ```
 */
import { TreeLinkError } from "./Errors.ts";
import type { TreeLink, TreeLinkV6, TreeLinkVersion } from "./TreeLink.ts";

/** A field that the other version cannot hold. */
export interface Loss {
  /** The field that loses. */
  readonly field:
    | "ascendancy"
    | "alternateAscendancy"
    | "fullscreen"
    | "hashes"
    | "extendedHashes"
    | "masteries";
  /** Number of lost elements of a list; 1 for a single value. */
  readonly count: number;
}

/** Options of `convert`. */
export interface ConvertOptions {
  /** Whether to convert although something is lost. Default: `false`. */
  readonly allowLoss?: boolean | undefined;
}

/** A converted link, and what it lost. */
export interface Converted<V extends TreeLinkVersion> {
  readonly link: Extract<TreeLink, { version: V }>;
  readonly lost: ReadonlyArray<Loss>;
}

const COUNTED = 255;

/** Lists the losses of `link` as a link of `version`; empty if there are none. */
export const losses = (link: TreeLink, version: TreeLinkVersion): ReadonlyArray<Loss> => {
  const all = everything(link);
  // Up to version 5 the ascendancy is the whole byte. Version 6 has two bits for it, and another
  // field in the rest.
  const isWideAscendancy = link.version !== 6 && version === 6 && link.ascendancy > 3;
  const counts: ReadonlyArray<readonly [Loss["field"], number]> = [
    ["ascendancy", isWideAscendancy ? 1 : 0],
    ["alternateAscendancy", version < 6 && all.alternateAscendancy > 0 ? 1 : 0],
    ["fullscreen", version > 4 && all.fullscreen === 1 ? 1 : 0],
    ["hashes", version > 4 ? Math.max(0, all.hashes.length - COUNTED) : 0],
    ["extendedHashes", version < 5 ? all.extendedHashes.length : 0],
    ["masteries", version < 6 ? all.masteries.length : 0],
  ];
  return counts.filter(([, count]) => count > 0).map(([field, count]) => ({ field, count }));
};

/**
 * Converts `link` to another version. A link that has the version already is returned as it is.
 *
 * @throws TreeLinkError `no-room` with the first field that would lose something, unless
 * `allowLoss` is set.
 */
export const convert = <V extends TreeLinkVersion>(
  link: TreeLink,
  version: V,
  options?: ConvertOptions,
): Converted<V> => {
  const lost = losses(link, version);
  const [first] = lost;
  if (first !== undefined && options?.allowLoss !== true)
    throw new TreeLinkError("no-room", 0, "element", first.field);
  return { link: asVersion(link, version) as Extract<TreeLink, { version: V }>, lost };
};

const asVersion = (link: TreeLink, version: TreeLinkVersion): TreeLink => {
  if (link.version === version) return link;
  const { alternateAscendancy, extendedHashes, fullscreen, hashes, masteries } = everything(link);
  const { ascendancy } = link;
  const common = { class: link.class, ascendancy };
  if (version === 4) return { version, ...common, fullscreen, hashes };
  const counted = { hashes: hashes.slice(0, COUNTED), extendedHashes };
  if (version === 5) return { version, ...common, ...counted };
  return {
    version,
    ...common,
    ascendancy: ascendancy & 3,
    alternateAscendancy,
    ...counted,
    masteries,
  };
};

const everything = (link: TreeLink): Omit<TreeLinkV6, "version"> & { fullscreen: 0 | 1 } => ({
  alternateAscendancy: 0,
  extendedHashes: [],
  fullscreen: 0,
  masteries: [],
  ...link,
});
