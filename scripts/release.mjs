// Packs every public package for a release, with its bill of materials (CycloneDX) and its changes.
// Publishes nothing: `publish.mjs` does, in a job that installs nothing.
//
//   node scripts/release.mjs --out FOLDER
//
// FOLDER/release.json lists the packages in the order of their dependencies; `publish.mjs` knows the
// names of their files. pnpm packs: it rewrites `workspace:` and `catalog:` and takes `publishConfig`.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string", default: "release" } } });
const out = resolve(root, values.out);
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: "inherit" });

const changesOf = (folder, version) => {
  const changelog = readFileSync(join(root, folder, "CHANGELOG.md"), "utf8");
  const [, rest = ""] = changelog.split(`\n## ${version}\n`);
  return rest.split(/\n## /)[0].trim();
};

const manifests = globSync(["packages/*/package.json", "apps/*/package.json"], { cwd: root })
  .map((file) => ({
    folder: join(file, ".."),
    ...JSON.parse(readFileSync(join(root, file), "utf8")),
  }))
  .filter((manifest) => manifest.private !== true);

/** Dependencies first: nobody installs a package whose dependency is not there yet. */
const inOrder = [];
const visit = (manifest) => {
  if (manifest === undefined || inOrder.includes(manifest)) return;
  for (const name of Object.keys(manifest.dependencies ?? {}))
    visit(manifests.find((other) => other.name === name));
  inOrder.push(manifest);
};
manifests.forEach(visit);

mkdirSync(out, { recursive: true });
run("pnpm", "exec", "turbo", "run", "build", "--output-logs=errors-only");
const bill = ["sbom", "--sbom-format", "cyclonedx", "--lockfile-only", "--prod"];
const packages = inOrder.map(({ folder, name, version }) => {
  const stem = `${name.slice(1).replace("/", "-")}-${version}`;
  run("pnpm", "--filter", name, "pack", "--pack-destination", out, "--silent");
  const sha256 = createHash("sha256")
    .update(readFileSync(join(out, `${stem}.tgz`)))
    .digest("hex");
  run("pnpm", ...bill, "--filter", name, "--out", join(out, `${stem}.cdx.json`));
  writeFileSync(join(out, `${stem}.md`), `${changesOf(folder, version)}\n`);
  return { name, version, folder, sha256 };
});
writeFileSync(join(out, "release.json"), `${JSON.stringify({ packages }, undefined, 2)}\n`);
