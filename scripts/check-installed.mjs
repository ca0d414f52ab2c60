// The packed packages in fresh projects, every night: node scripts/check-installed.mjs
//
// publint and attw look into each tarball. A project of npm and one of pnpm install all packages with
// their peers, and run and type-check the first example of the root README. The latter also runs
// packages/*/runtimes/*.mjs, which throw if something is wrong, in each runtime.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  manifests,
  packed,
  pinned,
  root,
  run,
  withSandbox,
  withTarballs,
} from "../support/src/packed.mjs";
import { conclude, read, readJson } from "./repository.mjs";

const RUNTIMES = {
  "node@22.19.0": "node",
  "node@26.10.0": "node",
  "bun@1.4.5": "bun run",
  "deno@2.9.6": "deno run --allow-all --quiet",
};
const [, README_EXAMPLE] = /```ts\n([\s\S]*?)```/.exec(read("README.md"));
const TSC = "--module nodenext --target es2024 --strict --noEmit main.ts".split(" ");

const problems = [];
const attempt = (what, body) => {
  try {
    body();
  } catch (error) {
    problems.push(`failed: ${what}\n${error.message}`);
  }
};

/** All packages with their peers, as a project of a package manager installs them. */
const peers = manifests.flatMap(({ peerDependencies = {} }) => Object.keys(peerDependencies));
const foreign = peers.filter((name) => !name.startsWith("@game-data/"));
const dependencies = {
  ...Object.fromEntries(foreign.map((name) => [name, pinned(name)])),
  ...packed,
};

const checkExample = (folder) => {
  writeFileSync(join(folder, "main.ts"), README_EXAMPLE);
  run(folder, process.execPath, "main.ts");
  run(folder, join(root, "node_modules/.bin/tsc"), ...TSC);
};

const TEMPLATES = globSync("docs/examples/*/package.json", { cwd: root }).map(readJson);

/** Creates a project of each template with the packed `create` of a project, and checks it. */
const checkTemplates = (folder, manager, install) => {
  const create = join(folder, "node_modules/@game-data/create/dist/main.js");
  for (const { name } of TEMPLATES)
    attempt(`the template ${name} with ${manager}`, () => {
      const project = `${manager}-${name}`;
      const target = join(folder, "..", project);
      run(folder, process.execPath, create, target, "--template", name);
      install(project, JSON.parse(readFileSync(join(target, "package.json"), "utf8")), manager);
      for (const script of ["types", "test"]) run(target, manager, "run", script);
      // These two wait for a user. Their tests play the user, and run the program to its end.
      if (name !== "terminal" && name !== "web") run(target, manager, "run", "dev");
    });
};

const checkRuntimes = (folder, ready) => {
  const env = { ...process.env, GAME_DATA_SANDBOX: ready };
  for (const [runtime, command] of Object.entries(RUNTIMES)) {
    for (const file of globSync("packages/*/runtimes/*.mjs", { cwd: root })) {
      const copy = file.replaceAll(/[\\/]/g, "-");
      copyFileSync(join(root, file), join(folder, copy));
      const args = ["--yes", `--package=${runtime}`, "--", ...command.split(" "), copy];
      const options = { cwd: folder, env, timeout: 120_000 };
      attempt(`${file} in ${runtime}`, () => execFileSync("npx", args, options));
    }
  }
};

await withTarballs(async (install, tarballs) => {
  for (const [name, url] of Object.entries(tarballs)) {
    const check = (...args) => run(root, "pnpm", "exec", ...args, url.replace("file:", ""));
    attempt(`publint ${name}`, () => check("publint", "run", "--strict"));
    // `create` has a program, and nothing that is imported.
    if (name !== "@game-data/create")
      attempt(`attw ${name}`, () => check("attw", "--profile=esm-only", "--quiet"));
  }
  for (const manager of ["npm", "pnpm"]) {
    const folder = install(manager, { dependencies }, manager);
    attempt(`the example of the README with ${manager}`, () => checkExample(folder));
    checkTemplates(folder, manager, install);
    if (manager === "pnpm") await withSandbox((ready) => checkRuntimes(folder, ready));
  }
});
conclude(problems, "the packed packages work in fresh projects");
