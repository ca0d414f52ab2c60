import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type } from "arktype";
import { Arbitrary, Effect, Schema } from "effect";
import { build } from "esbuild";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as Schemas from "../src/effect/index.ts";
import { mutate, randomOf } from "../scripts/mutate.ts";
import { item, listed, market } from "./support.ts";

const folder = new URL("../json-schema/", import.meta.url);
const files = readdirSync(folder).map((file) => file.replace(/\.json$/u, ""));

const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as Record<string, unknown>;

describe("JSON Schema files", () => {
  it.for(files)("are of 2020-12 and judge %s as the check does", (name) => {
    const document = read(name);
    expect(document["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    const validate = new Ajv2020({
      strict: false,
      validateFormats: false,
      code: { optimize: false },
    }).compile(document);
    const schema = (Schemas as unknown as Record<string, Schema.Codec<unknown>>)[name]!;
    const samples = Effect.runSync(
      Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 15, seed: 5 }),
    );
    const random = randomOf(17);
    for (const sample of samples) {
      const value: unknown = JSON.parse(JSON.stringify(sample));
      expect(validate(value)).toBe(true);
      const damaged = mutate(value, random);
      expect(validate(damaged)).toBe(Schema.is(schema)(damaged));
    }
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
    const { metafile, outputFiles } = await build({
      stdin: { contents: source, resolveDir: fileURLToPath(new URL("../src", import.meta.url)) },
      bundle: true,
      format: "esm",
      platform: "browser",
      minifySyntax: true,
      external: ["effect", "effect/*"],
      write: false,
      metafile: true,
    });
    const inputs = Object.keys(metafile.inputs).filter((name) => !name.includes("<stdin>"));
    return {
      text: outputFiles[0]!.text,
      inputs: inputs.map((name) => name.replace(/^.*packages\/schemas\//u, "")),
    };
  };

  it("leave the item out when the league alone is imported", async () => {
    const { text: league } = await bundle(`export { League } from "./index.ts"`);
    expect(league).toContain("registerAt");
    expect(league).not.toContain("socketedItems");
    expect(league).not.toContain("hashes_ex");
    const { text: page } = await bundle(`export { PublicStashPage } from "./index.ts"`);
    expect(page).toContain("socketedItems");
    expect(page).not.toContain("hashes_ex");
    const { text: effect } = await bundle(`export { League } from "./effect/index.ts"`);
    expect(effect).toContain("registerAt");
    expect(effect).not.toContain("typeLine");
  });

  it("of plain records contain no module of Effect", async () => {
    const { inputs } = await bundle(
      `export * from "./index.ts"; export * from "./plain/salvage.ts"`,
    );
    expect(inputs.length).toBeGreaterThan(30);
    expect(inputs.filter((name) => !name.includes("/plain/"))).toEqual(["src/index.ts"]);
  });

  it("contain neither node modules nor code made from strings", async () => {
    const { text } = await bundle(`export * from "./effect/index.ts"`);
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
