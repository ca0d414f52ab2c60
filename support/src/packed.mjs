// Installs the packed packages in new projects, for checks that take minutes.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { read, readJson, root } from "../../scripts/repository.mjs";

export { root };

/** The manifests of all packages. */
export const manifests = globSync("packages/*/package.json", { cwd: root }).map(readJson);
const catalog = read("pnpm-workspace.yaml");
/** The version that the workspace pins. */
export const pinned = (name) => catalog.match(new RegExp(`^  "?${name}"?: (.+)$`, "m"))[1];

/** All packages as dependencies, which the tarballs replace. */
export const packed = Object.fromEntries(manifests.map(({ name }) => [name, "packed"]));

export const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });

/**
 * Builds and packs all packages, and calls `use` with the tarballs by name and with a function that
 * installs a manifest, with the tarballs as our packages, and returns the folder of the project.
 */
export const withTarballs = async (use) => {
  const folder = mkdtempSync(join(tmpdir(), "game-data-packed-"));
  const install = (name, manifest, manager = "pnpm") => {
    const project = join(folder, name);
    const replaced = (wanted = {}) =>
      Object.fromEntries(
        Object.entries(wanted).map(([one, version]) => [one, tarballs[one] ?? version]),
      );
    const settings = Object.entries(tarballs).map(([one, file]) => `  "${one}": "${file}"\n`);
    mkdirSync(project, { recursive: true });
    const text = JSON.stringify({
      private: true,
      type: "module",
      ...manifest,
      dependencies: replaced(manifest.dependencies),
      devDependencies: replaced(manifest.devDependencies),
      // Packages of ours depend on each other by versions that are in no registry yet.
      overrides: tarballs,
    });
    writeFileSync(join(project, "package.json"), text);
    writeFileSync(
      join(project, "pnpm-workspace.yaml"),
      `pmOnFail: ignore\nstrictDepBuilds: false\noverrides:\n${settings.join("")}`,
    );
    run(project, manager, "install", "--silent");
    return project;
  };
  const tarballs = {};
  try {
    // A compiler and a cache leave the files of former sources, and a tarball would hold them.
    for (const built of globSync("packages/*/{dist,*.tsbuildinfo}", { cwd: root }))
      rmSync(join(root, built), { recursive: true });
    run(root, "pnpm", "exec", "turbo", "run", "build", "--force", "--output-logs=errors-only");
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
    for (const { name, version } of manifests)
      tarballs[name] = `file:${join(folder, `${name.slice(1).replace("/", "-")}-${version}.tgz`)}`;
    await use(install, tarballs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Installs all packages with `dependencies`, and calls `use` with the folder. */
export const withConsumer = (dependencies, use) =>
  withTarballs((install) => {
    const effect = pinned("effect");
    return use(install("consumer", { dependencies: { ...packed, effect, ...dependencies } }));
  });

/** Runs `use` with the line that a sandbox of its own prints when it is ready. */
export const withSandbox = async (use) => {
  const program = ["packages/sandbox/src/main.ts", "--port", "0", "--seed", "1"];
  const stdio = ["ignore", "pipe", "inherit"];
  const child = spawn(process.execPath, program, { cwd: root, stdio });
  try {
    const [ready] = await once(createInterface({ input: child.stdout }), "line");
    return await use(ready);
  } finally {
    child.kill("SIGTERM");
  }
};
