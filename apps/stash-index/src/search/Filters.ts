/** Schemas of the parameters of a search. */
import { Schema, SchemaGetter } from "effect";
import { MAX_MODS, MAX_TEXT_LENGTH } from "../index/facts.ts";
import { RARITIES } from "../index/rarities.ts";

const optional = Schema.optionalKey;
const MOD = /^(.{1,400}?)(?::(-?\d+(?:\.\d+)?)?:(-?\d+(?:\.\d+)?)?)?$/su;
const bound = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));

/** A mod with a range of its value: `TEMPLATE:MIN:MAX`, with MIN and MAX optional. */
const ModRange = Schema.String.check(Schema.isPattern(MOD)).pipe(
  Schema.decodeTo(
    Schema.Struct({
      template: Schema.String,
      min: Schema.UndefinedOr(Schema.Number),
      max: Schema.UndefinedOr(Schema.Number),
    }).check(
      Schema.makeFilter(({ max = Infinity, min = -Infinity }) =>
        min <= max ? undefined : "the lowest value of a mod is above its highest",
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

/** A text parameter: a name, a league, the code of a currency. */
export const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(MAX_TEXT_LENGTH));
export const Words = Text.check(Schema.isPattern(/[\p{L}\p{N}]/u, { message: "has no word" }));
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }));
const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0));

/** All filters of a search. A listing must match each of them. */
export type Filters = typeof Filters.Type;
export const Filters = Schema.Struct({
  /** Default: the league that has the most listings. */
  league: optional(Text),
  /** Words of name and base. The last word may be incomplete. */
  q: optional(Words),
  name: optional(Text),
  base: optional(Text),
  rarity: optional(Schema.Literals(RARITIES)),
  ilvlMin: optional(Count),
  ilvlMax: optional(Count),
  socketsMin: optional(Count),
  linksMin: optional(Count),
  corrupted: optional(Schema.Literals(["yes", "no"])),
  seller: optional(Text),
  mod: optional(Schema.Array(ModRange).check(Schema.isMaxLength(MAX_MODS))),
  /** Words of a single mod. The last word may be incomplete. */
  modText: optional(Words),
  /** Amount in `currency`, or in the base currency of the league. */
  priceMin: optional(Amount),
  priceMax: optional(Amount),
  currency: optional(Text),
});

/** Orders of the results; `-price` begins with the highest price. */
const SORTS = ["price", "-price", "age"] as const;

/** Position after the last listing of a page of results. */
export type Cursor = typeof Cursor.Type;
export const Cursor = Schema.StringFromBase64Url.pipe(
  Schema.decodeTo(
    Schema.fromJsonString(
      Schema.Struct({
        value: Schema.Finite,
        no: Schema.Int,
        /** Hour of the exchange rates, so that all pages of a search have the same order. */
        hour: Schema.Int,
      }),
    ),
  ),
);

export type SearchRequest = typeof SearchRequest.Type;
export const SearchRequest = Schema.Struct({
  ...Filters.fields,
  sort: optional(Schema.Literals(SORTS)),
  limit: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
  cursor: optional(Cursor),
});
