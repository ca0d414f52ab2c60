import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Exports = Readonly<Record<string, string | null>>;

/** Returns the modules of an entry by name: every matching file if the target is a pattern. */
const modules = (folder: URL, entry: string, target: string): ReadonlyArray<[string, string]> => {
  if (!target.includes("*")) return [[entry, target]];
  const [before = "", after = ""] = target.slice("./".length).split("*");
  return globSync(target, { cwd: fileURLToPath(folder) }).map((file) => [
    entry.replace("*", file.slice(before.length, -after.length)),
    `./${file.replaceAll("\\", "/")}`,
  ]);
};

/**
 * Imports every entry of a package and returns one line for each, with the names of its values.
 * Types are not listed. Long lines are wrapped.
 *
 * @param folder - URL of the folder of `package.json`
 */
export const exportedNames = async (folder: URL): Promise<string> => {
  const manifest = readFileSync(new URL("package.json", folder), "utf8");
  const { exports } = JSON.parse(manifest) as { readonly exports: Exports };
  const found = Object.entries(exports).flatMap(([entry, target]) =>
    target?.endsWith(".ts") ? modules(folder, entry, target) : [],
  );
  // An exact entry has precedence over a pattern, and `null` hides files that a pattern matches.
  const files = found.filter(
    ([entry, file]) => (exports[entry] ?? file) === file && exports[entry] !== null,
  );
  const lines = files.map(async ([entry, file]) => {
    const names = Object.keys((await import(new URL(file, folder).href)) as object);
    const line = `${entry}: ${names.toSorted().join(" ") || "types only"}`;
    return line.replaceAll(/(.{1,88})(?: |$)/g, "$1\n  ").trimEnd();
  });
  return (await Promise.all(lines)).toSorted().join("\n");
};
