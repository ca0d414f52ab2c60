/**
 * Writes `templates/`, which is packed: docs/examples with the files that all of them share, and
 * versions in place of `workspace:^` and `catalog:`.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../..");
const examples = join(root, "docs/examples");
const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Record<string, any>;

const { catalog } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as {
  readonly catalog: Readonly<Record<string, string>>;
};

const versionOf = (name: string, range: string): string => {
  const folder = join(root, "packages", name.replace("@game-data/", ""), "package.json");
  const version = range === "catalog:" ? catalog[name] : (readJson(folder)["version"] as string);
  if (version === undefined) throw new Error(`${name} is not in the catalog`);
  return /^\d/.test(version) ? `^${version}` : version;
};

/** Writes the templates into `folder`. */
export const writeTemplates = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  for (const file of globSync("*/package.json", { cwd: examples })) {
    const to = join(folder, dirname(file));
    cpSync(join(examples, dirname(file)), to, { recursive: true });
    for (const shared of ["gitignore", "tsconfig.json"])
      cpSync(join(examples, shared), join(to, shared));
    const manifest = readJson(join(to, "package.json"));
    for (const kind of ["dependencies", "devDependencies"])
      for (const [name, range] of Object.entries(manifest[kind] as Record<string, string>))
        manifest[kind][name] = versionOf(name, range);
    writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeTemplates(join(import.meta.dirname, "../templates"));
