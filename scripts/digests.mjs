// What other packages see of a package, as one number: writes `<package>/.digest`, and a copy of
// turbo.json by which the tasks of others depend on it, and returns where the copy is.
//
// A digest covers the sources without comments and blanks, and the declarations in `dist` without
// them. So a changed comment makes no task of another package stale, and a changed literal or type
// all of them. Turbo hashes files before it runs anything: the digests are written between two runs
// of it, after `build`. `turbo run` by hand reads turbo.json as it is and needs no digest.
//
// Where a package has no declarations, its sources count as they are: types cannot be seen from
// sources without types.
import { transform } from "esbuild";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";

const PACKAGES = "{packages,apps,support}/*/package.json";

/** Text in quotes, or a run of comments and blanks. */
const QUOTED_OR_IDLE = /("(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?:\/\*[^]*?\*\/|\/\/[^\n]*|\s)+/g;

/** A declaration file without comments, blanks folded. */
const bareDeclaration = (text) =>
  text.replaceAll(QUOTED_OR_IDLE, (_, quoted) => quoted ?? " ").trim();

/** A source file without comments, blanks and types. */
const bareSource = async (path, text) => {
  const loader = extname(path).slice(1);
  const options = { loader, minifyWhitespace: true, legalComments: "none", logLevel: "silent" };
  return (await transform(text, options)).code;
};

/** The digest of one package, as hexadecimal digits. */
export const digestOf = async (folder) => {
  const list = (pattern) => globSync(pattern, { cwd: folder }).toSorted();
  const read = (path) => readFileSync(join(folder, path), "utf8");
  const declarations = list("dist/**/*.d.ts");
  const hash = createHash("sha256");
  for (const path of list("src/**/*.*")) {
    const isCode = declarations.length > 0 && /\.tsx?$/.test(path);
    hash.update(`${path}\0${isCode ? await bareSource(path, read(path)) : read(path)}\0`);
  }
  for (const path of declarations) hash.update(`${path}\0${bareDeclaration(read(path))}\0`);
  return hash.digest("hex");
};

/** `turbo.json` as it is once everything is built and digested. */
export const digestedConfig = (text) => {
  const config = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ""));
  const { transit, ...tasks } = config.tasks;
  const inputs = transit.inputs.map((input) => (input === "src/**" ? ".digest" : input));
  for (const task of Object.values(tasks))
    if (task.dependsOn?.includes("transit")) task.dependsOn = ["transit"];
  return { ...config, tasks: { transit: { ...transit, inputs }, ...tasks } };
};

/** Writes all of it. The path of the configuration is relative to the root. */
export const writeDigests = async (root) => {
  for (const manifest of globSync(PACKAGES, { cwd: root })) {
    const folder = join(root, manifest, "..");
    writeFileSync(join(folder, ".digest"), `${await digestOf(folder)}\n`);
  }
  const cache = join("node_modules", ".cache");
  const path = join(cache, "turbo.digested.json");
  mkdirSync(join(root, cache), { recursive: true });
  const config = digestedConfig(readFileSync(join(root, "turbo.json"), "utf8"));
  writeFileSync(join(root, path), JSON.stringify(config, undefined, 2));
  return path;
};

if (import.meta.main) console.log(await writeDigests(join(import.meta.dirname, "..")));
