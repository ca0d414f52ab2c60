// Packs every public package for a release, with its bill of materials (CycloneDX) and its changes.
// Publishes nothing: `publish.mjs` does, in a job that installs nothing.
//
//   node scripts/release.mjs --out FOLDER
//
// FOLDER/release.json lists the packages in pnpm's order, dependencies first: nobody installs one whose
// dependency is not there yet.
import { execFileSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { read, readJson, root } from "./repository.mjs";

const { values } = parseArgs({ options: { out: { type: "string", default: "release" } } });
const out = resolve(root, values.out);
const pnpm = (...args) =>
  execFileSync("pnpm", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const manifests = globSync("{packages,apps}/*/package.json", { cwd: root });
const folderOf = (name) => dirname(manifests.find((file) => readJson(file).name === name));

pnpm("exec", "turbo", "run", "build", "--output-logs=errors-only");
const workspaces = ["--filter=./packages/*", "--filter=./apps/*"];
const packed = JSON.parse(pnpm("-r", ...workspaces, "pack", "--pack-destination", out, "--json"));
const packages = packed.map(({ filename, integrity, name, version }) => {
  const folder = folderOf(name);
  const stem = join(out, basename(filename, ".tgz"));
  const bill = ["--sbom-format=cyclonedx", "--lockfile-only", "--prod", `--filter=${name}`];
  pnpm("sbom", ...bill, "--out", `${stem}.cdx.json`);
  const [, changes = ""] = read(join(folder, "CHANGELOG.md")).split(`\n## ${version}\n`);
  writeFileSync(`${stem}.md`, `${changes.split("\n## ")[0].trim()}\n`);
  return { name, version, folder, integrity };
});
writeFileSync(join(out, "release.json"), `${JSON.stringify(packages, undefined, 2)}\n`);
