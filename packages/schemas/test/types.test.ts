import { Schema } from "effect";
import { expect, expectTypeOf, it } from "vitest";
import * as Schemas from "../src/effect/index.ts";
import { Guild, Item, type RecordError, unknownMember, withUnknown } from "../src/index.ts";
import { listed } from "./support.ts";

it("the type of a record has the name of the record, and its functions narrow or return that type", () => {
  expectTypeOf(Guild.decode).returns.toEqualTypeOf<Guild>();
  const value: unknown = {};
  if (Item.is(value)) expectTypeOf(value).toEqualTypeOf<Item>();
  const result = Guild.safeDecode(value);
  if (result.ok) expectTypeOf(result.value).toEqualTypeOf<Guild>();
  else expectTypeOf(result.error).toEqualTypeOf<RecordError>();
});

it("the Effect Schema of a record has the type of the plain record", () => {
  expectTypeOf<Schema.Schema.Type<typeof Schemas.Guild>>().toEqualTypeOf<Guild>();
  expectTypeOf(Schema.decodeUnknownSync(Schemas.Item)).returns.toEqualTypeOf<Schemas.Item>();
  expectTypeOf(Schema.encodeSync(Schemas.Item)).parameter(0).toEqualTypeOf<Schemas.Item>();
});

it("the types of `Item` allow null for each optional member", () => {
  type Optional<A> = ReadonlyArray<A> | null | undefined;
  expectTypeOf<Item["w"]>().toEqualTypeOf<number>();
  expectTypeOf<Item["note"]>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<Item["socketedItems"]>().toEqualTypeOf<Optional<Item>>();
  expectTypeOf<Schemas.League["rules"]>().toEqualTypeOf<Optional<Schemas.LeagueRule>>();
  expectTypeOf<Schemas.Market["volume_traded"]>().toExtend<Readonly<Record<string, number>>>();
  expectTypeOf<"Rare" | string>().toExtend<NonNullable<Item["rarity"]>>();
  expectTypeOf<Guild["id"]>().toEqualTypeOf<number | string>();
});

it("the member `public` narrows the type of a stash change to a listed or an unlisted stash", () => {
  const change = Schema.decodeUnknownSync(Schemas.PublicStashChange)(listed);
  expectTypeOf(change.items).toEqualTypeOf<ReadonlyArray<Item> | null | undefined>();
  expect(change.public).toBe(true);
  if (change.public) expectTypeOf(change.items).toEqualTypeOf<ReadonlyArray<Item>>();
});

it("withUnknown and unknownMember type unknown members, and a misspelt member does not compile", () => {
  const members = (item: Item) => [
    withUnknown(item)["mutated"],
    unknownMember(item, "mutated"),
    // @ts-expect-error a misspelt member does not compile
    item.nmae,
    // @ts-expect-error `name` is known
    unknownMember(item, "name"),
  ];
  expectTypeOf(members).parameter(0).toEqualTypeOf<Item>();
  // @ts-expect-error absent is not undefined
  const rule: Schemas.LeagueRule = { id: "", name: "", description: undefined };
  expect(Schema.is(Schemas.LeagueRule)(rule)).toBe(false);
});
