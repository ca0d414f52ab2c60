/**
 * `pnpm generate` writes the compiled checks of the bodies from their schemas. `--check` writes
 * nothing and fails when something is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatted } from "../../schemas/scripts/format.ts";

const home = new URL("../", import.meta.url);
const folder = "src/routes/generated/";

/** Everything that is generated, by its path from the package. */
export const generated = async (): Promise<ReadonlyMap<string, string>> => {
  const { bodyModules, indexModule } = await import("./bodies.ts");
  const pages = formatted(
    new Map([
      ["bodies.ts", indexModule()],
      ...[...bodyModules()].map(([name, source]) => [`bodies/${name}`, source] as const),
    ]),
  );
  return new Map([...pages].map(([name, source]) => [`${folder}${name}`, source]));
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
  const changed = await stale();
  if (process.argv.includes("--check")) {
    for (const path of changed) console.error(`stale: ${fileURLToPath(new URL(path, home))}`);
    if (changed.length > 0) process.exitCode = 1;
  } else {
    const files = await generated();
    mkdirSync(new URL(`${folder}bodies/`, home), { recursive: true });
    for (const path of changed) writeFileSync(new URL(path, home), files.get(path)!);
  }
}
