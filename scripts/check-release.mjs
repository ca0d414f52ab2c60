// A release, from beginning to end, without touching the real registry:
//
//   1. in a throw-away clone of HEAD: `changeset version`, a commit, `release.mjs`
//   2. a rehearsal of `publish.mjs` with stubs (check-publish.mjs), and then `publish.mjs` to a registry
//      on loopback
//   3. for every package with npm and, in turn, with one of the other package managers: an empty
//      project, the README's own install lines, and every ```ts block of that README as a program
//   4. each example of the documentation: `npm create @game-data`, install, tests, `dev`; and the same
//      with pnpm, which hides what is not declared, with types in place of `dev`
//   5. `npx @game-data/cli doctor` from that registry
//
// node scripts/check-release.mjs [--managers NAME,… (of every package)] [--packages NAME,…] [--examples
//   NAME,…]
import { execFile } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { checkOutput, runDev } from "../packages/create/scripts/exampleStory.mjs";
import { rehearse, stubbed } from "./check-publish.mjs";
import { programOf, startRegistry } from "./published.mjs";
import { conclude, readJson, root } from "./repository.mjs";

const VERSION = "0.1.0";
/** Ends what hangs: an install on a busy machine takes minutes. */
const RUN_TIMEOUT_MS = 600_000;
const AT_ONCE = 3;
const { values } = parseArgs({
  options: {
    managers: { type: "string" },
    packages: { type: "string" },
    examples: { type: "string" },
  },
});

/** What a package is tried with: each installation takes tens of seconds. */
const OTHERS = ["pnpm", "yarn", "bun"];
const managersOf = (index) => values.managers?.split(",") ?? ["npm", OTHERS[index % OTHERS.length]];

/** Each manager's form of "npm install [-D] NAMES", and the files that its project needs. */
const pnpm = programOf(readJson("package.json").packageManager, "pnpm");
const MANAGERS = {
  npm: {
    add: ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"],
    create: ["npm", "create", "--yes", "--loglevel=error", "@game-data"],
    // npm takes what follows these two dashes for its own options.
    rest: ["--"],
    run: ["npm", "run", "--silent"],
    files: {},
  },
  pnpm: {
    add: [pnpm, "add", "--silent"],
    create: [pnpm, "create", "@game-data"],
    rest: [],
    run: [pnpm, "run", "--silent"],
    files: {
      // pnpm 12 reads no npm_config_ variable, and a parent script may name another user's file.
      ".npmrc": ({ url }) => `registry=${url}\n`,
      "pnpm-workspace.yaml": "pmOnFail: ignore\nminimumReleaseAge: 0\nstrictDepBuilds: false\n",
    },
  },
  yarn: {
    add: [programOf("@yarnpkg/cli-dist@4.18.1", "yarn"), "add"],
    files: {
      "yarn.lock": "",
      // Only our packages come through the local registry: yarn asks for many at once. JSON is
      // YAML.
      ".yarnrc.yml": ({ url, upstream }) =>
        JSON.stringify({
          npmRegistryServer: upstream,
          npmScopes: { "game-data": { npmRegistryServer: url } },
          unsafeHttpWhitelist: [url, upstream].map((address) => new URL(address).hostname),
          nodeLinker: "node-modules",
          enableTelemetry: false,
          enableGlobalCache: false,
          enableMirror: false,
          npmMinimalAgeGate: "0",
          npmPreapprovedPackages: ["@game-data/*"],
        }),
    },
  },
  bun: {
    add: [programOf("bun@1.4.5", "bun"), "add", "--silent"],
    files: { "bunfig.toml": ({ url }) => `[install]\nregistry = "${url}"\n` },
  },
};

const work = mkdtempSync(join(tmpdir(), "game-data-release-"));
const say = (line) => console.log(line);
const failures = [];
const attempt = async (name, body) => {
  const started = performance.now();
  try {
    await body();
    say(`ok    ${name} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    failures.push(name);
    const what = error.killed ? "timed out\n" : "";
    say(`FAIL  ${name}\n${what}${error.stdout ?? ""}${error.stderr || error.stack}`);
  }
};

const execute = promisify(execFile);
/** Runs a program and gives what it printed; fails with that when it ends otherwise than by 0. */
const start = async (cwd, [command, ...args], more = {}) => {
  const env = { ...process.env, ...more };
  const options = { cwd, env, timeout: RUN_TIMEOUT_MS, killSignal: "SIGKILL" };
  return (await execute(command, args, options)).stdout;
};

/** Versions, commits, builds and packs in a clone of HEAD; gives the clone and its public packages. */
const release = async (out) => {
  const clone = join(work, "clone");
  await start(root, ["git", "clone", "--quiet", "--local", "--no-hardlinks", root, clone]);
  await start(clone, ["pnpm", "install", "--frozen-lockfile", "--prefer-offline", "--silent"]);
  await start(clone, ["pnpm", "exec", "changeset", "version"]);
  const author = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  await start(clone, ["git", "add", "--all"]);
  await start(clone, [
    "git",
    ...author,
    "commit",
    "--quiet",
    "--allow-empty",
    "--message",
    "Release",
  ]);
  await start(clone, [process.execPath, "scripts/release.mjs", "--out", out]);
  const manifests = JSON.parse(readFileSync(join(out, "release.json"), "utf8")).map(
    ({ folder }) => ({
      folder: join(clone, folder),
      ...JSON.parse(readFileSync(join(clone, folder, "package.json"), "utf8")),
    }),
  );
  for (const { name, version, folder, ...manifest } of manifests) {
    if (version !== VERSION) throw new Error(`${name} would be released as ${version}`);
    for (const field of ["description", "license", "repository", "keywords", "homepage", "bugs"])
      if (manifest[field] === undefined) failures.push(`${name} has no ${field}`);
    const changelog = readFileSync(join(folder, "CHANGELOG.md"), "utf8");
    if (/Updated dependencies|No changes in this release/.test(changelog))
      failures.push(`the changelog of ${name} has noise`);
  }
  say(`packed ${manifests.map(({ name, version }) => `${name}@${version}`).join(", ")}`);
  return { manifests, clone };
};

/** A program for a prompt is installed for the user: `npx` below runs it instead. */
const INSTALL = /^npm (?:install|i) (?!--global)([^#\n]+)/gm;
const BLOCK = /^```ts\n([\s\S]*?)^```$/gm;

/** An empty folder in which a manager finds the registry, and the environment for it. */
const projectOf = (manager, name, registry) => {
  const folder = mkdtempSync(join(work, `${manager}-${basename(name)}-`));
  for (const [file, text] of Object.entries(MANAGERS[manager].files))
    writeFileSync(join(folder, file), typeof text === "string" ? text : text(registry));
  const env = {
    NPM_CONFIG_USERCONFIG: registry.userconfig,
    ...(manager === "yarn"
      ? {}
      : { npm_config_registry: registry.url, pnpm_config_registry: registry.url }),
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    // Another run has published other packages under the same version.
    BUN_INSTALL_CACHE_DIR: join(work, "bun-cache"),
    npm_config_cache: join(work, "npm-cache"),
  };
  return { env, folder };
};

const tryExample = async (manager, name, registry) => {
  const { create, files, rest, run: runScript } = MANAGERS[manager];
  const { env, folder: above } = projectOf(manager, name, registry);
  const folder = join(above, name);
  const last = manager === "npm" ? "dev" : "types";
  await attempt(`${manager}: create ${name}, install, test, ${last}`, async () => {
    await start(above, [...create, name, ...rest, "--template", name], env);
    for (const file of Object.keys(files)) cpSync(join(above, file), join(folder, file));
    const install = manager === "npm" ? MANAGERS.npm.add : [pnpm, "install"];
    await start(folder, install, env);
    const tested = await start(folder, [...runScript, "test"], env);
    const printed = await (last === "dev" ? runDev : start)(folder, [...runScript, last], env);
    if (last === "dev") checkOutput(folder, name === "test" ? tested : printed);
  });
  rmSync(above, { recursive: true, force: true });
};

const tryReadme = async (manager, name, readme, registry) => {
  const { add } = MANAGERS[manager];
  const { env, folder } = projectOf(manager, name, registry);
  const put = (file, text) => writeFileSync(join(folder, file), text);
  put("package.json", JSON.stringify({ private: true, type: "module" }));
  const shell = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, text]) => text)
    .join("\n");
  const lines = [...shell.matchAll(INSTALL)].map(([, words]) => words.trim().split(/\s+/));
  await attempt(`${manager}: ${name}: install`, async () => {
    if (!/^npm install /m.test(shell)) throw new Error("the README has no install line");
    for (const words of lines) await start(folder, [...add, ...words], env);
  });
  for (const [i, [, code]] of [...readme.matchAll(BLOCK)].entries())
    await attempt(`${manager}: ${name}: block ${i + 1}`, async () => {
      put(`block${i + 1}.ts`, code);
      await start(folder, [process.execPath, `block${i + 1}.ts`]);
    });
  rmSync(folder, { recursive: true, force: true });
};

const starting = startRegistry(join(work, "registry"));
try {
  const out = join(work, "release");
  const [{ manifests, clone }, registry] = await Promise.all([release(out), starting]);
  await attempt("a rehearsal of publish.mjs", () => rehearse(clone, out));
  const user = { NPM_CONFIG_USERCONFIG: registry.userconfig };
  await attempt("publish.mjs", () =>
    start(clone, [process.execPath, "scripts/publish.mjs", out], { ...user, ...stubbed(["gh"]) }),
  );

  const chosen = values.packages?.split(",");
  const queue = manifests
    // What `create` makes is tried below, with each example.
    .filter(({ name }) => chosen?.includes(basename(name)) ?? name !== "@game-data/create")
    .flatMap(({ name, folder }, index) => {
      const text = readFileSync(join(folder, "README.md"), "utf8");
      return managersOf(index).map((manager) => [tryReadme, manager, name, text]);
    });
  const examples =
    values.examples?.split(",") ??
    globSync("docs/examples/*/package.json", { cwd: root }).map((file) => basename(dirname(file)));
  for (const manager of managersOf(0).filter((one) => "create" in MANAGERS[one]))
    queue.push(...examples.map((name) => [tryExample, manager, name]));
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [tryOut, ...what] = next;
      await tryOut(...what, registry);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));

  if (manifests.some(({ name }) => name === "@game-data/cli"))
    await attempt(`npx @game-data/cli@${VERSION} doctor`, async () => {
      const folder = mkdtempSync(join(work, "npx-"));
      // This script may itself run under `npx --package=pnpm`: npm hands its options to every
      // child, and with a package named the word after it would be taken for a command.
      const parent = { npm_config_package: undefined, npm_config_call: undefined };
      const env = { ...user, ...parent, HOME: folder, XDG_CONFIG_HOME: folder };
      const from = `--registry=${registry.url}`;
      const command = ["npx", "--yes", from, `@game-data/cli@${VERSION}`, "doctor", "--json"];
      // Nothing is configured there: the diagnosis is the result, and its exit code says so.
      const stdout = await start(folder, command, env).catch((error) => {
        if (!error.stdout) throw error;
        return error.stdout;
      });
      JSON.parse(stdout);
      say(stdout.trim());
    });
} finally {
  (await starting.catch(() => undefined))?.stop();
  rmSync(work, { recursive: true, force: true });
}
conclude(
  failures.map((name) => `failed: ${name}`),
  "released, and followed",
);
