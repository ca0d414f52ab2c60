import type { Schema } from "effect";
import { expectTypeOf, it } from "vitest";
import type { Guild as GuildSchema } from "../src/effect/index.ts";
import { Guild, Item, type RecordError, unknownMember, withUnknown } from "../src/index.ts";

it("a record is its type, its guard and its parser", () => {
  expectTypeOf(Guild.decode).returns.toEqualTypeOf<Guild>();
  const value: unknown = {};
  if (Item.is(value)) expectTypeOf(value).toEqualTypeOf<Item>();
  const result = Guild.safeDecode(value);
  if (result.ok) expectTypeOf(result.value).toEqualTypeOf<Guild>();
  else expectTypeOf(result.error).toEqualTypeOf<RecordError>();
});

it("the Effect Schema has the type of the plain record", () => {
  expectTypeOf<Schema.Schema.Type<typeof GuildSchema>>().toEqualTypeOf<Guild>();
});

it("unknown members are reached with a type, and known ones are not unknown", () => {
  const members = (item: Item) => [
    withUnknown(item)["mutated"],
    unknownMember(item, "mutated"),
    // @ts-expect-error a misspelt member does not compile
    item.nmae,
    // @ts-expect-error `name` is known
    unknownMember(item, "name"),
  ];
  expectTypeOf(members).parameter(0).toEqualTypeOf<Item>();
});
