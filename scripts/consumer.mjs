// A project of somebody else: an empty folder outside the workspace with the packed packages
// installed. For the checks that use what is published, not the sources of the repository.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entriesOf } from "./entries.mjs";

export const root = join(import.meta.dirname, "..");

const folders = globSync("packages/*/package.json", { cwd: root }).map((file) =>
  join(root, file, ".."),
);

/** The manifests of all public packages. */
export const manifests = folders.map((folder) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
);

/** Every entry that a consumer can import: `@game-data/schemas/Item` and so on; no files of data. */
export const entries = folders.flatMap((folder, index) =>
  [...entriesOf(folder)]
    .filter(([, target]) => `${target}`.endsWith(".ts"))
    .map(([path]) => manifests[index].name + path.slice(1)),
);

export const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, stdio: "inherit" });

const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");

/** The version that the workspace pins. */
export const pinned = (name) => catalog.match(new RegExp(`^  "?${name}"?: (.+)$`, "m"))[1];

/**
 * Packs all packages and calls `use` with a function that installs a project of its own: its name
 * and its dependencies (`packed` for a package of ours) give its folder.
 */
export const withTarballs = async (use) => {
  const folder = mkdtempSync(join(tmpdir(), "game-data-consumer-"));
  const to = ["--pack-destination", folder, "--silent"];
  try {
    run(root, "pnpm", "-r", "--filter", "./packages/*", "pack", ...to);
    const tarballs = Object.fromEntries(
      manifests.map(({ name, version }) => [
        name,
        `file:${join(folder, `${name.slice(1).replace("/", "-")}-${version}.tgz`)}`,
      ]),
    );
    const overrides = Object.entries(tarballs).map(([name, file]) => `  "${name}": "${file}"\n`);
    const install = (name, wanted) => {
      const project = join(folder, name.replace("/", "-"));
      const dependencies = Object.fromEntries(
        Object.entries(wanted).map(([one, version]) => [
          one,
          version === "packed" ? tarballs[one] : version,
        ]),
      );
      mkdirSync(project);
      writeFileSync(
        join(project, "package.json"),
        JSON.stringify({ private: true, type: "module", dependencies }),
      );
      writeFileSync(
        join(project, "pnpm-workspace.yaml"),
        `pmOnFail: ignore\nstrictDepBuilds: false\noverrides:\n${overrides.join("")}`,
      );
      run(project, "pnpm", "install", "--no-frozen-lockfile", "--silent");
      return project;
    };
    await use(install);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Installs all packages with `dependencies` in an empty project, and calls `use` with its folder. */
export const withConsumer = (dependencies, use) =>
  withTarballs((install) => {
    const packed = Object.fromEntries(manifests.map(({ name }) => [name, "packed"]));
    return use(install("consumer", { ...packed, effect: pinned("effect"), ...dependencies }));
  });
