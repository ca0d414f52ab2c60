/**
 * Text for people: `tree-link/text`. Writes the fields of a link, its bytes,
 * differences and errors in words.
 *
 * Nothing here is laid out for a terminal or a page. You print the names, values and rows.
 *
 * ```ts
 * import { decode } from "@game-data/tree-link";
 * import { summary } from "@game-data/tree-link/text";
 *
 * const link = decode("AAAABgMCAghnES0AAboaES0=");
 * if (summary(link)[1]?.[1] !== "3 (witch)") throw new Error("a Witch");
 * ```
 */
import type { Comparison } from "./Compare.ts";
import type { Loss } from "./Convert.ts";
import type { TreeLinkError, TreeLinkReason } from "./Errors.ts";
import type { Field, Layout, Range } from "./Layout.ts";
import { ALTERNATE_ASCENDANCIES, CLASSES } from "./ClassNames.ts";
import { type FieldName, FIELDS, membersOf, READING_ORDER, VERSIONS } from "./internal/table.ts";
import { reading } from "./internal/reading.ts";
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

/** A field of a link: its name and its value. */
export type Fact = readonly [name: string, value: string | number];

/**
 * Lists the fields of a link in the order of the specification. A list has its length in the name
 * and its entries in a line.
 */
export const summary = (link: TreeLink): ReadonlyArray<Fact> =>
  reading("link", () => {
    const members = membersOf(link);
    return [
      ["version", link.version],
      ...READING_ORDER.flatMap((name): ReadonlyArray<Fact> => {
        const value = members[name];
        if (value === undefined) return [];
        if (typeof value !== "number") return [[`${name} (${value.length})`, entriesOf(value)]];
        return [[name, meaningOf(name, value) ?? value]];
      }),
    ];
  });

const entriesOf = (list: ReadonlyArray<number | MasteryEffect>): string =>
  list
    .map((entry) => (typeof entry === "number" ? entry : `${entry.node}→${entry.effect}`))
    .join(" ");

/** Tells a number and what it stands for, where that has a name. */
const meaningOf = (field: FieldName, value: number): string | undefined => {
  if (field === "class") return `${value} (${CLASSES[value] ?? "not a known class"})`;
  if (field !== "alternateAscendancy") return undefined;
  return `${value} (${ALTERNATE_ASCENDANCIES[value] ?? "without a stated meaning"})`;
};

/**
 * A field of the stream: its name such as `masteries 1 effect`, its value, its bytes as a range and
 * in hexadecimal, its characters.
 */
export interface FieldRow {
  readonly field: string;
  readonly value: number;
  readonly bytes: string;
  readonly hex: string;
  readonly characters: string;
}

/**
 * Makes a row for each field. Entries of lists are counted from 1, bytes and characters from 0.
 */
export const fieldRows = (layout: Pick<Layout, "bytes" | "fields">): ReadonlyArray<FieldRow> =>
  reading("layout", () =>
    layout.fields.map((field) => ({
      field: nameOf(field),
      value: field.value,
      bytes: span(field.bytes),
      hex: [...layout.bytes.subarray(field.bytes.start, field.bytes.end)].map(twoDigits).join(""),
      characters: span(field.characters),
    })),
  );

const nameOf = ({ group, index, name }: Field) => {
  if (index !== undefined) return `${group} ${index + 1} ${name}`;
  return name === "count" ? `${group} count` : name;
};

const span = ({ end, start }: Range) => (end - start === 1 ? String(start) : `${start}–${end - 1}`);

const twoDigits = (byte: number) => byte.toString(16).padStart(2, "0");

/** One difference. */
export interface ChangeLine {
  readonly kind: "changed" | "added" | "removed";
  readonly text: string;
}

/**
 * Writes the differences of two links, a line each: `class: 3 → 1`, `+ hashes 4397`. Returns no
 * lines if both links hold the same.
 */
export const diffLines = (comparison: Comparison): ReadonlyArray<ChangeLine> =>
  reading("comparison", () => [
    ...comparison.values.map(({ field, from, to }): ChangeLine => ({
      kind: "changed",
      text: `${field}: ${from} → ${to}`,
    })),
    ...comparison.lists.flatMap(({ added, list: name, removed }): ReadonlyArray<ChangeLine> => [
      ...added.map((entry) => ({ kind: "added" as const, text: `+ ${name} ${entry}` })),
      ...removed.map((entry) => ({ kind: "removed" as const, text: `- ${name} ${entry}` })),
    ]),
    ...comparison.reordered.map((name): ChangeLine => ({
      kind: "changed",
      text: `${name}: the same entries in another order`,
    })),
  ]);

/** Writes the losses of a conversion: `fullscreen, 3 masteries`. */
export const formatLosses = (lost: ReadonlyArray<Loss>): string =>
  reading("lost", () =>
    lost.map(({ count, field }) => (count === 1 ? field : `${count} ${field}`)).join(", "),
  );

const EXPLANATIONS: Record<TreeLinkReason, string> = {
  "invalid-type": "The value is no link, or a part of it has the wrong type.",
  "too-long": "The text is longer than any link.",
  "invalid-character": "A character is outside the base64url alphabet (A–Z, a–z, 0–9, - and _).",
  "invalid-padding": "The padding does not fit the length of the text.",
  "invalid-length": "A character is missing, or one too many: no base64url text has this length.",
  "non-zero-tail-bits": "The last character sets bits that no byte uses. It was probably changed.",
  "unknown-version": `The version is not ${VERSIONS.slice(0, -1).join(", ")} or ${VERSIONS.at(-1)}.`,
  truncated: "The link is cut off. Copy it again, to its end.",
  "trailing-bytes": "There are bytes after the last list.",
  "odd-tail": "The link ends with half a hash. It was probably cut off.",
  "invalid-fullscreen": "The fullscreen byte is neither 0 nor 1.",
  "too-many": "A list has more than 255 entries, and its count is one byte.",
  "out-of-range": "A number does not fit its field.",
  "no-room": "The version has no such field.",
};

/** Explains an error in sentences for people who do not know the format. */
export const explain = (error: TreeLinkError): string => reading("error", () => explanation(error));

const explanation = ({ actual, field, reason }: TreeLinkError): string => {
  if (reason === "unknown-version" && (actual ?? 0) >>> 24 === 0x78)
    return "This is the code of a build planner. Export a passive-tree link there instead.";
  if (actual !== undefined && !Number.isInteger(actual))
    return `${actual} is not a whole number${field === undefined ? "" : ` (${field})`}.`;
  const number = actual === undefined ? "" : ` It is ${actual}.`;
  const place = field === undefined || field === "version" ? "" : ` (${field})`;
  const range = reason === "out-of-range" && field !== undefined ? rangeOf(field) : "";
  return `${EXPLANATIONS[reason].replace(/\.(?= |$)/u, `${place}.`)}${number}${range}`;
};

/** The numbers that a field takes, in its widest version and in the others. */
const rangeOf = (name: string): string => {
  if (!Object.hasOwn(FIELDS, name)) return "";
  const spec = FIELDS[name as FieldName];
  if ("count" in spec) return " It takes 0 to 65535.";
  const ranges = VERSIONS.filter((version) => spec.bits[version] > 0).map(
    (version) => [version, spec.max ?? 2 ** spec.bits[version] - 1] as const,
  );
  const byMax = Map.groupBy(ranges, ([, max]) => max);
  const parts = [...byMax].map(([max, all]) => {
    const versions = all.map(([version]) => version).join(" and ");
    const where = byMax.size === 1 ? "" : ` in version${all.length > 1 ? "s" : ""} ${versions}`;
    return `0 to ${max}${where}`;
  });
  return ` It takes ${parts.join(", ")}.`;
};
