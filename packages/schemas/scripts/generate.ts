/**
 * `pnpm generate` writes what is derived from the schemas: the compiled check of every record, its
 * JSON Schema file and the documentation's `Item` page. `--check` writes nothing and fails when
 * something is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SchemaAST } from "effect";
import { moduleOf, type Target } from "./codegen.ts";
import { formatted } from "./format.ts";

const home = new URL("../", import.meta.url);
const checks = "src/internal/generated/";

/**
 * Names every module that `src/` imports from the folder, so that the sources load before anything
 * is generated.
 */
const bootstrap = (): void => {
  mkdirSync(new URL(checks, home), { recursive: true });
  mkdirSync(new URL("json-schema/", home), { recursive: true });
  const index = readFileSync(new URL("src/index.ts", home), "utf8");
  for (const [, name] of index.matchAll(/"\.\/(\w+)\.ts"/gu)) {
    const source = readFileSync(new URL(`src/${name}.ts`, home), "utf8");
    for (const [, check] of source.matchAll(/"\.\/internal\/generated\/(\w+)\.ts"/gu)) {
      const file = new URL(`${checks}${check}.ts`, home);
      if (!existsSync(file)) writeFileSync(file, "export const check = (): boolean => false;\n");
    }
  }
};

/** All records: the exported schemas that carry an identifier. */
export const targets = async (): Promise<ReadonlyArray<Target>> => {
  const exported = (await import("../src/index.ts")) as unknown as Record<
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
  const { jsonSchemaOf } = await import("./json-schema.ts");
  const { itemPage } = await import("./item-page.ts");
  const all = await targets();
  const sources = new Map(all.map((target) => [`${target.name}.ts`, moduleOf(target, all)]));
  const pages = formatted(new Map([...sources, ["item.md", itemPage()]]));
  return new Map([
    ...[...sources.keys()].map((name) => [`${checks}${name}`, pages.get(name)!] as const),
    ...all.map(({ name, ast }) => [`json-schema/${name}.json`, jsonSchemaOf(name, ast)] as const),
    ["../../docs/item.md", pages.get("item.md")!],
  ]);
};

/** The generated files that are not as they would be written now. */
export const stale = async (): Promise<ReadonlyArray<string>> => {
  const files = await generated();
  return [...files.keys()].filter((path) => {
    const file = new URL(path, home);
    return !existsSync(file) || readFileSync(file, "utf8") !== files.get(path);
  });
};

if (import.meta.main) {
  bootstrap();
  const changed = await stale();
  if (process.argv.includes("--check")) {
    for (const path of changed) console.error(`stale: ${fileURLToPath(new URL(path, home))}`);
    if (changed.length > 0) process.exitCode = 1;
  } else {
    const files = await generated();
    for (const path of changed) writeFileSync(new URL(path, home), files.get(path)!);
  }
}
