// Compiles the packages, and type-checks tests, apps and every example of the documentation, in one
// run of the compiler, which reads Effect's declarations once. With --run also runs the examples:
// node scripts/typecheck.mjs [--run]
//
// Examples are the ```ts blocks of READMEs, of guides, and of doc comments in src. Each becomes a
// module in docs/snippets on the line numbers of its source. A block opened with ```ts no-run is
// type-checked only. Examples of a package import what its manifest names, because Turbo decides by
// the manifest what a change makes stale. Guides import what their install lines name.
import { execFile, spawnSync } from "node:child_process";
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { conclude, read, readJson, root } from "./repository.mjs";

const RUN_TIMEOUT_MILLIS = 120_000;
const OUT = "docs/snippets";
const BLOCK = /^([ \t]*\*?[ \t]*)```ts( no-run)?\n([\s\S]*?)^[ \t]*\*?[ \t]*```$/gm;
const UNCHECKED = /^[ \t]*\*?[ \t]*```(?:ts(?!(?: no-run)?$)|typescript).*$/gm;
const IMPORT = /(?:from|import)\s*\(?\s*"(?!node:)(@?[^"./][^"]*)"/g;
const INSTALL = /^npm (?:install|create) (.+)$/gm;
const isRun = process.argv.includes("--run");

const packageName = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0];

/** The packages that the examples of a file may import, or `undefined` for all of them. */
const importable = (folder, path) => {
  if (folder === ".") return undefined;
  if (path.includes("/guides/")) {
    const names = Array.from(read(path).matchAll(INSTALL), ([, line]) => line.split(" ")).flat();
    return new Set(names);
  }
  const { dependencies, devDependencies, name, peerDependencies } = readJson(
    `${folder}/package.json`,
  );
  return new Set([
    name,
    ...Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
  ]);
};

const problems = [];
/** Writes the examples of a file, and returns them. */
const extract = (folder, file) => {
  const path = join(folder, file).replaceAll("\\", "/");
  const text = read(path);
  const allowed = importable(folder, path);
  for (const [block] of text.matchAll(UNCHECKED))
    problems.push(`${path}: ${block.trim()} is not checked: use \`\`\`ts or \`\`\`ts no-run`);
  return Array.from(text.matchAll(BLOCK), (match) => {
    const [, indent, noRun, block] = match;
    const line = text.slice(0, match.index).split("\n").length;
    const code = indent.includes("*") ? block.replaceAll(/^[ \t]*\*[ \t]?/gm, "") : block;
    for (const [, specifier] of code.matchAll(IMPORT))
      if (allowed?.has(packageName(specifier)) === false)
        problems.push(`${path}:${line} imports ${specifier}, which is not declared`);
    const module = `${path.replaceAll(/[^a-zA-Z0-9]+/g, "-")}-L${line}.ts`;
    writeFileSync(join(root, OUT, module), `${"\n".repeat(line)}${code}\nexport {};\n`);
    return { module, source: `${path}:${line}`, runs: noRun === undefined };
  });
};

rmSync(join(root, OUT), { recursive: true, force: true });
mkdirSync(join(root, OUT), { recursive: true });
const folders = [".", "docs", ...globSync("{packages,apps}/*", { cwd: root }).toSorted()];
const snippets = folders.flatMap((folder) =>
  globSync(["*.md", "guides/**/*.md", "src/**/*.ts"], { cwd: join(root, folder) })
    .filter((file) => !/CHANGELOG|CONTRIBUTING|SECURITY/.test(file))
    .toSorted()
    .flatMap((file) => extract(folder, file)),
);

const config = {
  extends: "../../tsconfig.json",
  compilerOptions: {
    noUnusedLocals: false,
    tsBuildInfoFile: "../../node_modules/.cache/snippets.tsbuildinfo",
  },
  include: ["*.ts"],
  references: readJson("tsconfig.json").references.map(({ path }) => ({ path: `../../${path}` })),
};
writeFileSync(join(root, OUT, "tsconfig.json"), JSON.stringify(config));
const tsc = join(root, "node_modules/.bin/tsc");
const projects = ["-b", "--singleThreaded", ".", OUT];
const { status } = spawnSync(tsc, projects, { cwd: root, stdio: "inherit" });
if (status !== 0) problems.push("The compiler rejects a file.");

// The examples of a page share a process, as do those of a package's comments. Examples of a page
// leave nothing running, so their process ends by itself.
const runnable = snippets.filter(({ runs }) => runs && isRun && problems.length === 0);
const processName = ({ source }) => /^.*\/src\//.exec(source)?.[0] ?? source.split(":")[0];
const queue = Map.groupBy(runnable, processName).values();
const options = { cwd: join(root, "docs"), timeout: RUN_TIMEOUT_MILLIS, killSignal: "SIGKILL" };
const work = async () => {
  for (const group of queue) {
    const args = group.flatMap(({ module }) => ["--import", `./snippets/${module}`]);
    const isOfComments = group.length > 1 && group[0].source.includes("/src/");
    args.push("-e", isOfComments ? "process.exit()" : "");
    await promisify(execFile)(process.execPath, args, options).catch(({ stderr, stdout }) =>
      problems.push(`${group[0].source} or a later example fails\n${stdout}${stderr}`),
    );
  }
};
await Promise.all([work(), work()]);
conclude(problems, `${snippets.length} examples are right`);
