/** Generators of links, payloads, edited payloads and wrong links. The fuzz kit uses all of them. */
import fc from "fast-check";
import { encode } from "../Encode.ts";
import { EDITS } from "./edits.ts";
import { hashSequence, masterySequence } from "./samples.ts";
import { type ListField, versionFields, VERSIONS } from "./table.ts";
import { type WrongLink, wrongLinks } from "./wrongLinks.ts";
import type { TreeLink, TreeLinkVersion } from "../TreeLink.ts";

/** Numbers at the limits of bits, bytes, versions and signed integers. */
const CORNERS = [0, 1, 3, 4, 6, 7, 127, 128, 255, 256, 4_095, 32_767, 32_768, 65_535];
/** Lengths at which decoders go wrong: the bounds of signed counts and of buffers. */
const LENGTHS = [63, 64, 65, 127, 128, 129, 254, 255];
const UNCOUNTED_LENGTHS = [...LENGTHS, 256, 257, 1_025, 2_049, 4_097];

const uint = (max: number): fc.Arbitrary<number> => {
  const corners = CORNERS.filter((corner) => corner <= max);
  return fc.oneof(fc.nat(max), fc.nat(max), fc.constantFrom(...corners));
};
const uint16 = uint(65_535);
const pair = fc.record({ node: uint16, effect: uint16 }, { noNullPrototype: true });

/** Generates a long list of repeated, ascending, descending or scattered hashes. */
const longHashes = (lengths: ReadonlyArray<number>): fc.Arbitrary<ReadonlyArray<number>> =>
  fc
    .tuple(fc.constantFrom(...lengths), uint16, fc.constantFrom(257, 0, 1, 65_535, 40_503))
    .map((sequence) => hashSequence(...sequence));

/** Generates a list, which is long in one of twelve cases. */
const list = ({ entry, max }: ListField): fc.Arbitrary<unknown> => {
  const isPair = entry.length > 1;
  const hashes = longHashes(max > 255 ? UNCOUNTED_LENGTHS : LENGTHS);
  const entries: fc.Arbitrary<unknown> = isPair ? pair : uint16;
  return fc.oneof(
    { weight: 11, arbitrary: fc.array(entries, { maxLength: 9, size: "max" }) },
    { weight: 1, arbitrary: isPair ? hashes.map(masterySequence) : hashes },
  );
};

const versionLink = (version: TreeLinkVersion): fc.Arbitrary<TreeLink> => {
  const members = versionFields(version).map((field) => {
    return [field.name, "count" in field ? list(field) : uint(field.max)];
  });
  return fc.record(
    { version: fc.constant(version), ...Object.fromEntries(members) },
    { noNullPrototype: true },
  ) as unknown as fc.Arbitrary<TreeLink>;
};

/**
 * Generates any link that a payload can hold, of any version. Most lists are short. Some have a
 * length at which decoders go wrong, such as 128, 255, or 2,049 in version 4.
 */
export const link: fc.Arbitrary<TreeLink> = fc.oneof(...VERSIONS.toReversed().map(versionLink));

/** Generates canonical payloads with padding. */
export const payload: fc.Arbitrary<string> = link.map((value) => encode(value));

/** Generates payloads, half of them without padding. */
export const anyPayload: fc.Arbitrary<string> = fc
  .tuple(payload, fc.boolean())
  .map(([text, isPadded]) => (isPadded ? text : text.split("=")[0]!));

const edits = Object.values(EDITS);
/** Generates edits. Half of them are chosen by their rule first, so that no rule is rare. */
const edit = fc.oneof(
  fc.constantFrom(...edits.flat()),
  fc.oneof(...edits.map((some) => fc.constantFrom(...some))),
);
/** Index of an edit: the start, the version, the class, the end, or any other index. */
const place = fc.oneof(fc.constantFrom(0, 4, 11, Infinity), fc.nat(400));

/** Applies exactly one edit to each text of `source`. */
export const edited = (source: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(source, edit, place).map(([text, apply, at]) => apply(text, Math.min(at, text.length)));

/**
 * Generates payloads, half of them without padding, with exactly one edit of a character, of a
 * byte, or around the payload. Few are links.
 */
export const nearlyPayload: fc.Arbitrary<string> = edited(anyPayload);

/** Generates links with exactly one wrong member. `more` are values that no member accepts. */
export const wrongInput = (more: ReadonlyArray<unknown>): fc.Arbitrary<WrongLink> =>
  fc.tuple(link, fc.nat()).map(([value, choice]) => {
    const wrong = wrongLinks(value, more);
    return wrong[choice % wrong.length]!();
  });

/** Generates links with exactly one wrong member, which `encode` refuses. */
export const nearlyInput: fc.Arbitrary<WrongLink> = wrongInput([Number.NaN, Infinity]);
