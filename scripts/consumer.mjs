// A project of somebody else: an empty folder outside the workspace with the packed packages
// installed. For the checks that use what is published, not the sources of the repository.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
 * Packs all packages, installs them with `dependencies` in an empty project, and calls `use` with
 * its folder.
 */
export const withConsumer = async (dependencies, use) => {
  const folder = mkdtempSync(join(tmpdir(), "game-data-consumer-"));
  try {
    run(
      root,
      "pnpm",
      "-r",
      "--filter",
      "./packages/*",
      "pack",
      "--pack-destination",
      folder,
      "--silent",
    );
    const tarballs = Object.fromEntries(
      manifests.map(({ name, version }) => [
        name,
        `file:${join(folder, `${name.slice(1).replace("/", "-")}-${version}.tgz`)}`,
      ]),
    );
    const manifest = {
      private: true,
      type: "module",
      dependencies: { ...tarballs, effect: pinned("effect"), ...dependencies },
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    const overrides = Object.entries(tarballs).map(([name, file]) => `  "${name}": "${file}"\n`);
    writeFileSync(
      join(folder, "pnpm-workspace.yaml"),
      `pmOnFail: ignore\nstrictDepBuilds: false\noverrides:\n${overrides.join("")}`,
    );
    run(folder, "pnpm", "install", "--no-frozen-lockfile", "--silent");
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
