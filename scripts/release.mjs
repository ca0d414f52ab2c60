// Publishes every public package whose version the registry does not have, tags it, and makes a
// GitHub release with its changes and its bill of materials (CycloneDX). With --dry-run it packs
// and describes, and asks npm what it would do.
//
// npm publishes the tarball that pnpm packs: pnpm rewrites `workspace:` and `catalog:` and takes
// `publishConfig`, npm speaks the OIDC of trusted publishing and adds the provenance.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const isDryRun = process.argv.includes("--dry-run");
const out = mkdtempSync(join(tmpdir(), "game-data-release-"));
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: "inherit" });

const isPublished = (name, version) => {
  try {
    const args = ["view", `${name}@${version}`, "version"];
    return execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim() !== "";
  } catch (error) {
    // Anything but "no such version" must not end in a second publish.
    if (/E404|ETARGET/.test(`${error.stderr}`)) return false;
    throw error;
  }
};

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

run("pnpm", "exec", "turbo", "run", "build", "--output-logs=errors-only");
for (const { folder, name, version } of manifests) {
  if (!isDryRun && isPublished(name, version)) {
    console.log(`${name}@${version} is published`);
    continue;
  }
  const stem = `${name.slice(1).replace("/", "-")}-${version}`;
  const tarball = join(out, `${stem}.tgz`);
  const bill = join(out, `${stem}.cdx.json`);
  run("pnpm", "--filter", name, "pack", "--pack-destination", out, "--silent");
  run(
    "pnpm",
    "sbom",
    "--sbom-format",
    "cyclonedx",
    "--lockfile-only",
    "--prod",
    "--filter",
    name,
    "--out",
    bill,
  );
  run("npm", "publish", tarball, "--access", "public", ...(isDryRun ? ["--dry-run"] : []));
  if (isDryRun) continue;
  const tag = `${name}@${version}`;
  run("git", "tag", tag);
  run("git", "push", "origin", tag);
  run(
    "gh",
    "release",
    "create",
    tag,
    tarball,
    bill,
    "--title",
    tag,
    "--notes",
    changesOf(folder, version),
  );
}
