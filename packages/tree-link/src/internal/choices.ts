/**
 * Links made from choices: what the generators of `tree-link/arbitrary` and the fuzz kit share. A
 * choice is a number below a bound; where it comes from is the caller's matter, so that a seeded
 * generator, a property-test library and an enumeration can all make the same links.
 */
import type { TreeLink } from "../TreeLink.ts";
import { type FieldName, fieldsOfVersion, FIELDS, VERSIONS } from "./table.ts";
import { BYTE_EDITS } from "./byteEdits.ts";
import { type Edit, TEXT_EDITS } from "./edits.ts";

/** Returns a number from 0 to `below` - 1. */
export type Pick = (below: number) => number;

/** A seeded generator (mulberry32): the same choices on every machine. */
export const seeded = (seed: number): Pick => {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

const oneOf = <A>(pick: Pick, all: ReadonlyArray<A>): A => all[pick(all.length)]!;

/** Lengths around which decoders go wrong: the bounds of signed counts and of buffers. */
const LONG = [63, 64, 65, 127, 128, 129, 254, 255];
const VERY_LONG = [256, 257, 1_025, 2_049, 4_097];
const CORNERS = [0, 1, 255, 256, 4_095, 32_767, 32_768, 65_535];

const lengthOf = (pick: Pick, max: number): number => {
  if (pick(4) > 0) return pick(9);
  return oneOf(pick, max > 255 ? [...LONG, ...VERY_LONG] : LONG);
};

/** One list of numbers: any, ascending, descending, one repeated, or corners of the range. */
const makeNumbers = (pick: Pick, length: number): Array<number> => {
  const kind = pick(8);
  const start = pick(2) === 0 ? pick(65_536) : oneOf(pick, CORNERS);
  const step = kind < 2 ? 0 : kind === 2 ? 1 : kind === 3 ? 65_535 : 257;
  if (kind < 5) return Array.from({ length }, (_, i) => (start + i * step) % 65_536);
  if (kind === 5) return Array.from({ length }, () => oneOf(pick, CORNERS));
  // A generator of its own, so that a long list takes one choice.
  const next = seeded(pick(2 ** 31));
  return Array.from({ length }, () => next(65_536));
};

/** Makes a link of any version: the lengths of its lists first. */
export const makeLink = (pick: Pick): TreeLink => {
  const version = oneOf(pick, VERSIONS.toReversed());
  const fields = fieldsOfVersion(version);
  const lengths = fields.map((field) => ("count" in field ? lengthOf(pick, field.max) : 0));
  const entries = fields.map((field, i): readonly [string, unknown] => {
    if (!("count" in field)) return [field.name, makeNumber(pick, field.max)];
    const first = makeNumbers(pick, lengths[i]!);
    if (field.entry.length === 1) return [field.name, first];
    const second = makeNumbers(pick, lengths[i]!);
    return [field.name, first.map((effect, at) => ({ node: second[at]!, effect }))];
  });
  return { version, ...Object.fromEntries(entries) } as unknown as TreeLink;
};

const makeNumber = (pick: Pick, max: number): number =>
  pick(3) > 0
    ? pick(max + 1)
    : oneOf(
        pick,
        [0, 1, 3, 4, 6, 7, 127, 128, 255].filter((n) => n <= max),
      );

/** All edits of a payload. */
export const EDITS: ReadonlyArray<Edit> = [...TEXT_EDITS, ...BYTE_EDITS];

const FLAGS = [...new Set(EDITS.map(({ flag }) => flag))];

/** Picks an edit: half of the times the rule that it breaks first, so that no rule is rare. */
const pickEdit = (pick: Pick): Edit => {
  if (pick(2) === 0) return oneOf(pick, EDITS);
  const flag = oneOf(pick, FLAGS);
  return oneOf(
    pick,
    EDITS.filter((edit) => edit.flag === flag),
  );
};

/** Changes a canonical payload in exactly one way, half of the times at its start or end. */
export const editPayload = (payload: string, pick: Pick): string => {
  const edit = pickEdit(pick);
  const anywhere = pick(payload.length + 1);
  const place = oneOf(pick, [
    0,
    4,
    11,
    payload.length,
    payload.length,
    anywhere,
    anywhere,
    anywhere,
  ]);
  return edit.apply(payload, place);
};

/** Values that no member takes, each for a mistake that encoders make with it. */
const WRONG: ReadonlyArray<unknown> = [-1, 1.5, "7", "", null, true, {}, [], [[1]]];

/** A link with one member wrong, and what is wrong with it. */
export interface WrongLink {
  readonly note: string;
  readonly field: string;
  readonly link: Readonly<Record<string, unknown>>;
}

/**
 * Lists every way in which one member of `link` can be wrong. `more` are values that no member
 * takes and JSON does not have.
 */
export const wrongLinks = (
  link: TreeLink,
  more: ReadonlyArray<unknown> = [],
): ReadonlyArray<WrongLink> => {
  const wrong = (field: string, value: unknown, note: string): WrongLink => ({
    field,
    note: `${field} ${note}`,
    link: { ...link, [field]: value },
  });
  const members = link as unknown as Record<string, unknown>;
  const known = fieldsOfVersion(link.version);
  return [
    ...[3, Math.max(...VERSIONS) + 1, 0, 260, 65_540, 4.5, 6.1, "6", null, ...more].map((version) =>
      wrong("version", version, `is ${JSON.stringify(version)}`),
    ),
    ...known.flatMap((field) => {
      const { max, name } = field;
      if (!("count" in field))
        return [...WRONG, ...more, max + 1, max + 2, 256, 65_536, 2 ** 32, -max - 1, undefined]
          .filter((value) => name !== "alternateAscendancy" || value != null)
          .map((value) => wrong(name, value, `is ${JSON.stringify(value) ?? "left out"}`));
      return wrongLists(members[name] as ReadonlyArray<unknown>, field, more).map(([value, note]) =>
        wrong(name, value, note),
      );
    }),
    ...(Object.keys(FIELDS) as Array<FieldName>)
      .filter((name) => !known.some((field) => field.name === name))
      .map((name) => {
        const value = "bits" in FIELDS[name] ? 1 : FIELDS[name].entry.length > 1 ? [ENTRY] : [1];
        return wrong(name, value, `is there, which version ${link.version} cannot hold`);
      }),
  ];
};

const ENTRY = { node: 1, effect: 65_534 };

const wrongLists = (
  list: ReadonlyArray<unknown>,
  { entry, max }: { readonly entry: ReadonlyArray<string>; readonly max: number },
  more: ReadonlyArray<unknown>,
): ReadonlyArray<readonly [unknown, string]> => {
  const isPair = entry.length > 1;
  const sound = isPair ? ENTRY : 1;
  const numbers = [65_536, 65_537, 131_071, 2 ** 32, ...WRONG, ...more];
  const odd = isPair
    ? numbers.flatMap((value) => [
        { ...ENTRY, node: value },
        { ...ENTRY, effect: value },
      ])
    : numbers;
  const bare = isPair ? [5, "x", null, [1, 2], { node: 1 }, { effect: 1 }] : [];
  const long = max === Infinity ? [] : [max + 1, max + 2, max + 65, 2 * max + 2];
  return [
    ...[...odd, ...bare].flatMap((value) => [
      [[value, ...list], `begins with ${JSON.stringify(value)}`] as const,
      [[...list, value], `ends with ${JSON.stringify(value)}`] as const,
    ]),
    ...long.map(
      (length) => [Array.from({ length }, () => sound), `has ${length} entries`] as const,
    ),
    ...[undefined, null, 0, 7, "", "12", {}, true].map(
      (value) => [value, `is ${JSON.stringify(value) ?? "left out"}`] as const,
    ),
  ];
};
