// What a package costs to install, and that it needs no more than it declares. Each packed package
// is installed alone, without optional peers and without `@types/node`:
//
// - its size on disk, with all that it brings, is the one in docs/installed.json (--write writes it;
//   `readme-facts.mjs` puts it into the READMEs);
// - the root entry runs, and type-checks with the declarations of its dependencies included;
// - every other entry misses nothing but optional peers that the manifest names: `@types/node` for
//   modules of Node.
import { spawnSync } from "node:child_process";
import { globSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { entries, manifests, run, strictProject, withTarballs } from "./published.mjs";
import { conclude, put, readJson, root } from "./repository.mjs";

const RESULTS = "docs/installed.json";
const COMMAND = "node scripts/check-installed.mjs --write";
/** Bytes by which a size may differ: packages grow a little with each change. */
const toleranceOf = (bytes) => Math.max(100_000, 0.05 * bytes);
const isWrite = process.argv.includes("--write");

const program = (names) =>
  names.map((name, i) => `import * as m${i} from "${name}";\nvoid m${i};`).join("\n");

/** The errors of a program that imports these entries, and the files that the compiler read. */
const typeCheck = (folder, names) => {
  writeFileSync(join(folder, "main.ts"), program(names));
  const compiler = join(root, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(compiler, ["-p", ".", "--listFiles"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  const lines = stdout.split("\n");
  return {
    errors: lines.filter((line) => /error TS\d+/.test(line)),
    files: lines.filter((line) => line.endsWith(".d.ts") && !line.includes("error TS")),
  };
};

/**
 * Codes of what cannot be found: modules, names and namespaces. Other errors follow from them, and
 * `check-consumer.mjs` sees those that remain with all peers.
 */
const MISSING = /error TS(?:2304|2307|2503|2580|2591|7016):/;

/** Whether an error says that a module of a declared peer, or of Node, cannot be found. */
const isDeclared = (line, peers) => {
  const [, name] = /Cannot find (?:module|name) '([^']+)'/.exec(line) ?? [];
  if (name === undefined) return false;
  if (name.startsWith("node:")) return peers.includes("@types/node");
  return peers.some((peer) => name === peer || name.startsWith(`${peer}/`));
};

const bytesIn = (folder) =>
  globSync("node_modules/.pnpm/**", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0);

const known = readJson(RESULTS);
const measured = {};
const problems = [];

await withTarballs(async (install) => {
  for (const { name, peerDependencies = {}, peerDependenciesMeta = {} } of manifests) {
    const short = name.split("/")[1];
    const folder = install(name, { [name]: "packed" });
    const bytes = bytesIn(folder);
    measured[short] = bytes;
    if (!(Math.abs(bytes - known[short]) <= toleranceOf(known[short])) && !isWrite)
      problems.push(
        `${name}: ${bytes} bytes installed, ${RESULTS} says ${known[short]}: ${COMMAND}`,
      );
    const all = entries.filter((entry) => entry === name || entry.startsWith(`${name}/`));
    if (all.length === 0) continue;
    const peers = Object.keys(peerDependencies);
    const isOptional = (peer) => peerDependenciesMeta[peer]?.optional === true;
    writeFileSync(join(folder, "tsconfig.json"), strictProject([]));
    if (all.includes(name)) {
      writeFileSync(join(folder, "main.mjs"), program([name]));
      run(folder, process.execPath, "main.mjs");
      const { errors, files } = typeCheck(folder, [name]);
      problems.push(...errors.map((line) => `${name}: ${line}`));
      if (isOptional("effect") && files.some((file) => file.includes("/effect/dist/")))
        problems.push(`${name}: its declarations load those of effect, an optional peer`);
    }
    const { errors } = typeCheck(folder, all);
    for (const line of errors.filter((one) => MISSING.test(one)))
      if (!isDeclared(line, peers.filter(isOptional))) problems.push(`${name}: ${line}`);
    console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB installed, ${all.length} entries`);
  }
});

if (isWrite) put(RESULTS, `${JSON.stringify(measured, undefined, 2)}\n`, COMMAND, false);
conclude([...new Set(problems)], "each package runs alone, and needs what it declares");
