// Packs every public package for a release: node scripts/release.mjs [FOLDER]. Publishes nothing:
// `publish.mjs` does, in a job that installs nothing.
//
// FOLDER/release.json lists the packages in pnpm's order, dependencies first, with their changes.
import { execFileSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { read, readJson, root } from "./repository.mjs";

const out = resolve(root, process.argv[2] ?? "release");
const manifests = globSync("{packages,apps}/*/package.json", { cwd: root });
const folder = (name) => dirname(manifests.find((file) => readJson(file).name === name));
const pnpm = (...args) =>
  execFileSync("pnpm", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

pnpm("exec", "turbo", "run", "build", "--output-logs=errors-only");
const filters = ["--filter=./packages/*", "--filter=./apps/*"];
const packed = JSON.parse(pnpm("-r", ...filters, "pack", "--pack-destination", out, "--json"));
const packages = packed.map(({ filename, integrity, name, version }) => {
  const [, changes = ""] = read(join(folder(name), "CHANGELOG.md")).split(`\n## ${version}\n`);
  const notes = changes.split("\n## ")[0].trim();
  return { name, version, file: basename(filename), integrity, notes };
});
writeFileSync(join(out, "release.json"), `${JSON.stringify(packages, undefined, 2)}\n`);
