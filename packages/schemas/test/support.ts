/** Values that follow the specification to the letter, and assertions about records with other values. */
import { Exit, Schema } from "effect";
import { expect } from "vitest";
import * as Conformance from "../src/Conformance.ts";
import * as Drift from "../src/Drift.ts";
import type { Wire } from "../src/effect/index.ts";

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
export const character = { ...ladderCharacter, realm: "pc", experience: 1_000_000 };
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

type Codec = Wire<unknown>;

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

/** The schema refuses the value, Effect's message and `Drift.typeErrors` name the place. */
const expectRefused = (schema: Codec, value: unknown, pointer: string): void => {
  const exit = Schema.decodeUnknownExit(schema)(value);
  expect(Exit.isFailure(exit)).toBe(true);
  expect(Drift.typeErrors(schema, value).map((deviation) => deviation.pointer)).toContain(pointer);
};

/** In place of a value: the member is absent. */
export const absent = Symbol("absent");

/** Values by the pointer of the member that has them. */
type Values = Readonly<Record<string, ReadonlyArray<unknown>>>;

/** Returns an object with the same value for each name. */
export const same = <const Name extends string>(names: ReadonlyArray<Name>, value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value])) as Readonly<Record<Name, unknown>>;

/** Returns the pointers of members. */
export const under = (pointer: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${pointer}/${name}`);

/** Returns a copy with another value at a place, and makes structures and lists on the way. */
const put = (value: unknown, [key, ...rest]: ReadonlyArray<string>, to: unknown): unknown => {
  if (key === undefined) return to;
  const copy: any = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inside = copy[key] ?? (/^\d+$/u.test(rest[0] ?? "") ? [] : {});
  copy[key] = put(inside, rest, to);
  if (copy[key] !== absent) return copy;
  if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
};

/** Returns a value of another type: a number for an object, and an object for any other value. */
const wrong = (example: unknown): unknown =>
  typeof example === "object" && !Array.isArray(example) ? 1 : { wrong: true };

/** Returns a negative number if the example is an unsigned integer. */
const belowZero = (example: unknown): ReadonlyArray<number> =>
  Number.isSafeInteger(example) && (example as number) >= 0 ? [-1] : [];

/** Returns assertions about a record and a conforming value in which some members are replaced. */
export const about = (
  schema: Codec & { readonly fields?: Readonly<Record<string, unknown>> },
  base: unknown,
) => {
  const at = (pointer: string, value: unknown) => put(base, pointer.split("/").slice(1), value);
  const each = (values: Values, use: (value: unknown, pointer: string) => void) => {
    for (const [pointer, list] of Object.entries(values))
      for (const value of list) use(at(pointer, value), pointer);
  };
  const self = {
    at,
    /** Each value conforms. */
    takes: (values: Values = {}) => {
      expectConforming(schema, base);
      each(values, (value) => expectConforming(schema, value));
    },
    /** Each value is refused, and its place is named. */
    refuses: (values: Values) =>
      each(values, (value, pointer) => expectRefused(schema, value, pointer)),
    /** The structure is refused without these members. */
    needs: (pointer: string, ...names: ReadonlyArray<string>) =>
      self.refuses(Object.fromEntries(names.map((name) => [`${pointer}/${name}`, [absent]]))),
    /** Each value is accepted, and reported as this kind of deviation alone. */
    drifts: (kind: Drift.Kind, values: Values) =>
      each(values, (value, pointer) => expectDrift(schema, value, `${kind} ${pointer}`)),
    /** Each value is accepted, and breaks a rule between members. */
    breaks: (values: Values) =>
      each(values, (value, pointer) => {
        expect(Schema.decodeUnknownSync(schema)(value)).toBe(value);
        expect(where(Conformance.report(schema, value))).toContain(`rule-broken ${pointer}`);
      }),
    /** At each pointer, each word conforms, another word drifts, and another type is refused. */
    hasWords: (all: Readonly<Record<string, string | ReadonlyArray<string | number>>>) => {
      for (const [pointer, given] of Object.entries(all)) {
        const words = typeof given === "string" ? given.split(" ") : given;
        const another = at(pointer, typeof words[0] === "string" ? "another" : 99);
        self.takes({ [pointer]: words });
        expectDrift(schema, another, `unknown-word ${pointer}`);
        const [{ expected }] = Drift.report(schema, another) as [Drift.Deviation];
        expect(expected).toBe(`one of ${words.length} words`);
        self.refuses({ [pointer]: [{}] });
      }
    },
    /** The flags are always true if present: `false` drifts, and a string is refused. */
    hasFlags: (...pointers: ReadonlyArray<string>) => {
      for (const pointer of pointers) {
        self.takes({ [pointer]: [true] });
        self.drifts("always-true-violated", { [pointer]: [false] });
        self.refuses({ [pointer]: ["true"] });
      }
    },
    /**
     * The members of the value are required and not null; those that services omit are reported as
     * missing. The optional ones may be absent or null. Every one has its type, and the record names
     * no other member.
     */
    hasMembers: (optional: object, ...omitted: ReadonlyArray<string>) => {
      const required = base as object;
      const named = [...Object.keys(required), ...Object.keys(optional)];
      expect(Object.keys(schema.fields!).toSorted(), "the members of the record").toEqual(
        named.toSorted(),
      );
      for (const [name, example] of Object.entries(required)) {
        if (omitted.includes(name)) self.drifts("missing", { [`/${name}`]: [absent, null] });
        else self.refuses({ [`/${name}`]: [absent, null] });
        self.refuses({ [`/${name}`]: [wrong(example), ...belowZero(example)] });
      }
      for (const [name, example] of Object.entries(optional)) {
        self.takes({ [`/${name}`]: [example, null] });
        self.refuses({ [`/${name}`]: [wrong(example), ...belowZero(example)] });
      }
    },
  };
  return self;
};
