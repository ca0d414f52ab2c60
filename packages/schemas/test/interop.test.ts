import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Schema } from "effect";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";
import { makeJsonSchemaWriter, recordsDocument } from "../src/JsonSchema.ts";

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
const none = { type: "null" };
const uint = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const int = { ...uint, minimum: Number.MIN_SAFE_INTEGER };
const boolean = { type: "boolean", default: false, description: "d" };
const list = (items: object, more: object = {}) => ({ type: "array", items, ...more });
const object = (properties: object, ...required: ReadonlyArray<string>) =>
  required.length > 0 ? { type: "object", properties, required } : { type: "object", properties };
const map = { type: "object", additionalProperties: int };
const word = (...words: ReadonlyArray<string>) => ({ ...text, enum: words });
const one = { type: "number", enum: [1] };
const cases = ["a", "b"].map((kind) => object({ kind: word(kind), n: int }, "kind", "n"));
const guild = { $ref: "#/$defs/Guild" };

const Flag = Schema.Boolean.annotate({ default: false, description: "d" });
const Kind = <const Word extends string>(kind: Word) => Struct({ kind: Literal(kind), n: Int });
const Either = Union([Schemas.Guild, Schemas.LeagueRule]).annotate({ identifier: "Either" });
const ofA = [Schema.isPattern(/^a$/u), Schema.makeFilter((value) => value === "a")] as const;

describe("Schemas of your own", () => {
  it.each<[schema: Schema.Codec<any>, json: object, wrong: unknown, place: string]>([
    [Literal(1), one, "a", ": 1"],
    [
      NullOr(Literals(["a", "b"])),
      { type: ["string", "null"], enum: ["a", "b", null] },
      1,
      ': "a" or "b"',
    ],
    [
      Union([Literals(["a", "b"]), Literal(1)]),
      { anyOf: [word("a", "b"), one] },
      [],
      ': "a" or "b" or 1',
    ],
    [Union([Literal("a"), String]), { ...text, examples: ["a"] }, 1, ": string"],
    [Union([Literal(1), String]), { anyOf: [one, text] }, [], ": string or 1"],
    [NullOr(Union([String, Int])), { anyOf: [text, int, none] }, [], ": string or integer"],
    [
      Union([Record(String, Int), Tuple([])]),
      { anyOf: [map, list({}, { maxItems: 0 })] },
      1,
      ": object or array",
    ],
    [Schema.Null, none, 1, ": null"],
    [Struct({ any: Schema.Any }), object({ any: {} }, "any"), {}, "/any: "],
    [Struct({ any: Schema.Unknown }), object({ any: {} }, "any"), {}, "/any: "],
    [Struct({}), object({}), null, ": object"],
    [Struct({ a: Schema.optionalKey(Flag) }), object({ a: boolean }), { a: 1 }, "/a: boolean"],
    [Record(String, Int), map, { a: "" }, "/a: integer"],
    [List(String), list(text), [1], "/0: string"],
    [
      Tuple([String, Int]),
      list({}, { prefixItems: [text, int], minItems: 2, maxItems: 2 }),
      ["a", "b"],
      "/1: integer",
    ],
    [
      Schema.TupleWithRest(Tuple([String]), [Int]),
      list(int, { prefixItems: [text], minItems: 1 }),
      [],
      "/0: string",
    ],
    [Schema.Natural, uint, -1, ": unsigned integer"],
    [Schema.Number, { type: "number" }, "1", ": finite number"],
    [Schema.Finite, { type: "number" }, Infinity, ": finite number"],
    [String.check(ofA[0]), { ...text, pattern: "^a$" }, "b", ": valid value"],
    [String.check(ofA[1]), text, "b", ": valid value"],
    [Union([Kind("a"), Kind("b")]), { anyOf: cases }, { kind: "b" }, "/n: integer"],
    [Schemas.Guild, guild, [], ": object"],
    [NullOr(Either), { anyOf: [{ $ref: "#/$defs/Either" }, none] }, {}, ": valid value"],
    [Schemas.FrameType, { ...uint, examples: [...Array(12).keys()] }, -1, ": unsigned integer"],
  ])(
    "are written as JSON Schema, and name the type of a place: %#",
    (schema, json, wrong, place) => {
      expect(makeJsonSchemaWriter().write(schema)).toEqual(json);
      // What is known of a node is kept: of another one it is found again.
      const errors = Drift.typeErrors(schema.annotate({}), wrong);
      expect(errors.map(({ expected, pointer }) => `${pointer}: ${expected}`)).toEqual([place]);
    },
  );

  it("are written once under their names, where you want them", () => {
    const { definitions, write } = makeJsonSchemaWriter("#/components/schemas/");
    const Body = Struct({ guild: NullOr(Schemas.Guild) }).annotate({ identifier: "Body" });
    for (const schema of [Body, Body])
      expect(write(schema)).toEqual({ $ref: "#/components/schemas/Body" });
    expect(Object.keys(definitions)).toEqual(["Body", "Guild"]);
    const body = object(
      { guild: { anyOf: [{ $ref: "#/components/schemas/Guild" }, none] } },
      "guild",
    );
    expect(definitions["Body"]).toEqual(body);
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
      expect([name, typeof ajv.getSchema(`records#/$defs/${name}`)]).toEqual([name, "function"]);
    }
  });

  it("says nothing about further members", () => {
    const { UnlistedStash } = recordsDocument().$defs as Readonly<Record<string, any>>;
    expect(UnlistedStash).not.toHaveProperty("additionalProperties");
    expect(UnlistedStash.required).toEqual(["id", "public"]);
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
