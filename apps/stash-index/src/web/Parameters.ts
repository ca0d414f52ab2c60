/**
 * The parameters of the API that have a form of their own, and the filters of a search.
 */
import { Schema, SchemaGetter } from "effect";
import { RARITIES } from "../indexer/itemFacts.ts";

/** Orders of a result. */
export const SORTS = ["price", "-price", "age", "relevance"] as const;

/** The end of a page of results, from which the next one goes on. */
export type Cursor = typeof Cursor.Type;
export const Cursor = Schema.StringFromBase64Url.pipe(
  Schema.decodeTo(
    Schema.fromJsonString(
      Schema.Struct({
        sort: Schema.Literals(SORTS),
        no: Schema.Int,
        value: Schema.Finite,
        /** The term, in the order of relevance. */
        term: Schema.Int,
        /** The search that it belongs to: a digest of its filters. */
        of: Schema.String,
        /** The hour of the rates that the order is by: it stays while pages are turned. */
        hour: Schema.Int,
      }),
    ),
  ),
);

const MOD = /^(.{1,400}?)(?::(-?\d+(?:\.\d+)?)?:(-?\d+(?:\.\d+)?)?)?$/su;
const optional = Schema.optionalKey;
const bound = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** A mod with a range of its value: `TEMPLATE`, or `TEMPLATE:MIN:MAX` with either left out. */
const ModRange = Schema.String.check(Schema.isPattern(MOD)).pipe(
  Schema.decodeTo(
    Schema.Struct({
      template: Schema.String,
      min: Schema.UndefinedOr(Schema.Number),
      max: Schema.UndefinedOr(Schema.Number),
    }).check(
      Schema.makeFilter(({ max = Infinity, min = -Infinity }) =>
        min <= max ? undefined : "the least value of a mod is above its most",
      ),
    ),
    {
      decode: SchemaGetter.transform((text) => {
        const [, template = "", min, max] = MOD.exec(text) ?? [];
        return { template, min: bound(min), max: bound(max) };
      }),
      encode: SchemaGetter.transform(
        ({ max, min, template }) => `${template}:${min ?? ""}:${max ?? ""}`,
      ),
    },
  ),
);

/** A text of the index: a name, a league. */
export const text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200));
/** The code of a currency. */
export const code = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(60));
const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }));
const amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0));

/** Every filter of a search; they are combined with "and". */
export type Filters = typeof Filters.Type;
export const Filters = Schema.Struct({
  league: optional(text),
  /** Words of name and base; the last one may be incomplete. */
  q: optional(text),
  name: optional(text),
  base: optional(text),
  rarity: optional(Schema.Literals(RARITIES)),
  ilvlMin: optional(count),
  ilvlMax: optional(count),
  socketsMin: optional(count),
  linksMin: optional(count),
  corrupted: optional(Schema.Literals(["yes", "no"])),
  /** Words of one mod. */
  modText: optional(text),
  mod: optional(Schema.Array(ModRange).check(Schema.isMaxLength(12))),
  /** In `currency`, or in the base currency. */
  priceMin: optional(amount),
  priceMax: optional(amount),
  currency: optional(code),
});
