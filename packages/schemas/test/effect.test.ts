import { Arbitrary, Cause, Effect, Exit, Schema, SchemaAST } from "effect";
import { expect, it } from "vitest";
import { recordKinds } from "../src/Check.ts";
import * as Schemas from "../src/effect/index.ts";
import { item } from "./support.ts";

const { Item } = Schemas;
const records = [...recordKinds.keys()].map((name) => ({
  name,
  schema: (Schemas as unknown as Record<string, Schema.Codec<unknown>>)[name]!,
}));

const later = { ...item, later: 1 };

it("the Effect Schema of a record keeps its check in arrays, structures, unions and derived schemas", () => {
  expect(Schema.decodeUnknownSync(Schema.Array(Item))([later])[0]).toBe(later);
  const optional = Schema.optionalKey(Schema.NullOr(Item));
  const Body = Schema.Struct({ item: Schema.NullOr(Item), more: optional });
  const body = Schema.decodeUnknownSync(Body)({ item: later, more: later });
  expect([body.item, body.more].every((one) => one === later)).toBe(true);
  expect(Schema.encodeUnknownSync(Body)({ item: later }).item).toBe(later);
  expect(Schema.decodeUnknownSync(Schema.toType(Body))({ item: later }).item).toBe(later);
  expect(Schema.decodeUnknownSync(Schema.toCodecJson(Body))({ item: later }).item).toEqual(later);
  expect(Schema.encodeUnknownSync(Item)(later)).toBe(later);
});

it.for(records)(
  "the Effect Schema of $name returns the value itself, on the type side and when encoding",
  ({ schema }) => {
    // A structure around it is derived anew, from the derived node of the record.
    const Holder = Schema.Struct({ at: Schema.DateFromString, record: schema });
    const [sample] = Effect.runSync(
      Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 1, seed: 9 }),
    );
    const record = JSON.parse(JSON.stringify(sample)) as unknown;
    const decoded = Schema.decodeUnknownSync(Holder)({ at: "2026-03-01T12:00:00.000Z", record });
    expect(decoded.record).toBe(record);
    expect(Schema.encodeUnknownSync(Holder)(decoded).record).toBe(record);
    const { ast } = schema;
    for (const derived of [SchemaAST.toType(ast), SchemaAST.toEncoded(ast), SchemaAST.flip(ast)])
      expect(Schema.decodeUnknownSync(Schema.make<typeof schema>(derived))(record)).toBe(record);
  },
);

it("an annotated Effect Schema of a record accepts the same values, and returns a copy with all members", () => {
  const annotated = Item.annotate({ title: "An item of ours" });
  const decoded = Schema.decodeUnknownSync(annotated)({ ...later, socketedItems: [later] });
  expect(decoded).toEqual({ ...later, socketedItems: [later] });
  expect(decoded.socketedItems?.[0]).toBe(later);
  expect(Schema.is(annotated)({ ...item, w: -1 })).toBe(false);
});

it("the fields of a record's Effect Schema can be spread into another structure", () => {
  const League = Schema.Struct({ ...Schemas.League.fields, total: Schema.Natural });
  expect(Schema.is(League)({ id: "x", total: 1 })).toBe(true);
  expect(Schema.is(League)({ total: 1 })).toBe(false);
});

it("the structure around a record's Effect Schema decides whether the record may be absent", () => {
  const Holder = Schema.Struct({ item: Item, more: Schema.optionalKey(Item) });
  const exit = Schema.decodeUnknownExit(Holder)({});
  expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("Missing key");
  expect(Schema.decodeUnknownSync(Holder)({ item })).toEqual({ item });
});

it("the Effect Schema of a record honours the parse options `disableChecks` and `errors`", () => {
  const negative = { ...item, w: -1 };
  expect(Schema.decodeUnknownSync(Item, { disableChecks: true })(negative)).toEqual(negative);
  const exit = Schema.decodeUnknownExit(Item, { errors: "all" })({ ...item, w: -1, h: -1 });
  const message = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "";
  expect(message).toContain(`["w"]`);
  expect(message).toContain(`["h"]`);
});
