// What is published, outside the workspace: the packed packages in projects of somebody else, and a
// registry on loopback that has them and passes on what is not ours.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { read, readJson, root } from "./repository.mjs";

export { root };

const folders = globSync("packages/*/package.json", { cwd: root }).map(dirname);

/** The manifests of all public packages. */
export const manifests = folders.map((folder) => readJson(join(folder, "package.json")));

/** A path of `exports`, or for a pattern the paths of its files: a path of its own wins over those. */
const pathsOf =
  (folder, exports) =>
  ([path, target]) => {
    // Every name under such a path is the same module.
    if (!target.includes("*")) return [path.replace("*", "Item")];
    const [before, after] = target.replace("./", "").split("*");
    return globSync(`${before}*${after}`, { cwd: join(root, folder) })
      .map((file) => path.replace("*", file.slice(before.length, -after.length)))
      .filter((one) => !(one in exports))
      .toSorted();
  };

/** Every entry that a consumer can import: `@game-data/schemas/Item` and so on; no files of data. */
export const entries = manifests.flatMap(({ exports = {}, name }, i) =>
  Object.entries(exports)
    .filter(([, target]) => `${target}`.endsWith(".ts"))
    .flatMap(pathsOf(folders[i], exports))
    .map((path) => name + path.slice(1)),
);

export const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, stdio: "inherit" });

/** The path of a command of a package of npm's, which npx installs once: npx itself takes half a second. */
export const programOf = (name, command) =>
  execFileSync(
    "npx",
    ["--yes", "--loglevel=error", `--package=${name}`, "--", "sh", "-c", `command -v ${command}`],
    { encoding: "utf8", cwd: tmpdir() },
  ).trim();

const catalog = read("pnpm-workspace.yaml");

/** The version that the workspace pins. */
export const pinned = (name) => catalog.match(new RegExp(`^  "?${name}"?: (.+)$`, "m"))[1];

/**
 * Packs all packages and calls `use` with a function that installs a project of its own: its name
 * and its dependencies (`packed` for a package of ours) give its folder. Beside it are the addresses
 * of the tarballs.
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
    await use(install, tarballs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The compiler's settings of a strict project somewhere else; declarations are checked as well. */
export const strictProject = (types) =>
  JSON.stringify({
    compilerOptions: {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable"],
      types,
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
    },
    files: ["main.ts"],
  });

/** Installs all packages with `dependencies` in an empty project, and calls `use` with its folder. */
export const withConsumer = (dependencies, use) =>
  withTarballs((install) => {
    const packed = Object.fromEntries(manifests.map(({ name }) => [name, "packed"]));
    return use(install("consumer", { ...packed, effect: pinned("effect"), ...dependencies }));
  });

/** Runs `use` with a sandbox of its own: with the line that it prints when it is ready. */
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

/** Not a dependency of the workspace: only the checks of releases want its 320 packages. */
const VERDACCIO = {
  private: true,
  dependencies: { verdaccio: "6.10.4" },
  // One of its plugins asks for a distribution tag that not every registry keeps.
  overrides: { "node-fetch": "2.7.0" },
};
const rule = (proxy) => ({ access: "$all", publish: "$all", unpublish: "$all", ...proxy });

/** Starts a registry that keeps its packages in `folder`; `stop` ends it. */
export const startRegistry = async (folder) => {
  mkdirSync(folder, { recursive: true });
  const upstream = execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    cwd: folder,
  }).trim();
  writeFileSync(join(folder, "package.json"), JSON.stringify(VERDACCIO));
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
  await promisify(execFile)("npm", install, { cwd: folder });
  const { runServer } = createRequire(join(folder, "node_modules/"))("verdaccio");
  const server = await runServer({
    configPath: join(folder, "config.yaml"),
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { upstream: { url: upstream, timeout: "60s", maxage: "1h", cache: false } },
    packages: { "@game-data/*": rule({}), "**": rule({ proxy: "upstream" }) },
    max_body_size: "100mb",
    web: { enable: false },
    log: { type: "stdout", format: "json", level: "error" },
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  const url = `http://127.0.0.1:${port}/`;
  // npm wants to see a token, whether or not the registry does.
  const userconfig = join(folder, "npmrc");
  const token = `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\n`;
  writeFileSync(userconfig, token, { mode: 0o600 });
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, upstream, userconfig, stop };
};
