/**
 * `pnpm generate` writes what is derived from the schemas: every plain record and the
 * documentation's `Item` page. `--check` writes nothing and fails when something is stale.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { SchemaAST } from "effect";
import { moduleOf } from "./codegen.ts";
import type { Target } from "./shapes.ts";
import { formatted, staleOf, writeOrCheck } from "./format.ts";
import type { Aliases } from "./types.ts";

const home = new URL("../", import.meta.url);
const records = "src/plain/generated/";

/**
 * Writes a placeholder for every missing module that the schemas import from the folder, so that
 * they load before anything is generated.
 */
const bootstrap = (): void => {
  mkdirSync(new URL(records, home), { recursive: true });
  const schemas = new URL("src/effect/", home);
  for (const module of readdirSync(schemas)) {
    const source = readFileSync(new URL(module, schemas), "utf8");
    for (const [, name] of source.matchAll(/"\.\.\/plain\/generated\/(\w+)\.ts"/gu)) {
      const file = new URL(`${records}${name}.ts`, home);
      const placeholder = `export const ${name}: any = { name: "${name}", shape: {}, is: () => false };\n`;
      if (!existsSync(file)) writeFileSync(file, placeholder);
    }
  }
};

/** The types that are not records and have names of their own. */
const aliases = async (): Promise<Aliases> => {
  const { DisplayMode, FrameType, ItemPropertyValue, RealmWord } =
    await import("../src/effect/index.ts");
  return new Map([
    [DisplayMode.ast, { name: "DisplayMode", module: "../DisplayMode.ts" }],
    [FrameType.ast, { name: "FrameType", module: "../FrameType.ts" }],
    [ItemPropertyValue.ast, { name: "ItemPropertyValue", module: "../ItemPropertyValue.ts" }],
    [RealmWord.ast, { name: "RealmWord", module: "../Realm.ts" }],
  ]);
};

/** All records: the exported schemas that carry an identifier. */
export const targets = async (): Promise<ReadonlyArray<Target>> => {
  const exported = (await import("../src/effect/index.ts")) as unknown as Record<
    string,
    { ast?: SchemaAST.AST }
  >;
  return Object.entries(exported).flatMap(([name, { ast }]) =>
    ast !== undefined && SchemaAST.resolve(ast)?.["identifier"] !== undefined
      ? [{ name, ast }]
      : [],
  );
};

/** Everything that is generated, by its path from the package. */
export const generated = async (): Promise<ReadonlyMap<string, string>> => {
  const { itemPage } = await import("./item-page.ts");
  const all = await targets();
  const named = await aliases();
  const sources = new Map(all.map((target) => [`${target.name}.ts`, moduleOf(target, all, named)]));
  const pages = formatted(new Map([...sources, ["item.md", itemPage()]]));
  return new Map([
    ...[...sources.keys()].map((name) => [`${records}${name}`, pages.get(name)!] as const),
    ["../../docs/item.md", pages.get("item.md")!],
  ]);
};

/** The generated files that are not as they would be written now. */
export const stale = async (): Promise<ReadonlyArray<string>> => staleOf(home, await generated());

if (import.meta.main) {
  bootstrap();
  writeOrCheck(home, await generated());
}
