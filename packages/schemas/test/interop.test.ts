import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Schema } from "effect";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";
import { makeJsonSchemaWriter, recordsDocument } from "../src/JsonSchema.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const int = { type: "integer", minimum: -MAX, maximum: MAX };
const {
  Array: List,
  Int,
  Literal,
  Literals,
  NullOr,
  Record,
  String,
  Struct,
  Tuple,
  Union,
} = Schema;
const text = { type: "string" };
const Kind = <const Word extends string>(kind: Word) => Struct({ kind: Literal(kind), n: Int });
const Either = Union([Schemas.Guild, Schemas.LeagueRule]).annotate({ identifier: "Either" });

describe("Schemas of your own", () => {
  it.each<[schema: Schema.Codec<any>, json: object, wrong: unknown, place: string]>([
    [Literal(5), { type: "number", enum: [5] }, "a", ": 5"],
    [
      NullOr(Literals(["a", "b"])),
      { type: ["string", "null"], enum: ["a", "b", null] },
      1,
      ': "a" or "b"',
    ],
    [
      Union([Literals(["a", "b"]), Literal(1), Schema.Boolean]),
      {
        anyOf: [{ ...text, enum: ["a", "b"] }, { type: "number", enum: [1] }, { type: "boolean" }],
      },
      [],
      ': boolean or "a" or "b" or 1',
    ],
    [
      NullOr(Union([Literal("a"), String])),
      { type: ["string", "null"], examples: ["a"] },
      1,
      ": string",
    ],
    [
      Union([Literal(1), String]),
      { anyOf: [{ type: "number", enum: [1] }, text] },
      [],
      ": string or 1",
    ],
    [
      NullOr(Union([String, Int])),
      { anyOf: [text, int, { type: "null" }] },
      [],
      ": string or integer",
    ],
    [Schema.Null, { type: "null" }, 1, ": null"],
    [Schema.Unknown, {}, undefined, ""],
    [
      Struct({ any: Schema.Any }),
      { type: "object", properties: { any: {} }, required: ["any"] },
      {},
      "/any: ",
    ],
    [Struct({}), { type: "object", properties: {} }, null, ": object"],
    [
      Struct({
        flag: Schema.optionalKey(Schema.Boolean.annotate({ default: false, description: "d" })),
      }),
      {
        type: "object",
        properties: { flag: { type: "boolean", default: false, description: "d" } },
      },
      { flag: 1 },
      "/flag: boolean",
    ],
    [Record(String, Int), { type: "object", additionalProperties: int }, { a: "" }, "/a: integer"],
    [List(String), { type: "array", items: text }, [1], "/0: string"],
    [
      Tuple([String, Int]),
      { type: "array", prefixItems: [text, int], minItems: 2, items: {}, maxItems: 2 },
      ["a", "b"],
      "/1: integer",
    ],
    [
      Schema.TupleWithRest(Tuple([String]), [Int]),
      { type: "array", prefixItems: [text], minItems: 1, items: int },
      [],
      "/0: string",
    ],
    [Schema.Natural, { type: "integer", minimum: 0, maximum: MAX }, -1, ": unsigned integer"],
    [Schema.Number, { type: "number" }, "1", ": finite number"],
    [Schema.Finite, { type: "number" }, Infinity, ": finite number"],
    [String.check(Schema.isPattern(/^a$/u)), { ...text, pattern: "^a$" }, "b", ": valid value"],
    [String.check(Schema.makeFilter((one) => one === "a")), text, "b", ": valid value"],
    [
      Union([Kind("a"), Kind("b")]),
      {
        anyOf: ["a", "b"].map((kind) => ({
          type: "object",
          properties: { kind: { ...text, enum: [kind] }, n: int },
          required: ["kind", "n"],
        })),
      },
      { kind: "b" },
      "/n: integer",
    ],
    [Schemas.Guild, { $ref: "#/$defs/Guild" }, [], ": object"],
    [
      NullOr(Either),
      { anyOf: [{ $ref: "#/$defs/Either" }, { type: "null" }] },
      {},
      ": valid value",
    ],
    [
      Schemas.FrameType,
      { ...int, minimum: 0, examples: [...Array(12).keys()] },
      -1,
      ": unsigned integer",
    ],
  ])(
    "are written as JSON Schema, and name the type of a place: %#",
    (schema, json, wrong, place) => {
      expect(makeJsonSchemaWriter().write(schema)).toEqual(json);
      const errors = Drift.typeErrors(schema, wrong);
      expect(errors.map(({ expected, pointer }) => `${pointer}: ${expected}`).join()).toBe(place);
    },
  );

  it("are written once under their names, where you want them", () => {
    const { definitions, write } = makeJsonSchemaWriter("#/components/schemas/");
    const Body = Struct({ guild: NullOr(Schemas.Guild) }).annotate({ identifier: "Body" });
    for (const schema of [Body, Body])
      expect(write(schema)).toEqual({ $ref: "#/components/schemas/Body" });
    expect(Object.keys(definitions)).toEqual(["Body", "Guild"]);
    expect(definitions["Body"]).toEqual({
      type: "object",
      properties: { guild: { anyOf: [{ $ref: "#/components/schemas/Guild" }, { type: "null" }] } },
      required: ["guild"],
    });
    expect(() => write(Schema.Date)).toThrow("no JSON Schema for Declaration");
  });
});

describe("The document", () => {
  it("is one of JSON Schema 2020-12 with all records, each of which ajv compiles in strict mode", () => {
    const { $defs, $schema } = recordsDocument();
    /** As strict as ajv goes, but for tuples: a third element of `values` is kept. */
    const ajv = new Ajv2020({ strict: true, strictTuples: false, code: { optimize: false } });
    ajv.addSchema({ $schema, $defs }, "records");
    expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
    const names = Object.keys($defs);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(["Item", "PublicStashPage", "UnlistedStash"]));
    for (const name of names) {
      expect(Schemas).toHaveProperty(name);
      expect([name, typeof ajv.getSchema(`records#/$defs/${name}`)]).toEqual([name, "function"]);
    }
  });

  it("says nothing about further members, and that an empty dictionary may be a list", () => {
    const { Passives, UnlistedStash } = recordsDocument().$defs as Readonly<Record<string, any>>;
    expect(UnlistedStash).not.toHaveProperty("additionalProperties");
    expect(UnlistedStash.required).toEqual(["id", "public"]);
    expect(Passives.properties.jewel_data.anyOf).toEqual([
      { type: "object", additionalProperties: { $ref: "#/$defs/ItemJewelData" } },
      { type: "array", items: {}, maxItems: 0 },
      { type: "null" },
    ]);
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

  it.each([
    [`export { League } from "./index.ts"`, "registerAt", /socketedItems|hashes_ex/u],
    [`export { PublicStashPage } from "./index.ts"`, "socketedItems", /hashes_ex/u],
    [`export { League } from "./effect/index.ts"`, "registerAt", /typeLine/u],
    // Neither modules of Node, nor code made from strings.
    [`export * from "./effect/index.ts"`, "typeLine", /"node:|new Function|\beval\(/u],
  ])("of %s hold %s and nothing of other records", async (source, part, others) => {
    const bundled = await bundle(source);
    expect(bundled).toContain(part);
    expect(bundled).not.toMatch(others);
  });
});
