import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { readNotes } from "../scripts/notes.ts";
import { recordsDocument } from "../src/JsonSchema.ts";

it("recordsDocument returns JSON Schema 2020-12 of all records, which ajv compiles in strict mode", () => {
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

it("recordsDocument describes members by the comments of the source", () => {
  const { League } = recordsDocument(readNotes()).$defs as Readonly<Record<string, any>>;
  expect(League.description).toMatch(/^A league/u);
  expect(League.properties.category.properties.id.description).toBe(
    "Identifier of the league's category.",
  );
  expect(League.properties.startAt.description).toBe("Date-time.");
});

it("recordsDocument permits further members of a record", () => {
  const { UnlistedStash } = recordsDocument().$defs as Readonly<Record<string, any>>;
  expect(UnlistedStash).not.toHaveProperty("additionalProperties");
  expect(UnlistedStash.required).toEqual(["id", "public"]);
});

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
])("a bundle of %s contains %s, and nothing of other records", async (source, part, others) => {
  const bundled = await bundle(source);
  expect(bundled).toContain(part);
  expect(bundled).not.toMatch(others);
});
