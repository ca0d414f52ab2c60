/**
 * Values that follow the specification to the letter, and the assertions that the tests of the
 * records share.
 */
import { Exit, Schema } from "effect";
import { expect } from "vitest";
import * as Conformance from "../src/Conformance.ts";
import * as Drift from "../src/Drift.ts";

export const hex64 = "0123456789abcdef".repeat(4);
export const hex10 = "0123456789";
export const date = "2026-03-01T12:00:00Z";

export const item = {
  verified: true,
  w: 2,
  h: 3,
  icon: "https://images.example/a.png",
  name: "Dusk Vale",
  typeLine: "Ring",
  baseType: "Ring",
  identified: true,
  ilvl: 84,
};
export const property = { name: "Level", values: [["20", 0]] };
export const account = { name: "Ember" };
export const ladderCharacter = { id: hex64, name: "Ada", level: 90, class: "Witch" };
export const character = {
  id: hex64,
  name: "Ada",
  realm: "pc",
  class: "Witch",
  level: 90,
  experience: 1_000_000,
};
export const passives = {
  hashes: [1, 2],
  hashes_ex: [3],
  mastery_effects: { "100": 200 },
  skill_overrides: {},
  jewel_data: {},
};
export const node = { out: ["2"], in: ["1"] };
export const listed = { id: hex64, public: true, stashType: "PremiumStash", items: [item] };
export const unlisted = {
  id: hex64,
  public: false,
  accountName: null,
  stash: null,
  league: null,
  stashType: "PremiumStash",
  items: [],
};
export const market = {
  league: "Standard",
  market_id: "chaos|divine",
  volume_traded: { chaos: 10, divine: 1 },
  lowest_stock: { chaos: 1, divine: 1 },
  highest_stock: { chaos: 5, divine: 2 },
  lowest_ratio: { chaos: 10, divine: 1 },
  highest_ratio: { chaos: 12, divine: 1 },
};

type Codec = Schema.Codec<unknown>;

const where = (deviations: ReadonlyArray<Drift.Deviation>): ReadonlyArray<string> =>
  deviations.map(({ kind, pointer }) => `${kind} ${pointer}`);

/** The value decodes to itself and follows the specification to the letter. */
export const expectConforming = (schema: Codec, value: unknown): void => {
  expect(Schema.decodeUnknownSync(schema)(value)).toBe(value);
  expect(where(Conformance.report(schema, value))).toEqual([]);
};

/**
 * The tolerant reader takes the value as it is; `Drift` and `Conformance` name exactly these
 * deviations.
 */
export const expectDrift = (
  schema: Codec,
  value: unknown,
  ...deviations: ReadonlyArray<string>
): void => {
  expect(Schema.decodeUnknownSync(schema)(value)).toBe(value);
  expect(where(Drift.report(schema, value))).toEqual(deviations);
  expect(where(Conformance.report(schema, value))).toEqual(deviations);
};

/** The value decodes, and breaks a rule between members. */
export const expectBrokenRule = (schema: Codec, value: unknown, pointer: string): void => {
  expect(Schema.decodeUnknownSync(schema)(value)).toBe(value);
  expect(where(Conformance.report(schema, value))).toContain(`rule-broken ${pointer}`);
};

/** The schema refuses the value, Effect's message and `Drift.typeErrors` name the place. */
export const expectRefused = (schema: Codec, value: unknown, pointer: string): void => {
  const exit = Schema.decodeUnknownExit(schema)(value);
  expect(Exit.isFailure(exit)).toBe(true);
  expect(Drift.typeErrors(schema, value).map((deviation) => deviation.pointer)).toContain(pointer);
};

/** A value of no documented type: an object for what is no object, a number for what is one. */
const wrong = (example: unknown): unknown =>
  typeof example === "object" && !Array.isArray(example) ? 1 : { wrong: true };

interface Members {
  /** A conforming value with the required members alone. */
  readonly required: Readonly<Record<string, unknown>>;
  /** An example of every optional member. */
  readonly optional: Readonly<Record<string, unknown>>;
}

/**
 * The required members are required and not null, the optional ones may be absent or null, and
 * every one has its type. `record.fields` names no other member.
 */
export const expectMembers = (
  schema: Codec & { readonly fields: Readonly<Record<string, unknown>> },
  { required, optional }: Members,
): void => {
  const tested = { ...required, ...optional };
  const untested = Object.keys(schema.fields).filter((name) => !Object.hasOwn(tested, name));
  expect(untested, "members of the record without an example in its test").toEqual([]);
  const unknown = Object.keys(tested).filter((name) => !Object.hasOwn(schema.fields, name));
  expect(unknown, "members of the test that the record lacks").toEqual([]);
  expectConforming(schema, required);
  for (const [name, example] of Object.entries(required)) {
    const { [name]: _, ...without } = required;
    expectRefused(schema, without, `/${name}`);
    expectRefused(schema, { ...required, [name]: null }, `/${name}`);
    expectRefused(schema, { ...required, [name]: wrong(example) }, `/${name}`);
  }
  for (const [name, example] of Object.entries(optional)) {
    expectConforming(schema, { ...required, [name]: example });
    expectConforming(schema, { ...required, [name]: null });
    expectRefused(schema, { ...required, [name]: wrong(example) }, `/${name}`);
  }
};

/** Each word conforms and there is no further one; another word drifts; another type is refused. */
export const expectWords = (
  schema: Codec,
  words: ReadonlyArray<string | number>,
  build: (word: unknown) => unknown,
  pointer: string,
): void => {
  for (const word of words) expectConforming(schema, build(word));
  const another = typeof words[0] === "string" ? "another" : 99;
  expectDrift(schema, build(another), `unknown-word ${pointer}`);
  const expected = Drift.report(schema, build(another)).map((deviation) => deviation.expected);
  expect(expected).toEqual([`one of ${words.length} words`]);
  expectRefused(schema, build({}), pointer);
};

/** The flags are true whenever present: `false` drifts, a string is refused. */
export const expectAlwaysTrue = (
  schema: Codec,
  flags: ReadonlyArray<string>,
  build: (flag: string, value: unknown) => unknown,
  prefix = "",
): void => {
  for (const flag of flags) {
    expectConforming(schema, build(flag, true));
    expectDrift(schema, build(flag, false), `always-true-violated ${prefix}/${flag}`);
    expectRefused(schema, build(flag, "true"), `${prefix}/${flag}`);
  }
};
