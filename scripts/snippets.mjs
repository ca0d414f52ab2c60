// Type-checks the examples of one package, and runs them with --run, as CI does:
// node scripts/snippets.mjs readme|examples FOLDER [--run]
//
// `readme` takes the ```ts blocks of the Markdown files in FOLDER (README.md, and for docs/ the
// guides, which have to say what to install); each runs as a program of its own. `examples` takes
// those of the doc comments in FOLDER/src, which run one after the other in one process; every
// module that the manifest's `exports` name must have at least one. A block opened with ```ts
// no-run is only type-checked.
//
// Each block becomes a module in docs/snippets/NAME, on the same line numbers as in its source, so
// that errors of the compiler point home. A block may import what the manifest names, and nothing
// else: turbo decides by the manifest what a change makes stale.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { conclude, root } from "./repository.mjs";

const RUN_TIMEOUT_MS = 60_000;
const AT_ONCE = 2;
const BLOCK = /^([ \t]*\*?[ \t]*)```ts( no-run)?\n([\s\S]*?)^[ \t]*\*?[ \t]*```$/gm;
const IMPORT = /(?:from|import)\s*\(?\s*"(@?[^"./][^"]*)"/g;

const [kind, argument, mode] = process.argv.slice(2);
if (!["readme", "examples"].includes(kind) || argument === undefined) {
  console.error("usage: node scripts/snippets.mjs readme|examples FOLDER [--run]");
  process.exit(64);
}
const folder = resolve(argument);
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const name = folder === root ? "root" : basename(folder);
const docs = join(root, "docs");
const out = join(docs, "snippets", `${name}-${kind}`);

const allowed = new Set([
  manifest.name,
  ...Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.peerDependencies,
  }),
]);
const packageOf = (specifier) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const problems = [];
const extract = (file) => {
  const source = readFileSync(join(folder, file), "utf8");
  for (const [block] of source.matchAll(
    /^[ \t]*\*?[ \t]*```(?!ts(?: no-run)?$)ts.*$|```typescript/gm,
  ))
    problems.push(
      `${file}: ${block.trim()} is not checked: open it with \`\`\`ts or \`\`\`ts no-run`,
    );
  return [...source.matchAll(BLOCK)].map((match) => {
    const line = source.slice(0, match.index).split("\n").length;
    const inComment = match[1].includes("*");
    const code = match[3]
      .split("\n")
      .map((text) => (inComment ? text.replace(/^[ \t]*\*[ \t]?/, "") : text))
      .join("\n");
    for (const [, specifier] of code.matchAll(IMPORT))
      if (folder !== root && !specifier.startsWith("node:") && !allowed.has(packageOf(specifier)))
        problems.push(`${file}:${line} imports ${specifier}, which the manifest does not name`);
    const module = `${file.replaceAll(/[^a-zA-Z0-9]+/g, "-")}-L${line}.ts`;
    writeFileSync(join(out, module), `${"\n".repeat(line)}${code}\nexport {};\n`);
    return { module, file, source: `${relative(root, folder)}/${file}:${line}`, runs: !match[2] };
  });
};

const files = (
  kind === "readme"
    ? globSync(["*.md", "guides/**/*.md"], { cwd: folder })
    : globSync("src/**/*.ts", { cwd: folder })
)
  .filter((file) => !/CHANGELOG|CONTRIBUTING|SECURITY|generated/.test(file))
  .toSorted();
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const snippets = files.flatMap(extract);

/** A guide says what to install: every package that its programs import, and at least one of ours. */
for (const file of files.filter((one) => one.startsWith("guides/"))) {
  const text = readFileSync(join(folder, file), "utf8");
  const lines = [...text.matchAll(/^npm (?:install|create) (.+)$/gm)].map(([, words]) => words);
  const installed = new Set(lines.join(" ").split(" "));
  if (!/@game-data\b/.test(lines.join(" "))) problems.push(`${file} has no install line`);
  for (const [, , , code] of text.matchAll(BLOCK))
    for (const [, specifier] of code.matchAll(IMPORT))
      if (!specifier.startsWith("node:") && !installed.has(packageOf(specifier)))
        problems.push(`${file} imports ${specifier}, which none of its install lines names`);
}

if (kind === "examples" && manifest.exports !== undefined) {
  const withExample = new Set(snippets.map(({ file }) => file));
  // A program of a worker thread exports nothing; a generated module repeats its generator's text.
  // The modules behind a pattern are alike: the folder's index shows how one is used.
  const modules = Object.values(manifest.exports).filter(
    (target) =>
      typeof target === "string" &&
      target.endsWith(".ts") &&
      !/\*|generated|[wW]orker\.ts/.test(target),
  );
  for (const file of new Set(modules.map((target) => target.replace("./", "")))) {
    if (!existsSync(join(folder, file))) continue;
    // One that re-exports others may leave the example to them.
    const source = readFileSync(join(folder, file), "utf8");
    const others = source.matchAll(/^export .* from "\.\/(.+)";$/gm);
    const homes = [file, ...Array.from(others, ([, target]) => join(file, "..", target))];
    if (!homes.some((home) => withExample.has(home)))
      problems.push(`${file} is an entry without an example`);
  }
  const types = join(folder, "test/types.test.ts");
  if (!existsSync(types) || !/expectTypeOf|@ts-expect-error/.test(readFileSync(types, "utf8")))
    problems.push("test/types.test.ts is missing: the public types have a test");
}

if (problems.length > 0 || snippets.length === 0) {
  conclude(problems, `${name}: no examples`);
  process.exit();
}

const { references } = JSON.parse(readFileSync(join(docs, "tsconfig.json"), "utf8"));
const config = {
  extends: "../../tsconfig.json",
  include: ["*.ts"],
  references: references.map(({ path }) => ({ path: join("../..", path) })),
};
writeFileSync(join(out, "tsconfig.json"), JSON.stringify(config));
execFileSync(join(root, "node_modules/.bin/tsc"), ["--singleThreaded", "-p", out], {
  stdio: "inherit",
});

const execute = (file) =>
  new Promise((done) => {
    const options = { cwd: docs, timeout: RUN_TIMEOUT_MS, killSignal: "SIGKILL" };
    execFile(process.execPath, [file], options, (error, stdout, stderr) => {
      done(error === null ? undefined : `${stdout}${stderr}${error.killed ? "timed out" : ""}`);
    });
  });

const runnable = mode === "--run" ? snippets.filter(({ runs }) => runs) : [];
let queue = runnable;
if (runnable.length > 0 && kind === "examples") {
  const steps = runnable.map(
    ({ module, source }) => `console.log("in ${source}");\nawait import("./${module}");\n`,
  );
  writeFileSync(join(out, "all.mjs"), `${steps.join("")}process.exit(0);\n`);
  queue = [{ module: "all.mjs", source: `${name}/src` }];
}
const next = queue.values();
const worker = async () => {
  for (const { module, source } of next) {
    const failure = await execute(join(out, module));
    console.log(failure === undefined ? `ok   ${source}` : `FAIL ${source}\n${failure}`);
    if (failure !== undefined) process.exitCode = 1;
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));
console.log(`${name}: ${snippets.length} examples type-check, ${runnable.length} of them were run`);
