/**
 * The format as a table: each field of a link with its width in each version, in the order of the
 * stream. Conversion, comparison, text, layout, partial decode, Schema and generators follow from
 * it. `decode`, `encode` and `view` are written by hand, for speed, and are tested against it.
 *
 * A new version of the format is a column here. The types ask for exactly those fields that its
 * interface in `TreeLink.ts` has.
 */
import type { MasteryEffect, TreeLink, TreeLinkVersion } from "../TreeLink.ts";
import { wrongType } from "./reading.ts";

type KeyOf<L> = L extends unknown ? keyof L : never;
type Of<V extends TreeLinkVersion> = Extract<TreeLink, { readonly version: V }>;

/** Name of a field behind the version. */
export type FieldName = Exclude<KeyOf<TreeLink>, "version">;
/** Name of a field that is a list. */
export type ListName = {
  [F in FieldName]: TreeLink extends infer L
    ? L extends Record<F, ReadonlyArray<unknown>>
      ? F
      : never
    : never;
}[FieldName];
/** Name of a field that is a single number. */
export type NumberName = Exclude<FieldName, ListName>;

/** A width for each version that has the field, 0 for the others. */
type Widths<F extends FieldName, W> = {
  readonly [V in TreeLinkVersion]: F extends keyof Of<V> ? W : 0;
};

/** A single number: its bits, and its largest value where that is less than the bits hold. */
interface NumberSpec<F extends FieldName> {
  readonly bits: Widths<F, 2 | 6 | 8>;
  readonly max?: number;
}

/** A list: the bits of its count, or `"rest"` where it runs to the end of the stream. */
interface ListSpec<F extends FieldName> {
  readonly count: Widths<F, 8 | "rest">;
  /** The uint16 numbers of an entry, in the order of the stream. */
  readonly entry: readonly ["hash"] | readonly ["effect", "node"];
}

type Table = {
  readonly [F in FieldName]: F extends ListName ? ListSpec<F> : NumberSpec<F>;
};

/** Version is a uint32 in front of these. */
export const FIELDS: Table = {
  class: { bits: { 4: 8, 5: 8, 6: 8 } },
  alternateAscendancy: { bits: { 4: 0, 5: 0, 6: 6 } },
  ascendancy: { bits: { 4: 8, 5: 8, 6: 2 } },
  fullscreen: { bits: { 4: 8, 5: 0, 6: 0 }, max: 1 },
  hashes: { count: { 4: "rest", 5: 8, 6: 8 }, entry: ["hash"] },
  extendedHashes: { count: { 4: 0, 5: 8, 6: 8 }, entry: ["hash"] },
  masteries: { count: { 4: 0, 5: 0, 6: 8 }, entry: ["effect", "node"] },
};

/** Whether a field is a list. */
export const isList = (name: FieldName): name is ListName => "count" in FIELDS[name];

/** The versions of the format, ascending. */
export const VERSIONS: ReadonlyArray<TreeLinkVersion> = /*#__PURE__*/ Object.keys(
  FIELDS.class.bits,
).map((version) => Number(version) as TreeLinkVersion);

/** Whether a number is a version of the format. */
export const isVersion = (value: unknown): value is TreeLinkVersion =>
  VERSIONS.includes(value as TreeLinkVersion);

/** A field in one version of the format. */
export type FieldOf =
  | { readonly name: NumberName; readonly bits: number; readonly max: number }
  | {
      readonly name: ListName;
      readonly count: 8 | "rest";
      readonly entry: readonly ["hash"] | readonly ["effect", "node"];
      /** Most entries. */
      readonly max: number;
    };

/** The fields of a version, in the order of the stream. */
export const fieldsOfVersion = (version: TreeLinkVersion): ReadonlyArray<FieldOf> =>
  Object.entries(FIELDS).flatMap(([name, spec]): ReadonlyArray<FieldOf> => {
    if ("bits" in spec) {
      const bits = spec.bits[version];
      const max = spec.max ?? 2 ** bits - 1;
      return bits === 0 ? [] : [{ name: name as NumberName, bits, max }];
    }
    const count = spec.count[version];
    const max = count === "rest" ? Infinity : 2 ** count - 1;
    return count === 0 ? [] : [{ name: name as ListName, count, entry: spec.entry, max }];
  });

/** A value of a member: a number, or the entries of a list. */
type Value = number | ReadonlyArray<number | MasteryEffect>;

/** The members of a link by name, `undefined` where its version has no such field. */
export type Members = Readonly<Partial<Record<"version" | FieldName, Value>>>;

/**
 * Returns the members of a link that an untyped caller may have made.
 *
 * @throws TreeLinkError `invalid-type`, with the name of the field or else of the argument.
 */
export const membersOf = (link: TreeLink, argument = "link"): Members => {
  const members: Members | null | undefined = link;
  const version = members?.version;
  if (!isVersion(version)) throw wrongType(argument);
  for (const field of fieldsOfVersion(version)) {
    const value = members![field.name];
    if (!("count" in field ? Array.isArray(value) : Number.isInteger(value)))
      throw wrongType(field.name);
  }
  return link;
};

/** Names in the order in which people read them: the ascendancy before the second one. */
export const READING_ORDER: ReadonlyArray<FieldName> = /*#__PURE__*/ (() => {
  const names = Object.keys(FIELDS) as Array<FieldName>;
  return names.toSorted((a, b) => rank(a, names) - rank(b, names));
})();

function rank(name: FieldName, names: ReadonlyArray<FieldName>): number {
  return name === "alternateAscendancy" ? names.indexOf("ascendancy") + 0.5 : names.indexOf(name);
}
