import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Schema } from "effect";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import * as Schemas from "../src/effect/index.ts";
import { makeJsonSchemaWriter, recordsDocument } from "../src/JsonSchema.ts";

const { $schema, $defs } = recordsDocument();

describe("JSON Schema", () => {
  /** As strict as ajv goes, but for tuples: a third element of `values` is kept. */
  const ajv = new Ajv2020({ strict: true, strictTuples: false, code: { optimize: false } });
  ajv.addSchema({ $schema, $defs }, "records");

  it("is one document of 2020-12 with all records, each of which ajv compiles in strict mode", () => {
    expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
    const names = Object.keys($defs);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(["Item", "PublicStashPage", "UnlistedStash"]));
    for (const name of names) {
      expect(Schemas).toHaveProperty(name);
      expect([name, typeof ajv.getSchema(`records#/$defs/${name}`)]).toEqual([name, "function"]);
    }
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
    const text = await bundle(source);
    expect(text).toContain(part);
    expect(text).not.toMatch(others);
  });
});
