/**
 * Links for people to read: `tree-link/text`. A link from whatever they paste, and its fields,
 * bytes and differences in words.
 *
 * Nothing here is laid out for a terminal or a page: names, values and rows are for the caller to
 * print.
 */
import type { Comparison } from "./Compare.ts";
import type { Loss } from "./Convert.ts";
import { decode } from "./Decode.ts";
import type { Field, Layout, Range } from "./Layout.ts";
import { ALTERNATE_ASCENDANCIES, CLASSES } from "./ClassNames.ts";
import type { TreeLink } from "./TreeLink.ts";
import { extractPayload } from "./Url.ts";

/**
 * The link in a text: a URL of any known form, or the bare payload.
 *
 * @throws TreeLinkUrlError where there is no payload, TreeLinkError where it is no link.
 */
export const parseLink = (text: string): TreeLink => decode(extractPayload(text).payload);

/** A name, and what it stands for in a link. */
export type Fact = readonly [name: string, value: string | number];

/**
 * The fields of a link in the order of the specification; lists with their length and their entries
 * in a line.
 */
export const summary = (link: TreeLink): ReadonlyArray<Fact> => {
  const facts: Array<Fact> = [
    ["version", link.version],
    ["class", `${link.class} (${CLASSES[link.class] ?? "not a known class"})`],
    ["ascendancy", link.ascendancy],
  ];
  if (link.version === 6) facts.push(["alternateAscendancy", alternate(link.alternateAscendancy)]);
  if (link.version === 4) facts.push(["fullscreen", link.fullscreen]);
  facts.push(list("hashes", link.hashes));
  if (link.version !== 4) facts.push(list("extendedHashes", link.extendedHashes));
  if (link.version === 6)
    facts.push(
      list(
        "masteries",
        link.masteries.map(({ effect, node }) => `${node}→${effect}`),
      ),
    );
  return facts;
};

const alternate = (value: number) =>
  `${value} (${ALTERNATE_ASCENDANCIES[value] ?? "without a stated meaning"})`;

const list = (name: string, entries: ReadonlyArray<number | string>): Fact => [
  `${name} (${entries.length})`,
  entries.join(" "),
];

/**
 * A field of the stream in words: `masteries 1 effect`, its value, its bytes as a range and in
 * hexadecimal, its characters.
 */
export interface FieldRow {
  readonly field: string;
  readonly value: number;
  readonly bytes: string;
  readonly hex: string;
  readonly characters: string;
}

/**
 * The fields of a layout in words, one row each; entries of lists are counted from 1, bytes and
 * characters from 0.
 */
export const fieldRows = ({ bytes, fields }: Layout): ReadonlyArray<FieldRow> =>
  fields.map((field) => ({
    field: nameOf(field),
    value: field.value,
    bytes: span(field.bytes),
    hex: [...bytes.subarray(field.bytes.start, field.bytes.end)].map(twoDigits).join(""),
    characters: span(field.characters),
  }));

const nameOf = ({ group, index, name }: Field) =>
  [group, index === undefined ? "" : String(index + 1), name === group ? "" : name]
    .filter((part) => part !== "")
    .join(" ");

const span = ({ end, start }: Range) => (end - start === 1 ? String(start) : `${start}–${end - 1}`);

const twoDigits = (byte: number) => byte.toString(16).padStart(2, "0");

/** What differs, a line each. */
export interface ChangeLine {
  readonly kind: "changed" | "added" | "removed";
  readonly text: string;
}

/**
 * The differences of two links in words, none where they hold the same: `+ hashes 4397`, `class: 3
 * → 1`.
 */
export const diffLines = ({ lists, values }: Comparison): ReadonlyArray<ChangeLine> => [
  ...values.map(({ field, from, to }): ChangeLine => ({
    kind: "changed",
    text: `${field}: ${from} → ${to}`,
  })),
  ...lists.flatMap(({ added, list: name, removed }): ReadonlyArray<ChangeLine> => [
    ...added.map((entry) => ({ kind: "added" as const, text: `+ ${name} ${entry}` })),
    ...removed.map((entry) => ({ kind: "removed" as const, text: `- ${name} ${entry}` })),
  ]),
];

/** What a conversion loses, in words: `fullscreen, 3 masteries`. */
export const formatLosses = (lost: ReadonlyArray<Loss>): string =>
  lost.map(({ count, field }) => (count === 1 ? field : `${count} ${field}`)).join(", ");
