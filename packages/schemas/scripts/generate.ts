/**
 * Writes `src/internal/generated/*.ts`, the compiled check of every record. `--check` writes nothing and fails when a
 * module is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { SchemaAST } from "effect";
import { moduleOf, type Target } from "./codegen.ts";
import { formatted } from "./format.ts";

const folder = new URL("../src/internal/generated/", import.meta.url);

/** Names every module that `src/` imports from the folder, so that the sources load before anything is generated. */
const bootstrap = (): void => {
  mkdirSync(folder, { recursive: true });
  const sources = new URL("../src/", import.meta.url);
  const imported = readFileSync(new URL("index.ts", sources), "utf8").matchAll(/"\.\/(\w+)\.ts"/gu);
  for (const [, name] of imported) {
    const source = readFileSync(new URL(`${name}.ts`, sources), "utf8");
    for (const [, check] of source.matchAll(/"\.\/internal\/generated\/(\w+)\.ts"/gu)) {
      const file = new URL(`${check}.ts`, folder);
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

/** File names and contents of all generated modules. */
export const generated = async (): Promise<ReadonlyMap<string, string>> => {
  const all = await targets();
  const sources = new Map(all.map((target) => [`${target.name}.ts`, moduleOf(target, all)]));
  return formatted(sources);
};

if (import.meta.main) {
  bootstrap();
  const check = process.argv.includes("--check");
  const stale: Array<string> = [];
  for (const [name, source] of await generated()) {
    const file = new URL(name, folder);
    if (existsSync(file) && readFileSync(file, "utf8") === source) continue;
    if (check) stale.push(name);
    else writeFileSync(file, source);
  }
  if (stale.length > 0) {
    console.error(`stale, run \`pnpm generate\`: ${stale.join(", ")}`);
    process.exitCode = 1;
  }
}
