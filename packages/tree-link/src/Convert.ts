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
import {
  type FieldName,
  fieldsOfVersion,
  isVersion,
  membersOf,
  READING_ORDER,
} from "./internal/table.ts";
export { VERSIONS } from "./internal/table.ts";

import type { TreeLink, TreeLinkVersion } from "./TreeLink.ts";

/** A field that the other version cannot hold. */
export interface Loss {
  /** The field that loses. */
  readonly field: FieldName;
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

/**
 * Lists the losses of `link` as a link of `version`; empty if there are none.
 *
 * @throws TreeLinkError `unknown-version` for another version, `invalid-type` for no link.
 */
export const losses = (link: TreeLink, version: TreeLinkVersion): ReadonlyArray<Loss> => {
  // An untyped caller may pass anything.
  if (!isVersion(version)) {
    const found = typeof version === "number" ? version : undefined;
    throw new TreeLinkError(["unknown-version", 0, "version", found], "element");
  }
  const members = membersOf(link);
  const fields = fieldsOfVersion(version);
  return READING_ORDER.flatMap((name) => {
    const value = members[name] ?? 0;
    const max = fields.find((field) => field.name === name)?.max ?? 0;
    const count = typeof value !== "number" ? Math.max(0, value.length - max) : Number(value > max);
    return count === 0 ? [] : [{ field: name, count }];
  });
};

/**
 * Converts `link` to another version. A link that has the version already is returned as it is.
 *
 * @throws TreeLinkError as `losses` does, and `no-room` with the first field that would lose
 * something, unless `allowLoss` is set.
 */
export const convert = <V extends TreeLinkVersion>(
  link: TreeLink,
  version: V,
  options?: ConvertOptions,
): Converted<V> => {
  const lost = losses(link, version);
  const [first] = lost;
  if (first !== undefined && options?.allowLoss !== true)
    throw new TreeLinkError(["no-room", 0, first.field], "element");
  return { link: asVersion(link, version) as Extract<TreeLink, { version: V }>, lost };
};

const asVersion = (link: TreeLink, version: TreeLinkVersion): TreeLink => {
  if (link.version === version) return link;
  const members = membersOf(link);
  const converted = fieldsOfVersion(version).map((field) => {
    const value = members[field.name];
    if (value === undefined) return [field.name, "count" in field ? [] : 0];
    // What is too wide keeps its low bits, as older programs read them.
    return [field.name, typeof value === "number" ? value & field.max : value.slice(0, field.max)];
  });
  return { version, ...Object.fromEntries(converted) } as unknown as TreeLink;
};
