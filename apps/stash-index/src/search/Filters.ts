/** The parameters of a search. */
import { Schema, SchemaGetter } from "effect";
import { MAX_TEXT_LENGTH } from "../index/facts.ts";
import { RARITIES } from "../index/rarities.ts";

const optional = Schema.optionalKey;
/** The mods that a search may have. */
export const MAX_MODS = 12;
const MOD = /^(.{1,400}?)(?::(-?\d+(?:\.\d+)?)?:(-?\d+(?:\.\d+)?)?)?$/su;
const bound = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));

/** A mod with a range of its value: `TEMPLATE`, or `TEMPLATE:MIN:MAX` with either left out. */
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

/** A text of the index: a name, a league, the code of a currency. */
export const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(MAX_TEXT_LENGTH));
export const Words = Text.check(Schema.isPattern(/[\p{L}\p{N}]/u, { message: "has no word" }));
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }));
const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0));

/** Every filter of a search. They are combined with "and". */
export type Filters = typeof Filters.Type;
export const Filters = Schema.Struct({
  /** Default: the league with most listings. */
  league: optional(Text),
  /** Words of name and base. The last one may be incomplete. */
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
  /** Words of one mod. The last one may be incomplete. */
  modText: optional(Words),
  /** In `currency`, or in the league's base currency. */
  priceMin: optional(Amount),
  priceMax: optional(Amount),
  currency: optional(Text),
});

/** Orders of a result. */
const SORTS = ["price", "-price", "age"] as const;

/** Where the next page of results begins. */
export type Cursor = typeof Cursor.Type;
export const Cursor = Schema.StringFromBase64Url.pipe(
  Schema.decodeTo(
    Schema.fromJsonString(
      Schema.Struct({
        value: Schema.Finite,
        no: Schema.Int,
        /** The hour of the rates, so that the order stays while pages are turned. */
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
