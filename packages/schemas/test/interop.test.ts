import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type } from "arktype";
import { Schema } from "effect";
import { build } from "esbuild";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as Schemas from "../src/effect/index.ts";
import { makeJsonSchemaWriter, recordsDocument } from "../src/JsonSchema.ts";
import { item, listed, market } from "./support.ts";

const { $schema, $defs } = recordsDocument();
const names = Object.keys($defs);

describe("JSON Schema", () => {
  /** As strict as ajv goes, but for tuples: a third element of `values` is kept. */
  const ajv = new Ajv2020({ strict: true, strictTuples: false, code: { optimize: false } });
  ajv.addSchema({ $schema, $defs }, "records");

  it("is one document of 2020-12 with all records", () => {
    expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(names).toEqual(
      Object.keys(Schemas)
        .filter((name) => names.includes(name))
        .toSorted(),
    );
    expect(names).toEqual(expect.arrayContaining(["Item", "PublicStashPage", "UnlistedStash"]));
  });

  it.for(names)("compiles %s in ajv's strict mode", (name) => {
    expect(ajv.getSchema(`records#/$defs/${name}`)).toBeTypeOf("function");
  });

  it("says nothing about further members, shows words as examples, and null as a type", () => {
    const { Passives, PassiveNode, UnlistedStash } = $defs as Readonly<Record<string, any>>;
    expect(JSON.stringify($defs)).not.toContain("allOf");
    expect(UnlistedStash).not.toHaveProperty("additionalProperties");
    expect(UnlistedStash.required).toEqual(["id", "public"]);
    expect(UnlistedStash.properties.public).toEqual({ type: "boolean", enum: [false] });
    expect(PassiveNode.properties.name).toEqual({ type: ["string", "null"] });
    expect(Passives.properties.bandit_choice).toMatchObject({
      type: ["string", "null"],
      examples: ["Kraityn", "Alira", "Oak", "Eramir"],
    });
    expect(Passives.properties.jewel_data.anyOf).toEqual([
      { type: "object", additionalProperties: { $ref: "#/$defs/ItemJewelData" } },
      { type: "array", items: {}, maxItems: 0 },
      { type: "null" },
    ]);
  });

  it("is written for schemas of your own, with defaults, patterns and closed words", () => {
    const { definitions, write } = makeJsonSchemaWriter("#/components/schemas/");
    const Body = Schema.Struct({
      word: Schema.NullOr(Schema.Literals(["a", "b"])),
      flag: Schema.optionalKey(Schema.Boolean.annotate({ default: false })),
      code: Schema.String.check(Schema.isPattern(/^a$/u)),
      guild: Schema.NullOr(Schemas.Guild),
    }).annotate({ identifier: "Body" });
    expect(write(Body)).toEqual({ $ref: "#/components/schemas/Body" });
    expect(definitions["Body"]).toEqual({
      type: "object",
      properties: {
        word: { type: ["string", "null"], enum: ["a", "b", null] },
        flag: { type: "boolean", default: false },
        code: { type: "string", pattern: "^a$" },
        guild: { anyOf: [{ $ref: "#/components/schemas/Guild" }, { type: "null" }] },
      },
      required: ["word", "code", "guild"],
    });
    expect(Object.keys(definitions)).toEqual(["Body", "Guild"]);
    expect(() => write(Schema.Date)).toThrow("no JSON Schema for Declaration");
  });
});

describe("Standard Schema", () => {
  it("makes a record a part of a foreign library's schema", () => {
    const Search = type({ "limit?": "number", item: Schema.toStandardSchemaV1(Schemas.Item) });
    const found = Search.assert({ limit: 1, item: { ...item, later: true } });
    expect(found.item).toEqual({ ...item, later: true });
    const refused = Search({ item: { ...item, socketedItems: [{ ...item, w: -1 }] } });
    expect(refused).toBeInstanceOf(type.errors);
    expect(String(refused)).toContain("socketedItems");
  });

  it("reports paths and no values", async () => {
    const standard = Schema.toStandardSchemaV1(Schemas.PublicStashPage)["~standard"];
    const value = { next_change_id: "1", stashes: [{ ...listed, stashType: 1_234_567 }] };
    const { issues } = await standard.validate(value);
    expect(issues?.map(({ path }) => path)).toEqual([["stashes", 0, "stashType"]]);
    expect(JSON.stringify(issues)).not.toContain("1234567");
  });
});

describe("Bundles", () => {
  const bundle = async (source: string) => {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: fileURLToPath(new URL("../src", import.meta.url)) },
      bundle: true,
      format: "esm",
      platform: "browser",
      minifySyntax: true,
      external: ["effect", "effect/*"],
      write: false,
    });
    return outputFiles[0]!.text;
  };

  it("leave the item out when the league alone is imported", async () => {
    const league = await bundle(`export { League } from "./index.ts"`);
    expect(league).toContain("registerAt");
    expect(league).not.toContain("socketedItems");
    expect(league).not.toContain("hashes_ex");
    const page = await bundle(`export { PublicStashPage } from "./index.ts"`);
    expect(page).toContain("socketedItems");
    expect(page).not.toContain("hashes_ex");
    const effect = await bundle(`export { League } from "./effect/index.ts"`);
    expect(effect).toContain("registerAt");
    expect(effect).not.toContain("typeLine");
  });

  it("contain neither node modules nor code made from strings", async () => {
    const text = await bundle(`export * from "./effect/index.ts"`);
    expect(text).not.toMatch(/from "node:|import\("node:|new Function|\beval\(/u);
  });
});

describe("Types", () => {
  it("are what a reader of the wire wants to see", () => {
    expectTypeOf<Schemas.Item["w"]>().toEqualTypeOf<number>();
    expectTypeOf<Schemas.Item["note"]>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Schemas.Item["socketedItems"]>().toEqualTypeOf<
      ReadonlyArray<Schemas.Item> | null | undefined
    >();
    expectTypeOf<Schemas.League["rules"]>().toEqualTypeOf<
      ReadonlyArray<Schemas.LeagueRule> | null | undefined
    >();
    expectTypeOf<Schemas.Market["volume_traded"]>().toExtend<Readonly<Record<string, number>>>();
    expectTypeOf<"Rare">().toExtend<NonNullable<Schemas.Item["rarity"]>>();
    expectTypeOf<string>().toExtend<NonNullable<Schemas.Item["rarity"]>>();
    expectTypeOf<Schemas.Guild["id"]>().toEqualTypeOf<number | string>();
    expectTypeOf(Schema.decodeUnknownSync(Schemas.Item)).returns.toEqualTypeOf<Schemas.Item>();
    expectTypeOf(Schema.encodeSync(Schemas.Item)).parameter(0).toEqualTypeOf<Schemas.Item>();
    const rate: number | undefined = Schema.decodeUnknownSync(Schemas.Market)(market).highest_ratio[
      "chaos"
    ];
    expect(rate).toBe(12);
  });

  it("tell a listed from an unlisted stash", () => {
    const change = Schema.decodeUnknownSync(Schemas.PublicStashChange)(listed);
    expectTypeOf(change.items).toEqualTypeOf<ReadonlyArray<Schemas.Item> | null | undefined>();
    expect(change.public).toBe(true);
    if (change.public) expectTypeOf(change.items).toEqualTypeOf<ReadonlyArray<Schemas.Item>>();
  });

  it("have no members that the record does not name, and none that may be undefined", () => {
    // @ts-expect-error a misspelled member
    expectTypeOf<Schemas.Item["sokets"]>();
    // @ts-expect-error absent is not undefined
    const rule: Schemas.LeagueRule = { id: "", name: "", description: undefined };
    expect(Schema.is(Schemas.LeagueRule)(rule)).toBe(false);
  });
});
