// What the packages cost in another project, and that they need no more than they declare. Each packed
// package is installed alone, without optional peers and without `@types/node`:
//
// - its size on disk, with all that it brings, is the one in docs/installed.json (--write writes it;
//   `readme-facts.mjs` puts it into the READMEs);
// - the root entry runs, and type-checks with the declarations of its dependencies included;
// - every other entry misses nothing but optional peers that the manifest names: `@types/node` for
//   modules of Node.
//
// Then all are installed with all peers: every entry runs, and type-checks with three versions of
// TypeScript, the declarations of the packages included. A package's own part is a program
// packages/*/runtimes/*.mjs that throws when something is wrong: it runs in every runtime of RUNTIMES,
// from the npm registry, beside a sandbox whose line of readiness is in GAME_DATA_SANDBOX. Where it
// passes is the table of docs/runtimes.md. publint and attw look into a tarball, and install nothing;
// attw is run here, over the same tarballs.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, globSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  entries,
  manifests,
  pinned,
  programOf,
  run,
  strictProject,
  withSandbox,
  withTarballs,
} from "./published.mjs";
import { conclude, put, readJson, root, table } from "./repository.mjs";

const RESULTS = "docs/installed.json";
const COMMAND = "node scripts/check-installed.mjs --write";
const TYPESCRIPTS = ["5.9.3", "6.0.3", "7.0.2"];
const RUNTIMES = [
  ["node@22.19.0", "node"],
  ["node@24.21.0", "node"],
  ["node@26.10.0", "node"],
  ["bun@1.4.5", "bun", "run"],
  ["deno@2.9.6", "deno", "run", "--allow-all", "--quiet"],
];
const BROWSER = {
  schemas: "yes",
  contract: "yes",
  "tree-link": "yes",
  "oauth-pkce": "the protocol; tokens belong on a server",
  "rate-limit": "yes",
  "api-client": "yes",
  "stream-follower": "no",
  sandbox: "the `./web` entry",
};
/** Bytes by which a size may differ: packages grow a little with each change. */
const toleranceOf = (bytes) => Math.max(100_000, 0.05 * bytes);
const isWrite = process.argv.includes("--write");

/** Makes `main.ts` of a project: a program that imports entries, and fails for one that is empty. */
const writeProgram = (folder, names, types) => {
  const lines = names.map(
    (name, i) =>
      `import * as m${i} from "${name}";\nif (Object.keys(m${i}).length === 0) throw new Error("${name} is empty");`,
  );
  writeFileSync(join(folder, "main.ts"), lines.join("\n"));
  writeFileSync(join(folder, "tsconfig.json"), strictProject(types));
};

/** The errors of a program, and the files that the compiler read. */
const typeCheck = (folder, compiler = join(root, "node_modules/typescript/bin/tsc")) => {
  const args = [compiler, "-p", ".", "--listFiles"];
  const options = { cwd: folder, encoding: "utf8", maxBuffer: 1e8 };
  const { error, status, stdout } = spawnSync(process.execPath, args, options);
  if (error !== undefined) throw error;
  const lines = stdout.split("\n");
  const errors = lines.filter((line) => /error TS\d+/.test(line));
  if (status !== 0 && errors.length === 0) throw new Error(stdout);
  return { errors, files: lines.filter((line) => /^[^:]*\.d\.ts$/.test(line)) };
};

/**
 * Codes of what cannot be found: modules, names and namespaces. Other errors follow from them, and
 * those that remain with all peers are seen below.
 */
const MISSING = /error TS(?:2304|2307|2503|2580|2591|7016):/;
/** A declaration of a peer that another author wrote: `nats-core` has two that are not strict. */
const FOREIGN = /^node_modules\/\.pnpm\/(?!@game-data\+)/;

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

/** What is wrong with a package that stands alone. */
const checkAlone = (
  install,
  tarball,
  { name, peerDependencies = {}, peerDependenciesMeta = {} },
) => {
  const short = name.split("/")[1];
  const folder = install(name, { [name]: "packed" });
  const bytes = bytesIn(folder);
  measured[short] = bytes;
  if (!(Math.abs(bytes - known[short]) <= toleranceOf(known[short])) && !isWrite)
    problems.push(
      `${name}: ${bytes} bytes installed, ${RESULTS} says ${known[short]}: run ${COMMAND}`,
    );
  const all = entries.filter((entry) => entry === name || entry.startsWith(`${name}/`));
  if (all.length === 0) return;
  const attw = ["exec", "attw", tarball, "--profile", "esm-only", "--quiet"];
  if (spawnSync("pnpm", attw, { cwd: root, stdio: "inherit" }).status !== 0)
    problems.push(`${name}: attw finds a fault in what is packed`);
  const isOptional = (peer) => peerDependenciesMeta[peer]?.optional === true;
  if (all.includes(name)) {
    writeProgram(folder, [name], []);
    run(folder, process.execPath, "main.ts");
    const { errors, files } = typeCheck(folder);
    problems.push(...errors.map((line) => `${name}: ${line}`));
    if (isOptional("effect") && files.some((file) => file.includes("/effect/dist/")))
      problems.push(`${name}: its declarations load those of effect, an optional peer`);
  }
  writeProgram(folder, all, []);
  const peers = Object.keys(peerDependencies).filter(isOptional);
  for (const line of typeCheck(folder).errors.filter((one) => MISSING.test(one)))
    if (!isDeclared(line, peers)) problems.push(`${name}: ${line}`);
  console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB installed, ${all.length} entries`);
};

/** What is wrong with all of them together. */
const checkTogether = (install) => {
  const peers = manifests
    .flatMap(({ peerDependencies = {} }) => Object.keys(peerDependencies))
    .filter((name) => !name.startsWith("@game-data/"));
  const folder = install("consumer", {
    ...Object.fromEntries(manifests.map(({ name }) => [name, "packed"])),
    ...Object.fromEntries(peers.map((name) => [name, pinned(name)])),
    ...Object.fromEntries(
      TYPESCRIPTS.map((version) => [`typescript-${version[0]}`, `npm:typescript@${version}`]),
    ),
  });
  writeProgram(folder, entries, ["node"]);
  run(folder, process.execPath, "main.ts");
  for (const version of TYPESCRIPTS) {
    const compiler = `node_modules/typescript-${version[0]}/bin/tsc`;
    const errors = typeCheck(folder, compiler).errors.filter((line) => !FOREIGN.test(line));
    problems.push(...errors.map((line) => `TypeScript ${version}: ${line}`));
  }
  console.log(`${entries.length} entries of ${manifests.length} packages with all peers`);
  return folder;
};

/** Whether a program passes in a runtime. */
const passes = (program, [name, command, ...args], folder, ready) => {
  const env = { ...process.env, GAME_DATA_SANDBOX: ready };
  const options = { cwd: folder, env, stdio: "pipe", timeout: 120_000 };
  try {
    execFileSync(command, [...args, program], options);
    return true;
  } catch (error) {
    problems.push(`${program} fails with ${name}\n${error.stdout}${error.stderr}`);
    return false;
  }
};

const label = ([name]) => name.replace("@", " ").replace(/^./, (first) => first.toUpperCase());

/** The table of the runtimes, by what passes in a folder that has all packages. */
const checkRuntimes = (folder) =>
  withSandbox((ready) => {
    const runtimes = RUNTIMES.map(([name, command, ...args]) => [
      name,
      programOf(name, command),
      ...args,
    ]);
    const programs = globSync("packages/*/runtimes/*.mjs", { cwd: root }).toSorted();
    const rows = programs.map((program) => {
      const [, name] = program.split("/");
      const copy = `${name}-${basename(program)}`;
      copyFileSync(join(root, program), join(folder, copy));
      const cells = runtimes.map((one) => (passes(copy, one, folder, ready) ? "yes" : "no"));
      return [`\`${name}\``, ...cells, BROWSER[name]];
    });
    return `# Runtimes

Where each package runs. Every "yes" is a program that ran there from the packed package; the column of browsers names what the
browser tests and the size budgets bundle for one. Written by \`${COMMAND}\`; do not edit.

${table(["package", ...RUNTIMES.map(label), "browsers"], rows)}
`;
  });

await withTarballs(async (install, tarballs) => {
  for (const manifest of manifests)
    checkAlone(install, tarballs[manifest.name].replace("file:", ""), manifest);
  const runtimes = await checkRuntimes(checkTogether(install));
  problems.push(...put("docs/runtimes.md", runtimes, COMMAND, !isWrite));
});
if (isWrite) put(RESULTS, `${JSON.stringify(measured, undefined, 2)}\n`, COMMAND, false);
conclude(
  [...new Set(problems)],
  "each package runs alone, where it says, and needs what it declares",
);
