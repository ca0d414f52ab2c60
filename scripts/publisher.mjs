// Whether `publish.mjs`, which runs where npm trusts the job, loads Node alone and starts nothing but
// what it needs. Lines that are planted in it are tried first: they are what a change could bring by
// mistake. Who hides a command on purpose is found by review alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { programOf, walk } from "./syntax.mjs";

/** What the program that npm trusts loads, and the commands that it may start. */
const LOADS = {
  "node:child_process": ["execFileSync"],
  "node:crypto": ["createHash"],
  "node:fs": ["existsSync", "lstatSync", "readFileSync"],
  "node:path": ["join", "resolve"],
};
const STARTS = new Set(
  ["npm view", "npm publish", "git log", "git rev-parse", "tar -xzOf"].concat(
    ["create", "edit", "upload", "view"].map((action) => `gh release ${action}`),
  ),
);

/** What it may not load. */
const loadOf = ({ name, source, specifiers = [], type }) => {
  const may = LOADS[source?.value] ?? [];
  const names = specifiers.map(({ imported }) => imported?.name);
  if (type === "ImportExpression") return "what it finds";
  if (source && (names.length === 0 || !names.every((one) => may.includes(one))))
    return source.value;
  return /^(?:require|getBuiltinModule|createRequire|eval|Function|binding|dlopen)$/.test(name)
    ? name
    : undefined;
};

/** The functions that start a command that they are given, by the place of its name. */
const STARTERS = { ask: 0, step: 1, askFor: 1 };

/** What it may not start: only the starters start a command, and nothing else has their names. */
const startOf = (node, parent) => {
  const isNamed = parent.type === "ImportSpecifier" || parent.id === node;
  if ((Object.hasOwn(STARTERS, node.name ?? "") || node.name === "execFileSync") && !isNamed) {
    const isRaw = node.name === "execFileSync" && parent.arguments?.[0].name !== "command";
    if (parent.callee !== node || isRaw) return `by ${node.name} at random`;
  }
  const at = STARTERS[node.callee?.name];
  if (node.type !== "CallExpression" || at === undefined) return undefined;
  const words = node.arguments.slice(at, at + 3).map(({ name, value }) => value ?? name);
  // `askFor` hands its own arguments on to `ask`.
  const isOwn = words[0] === "command" && parent.type === "ReturnStatement";
  return isOwn || [2, 3].some((count) => STARTS.has(words.slice(0, count).join(" ")))
    ? undefined
    : words.join(" ");
};

/** What is wrong with that program: it must not load, start or build what was installed. */
const problemsOfPublisher = (text) => {
  const problems = [];
  walk(programOf("publish.mjs", text), (node, parent) => {
    const [loaded, started] = [loadOf(node), startOf(node, parent)];
    if (loaded !== undefined) problems.push(`loads ${loaded}`);
    if (started !== undefined) problems.push(`starts ${started}`);
  });
  if (!/"--ignore-scripts"/.test(text)) problems.push("runs the scripts of what it publishes");
  return problems.map((problem) => `scripts/publish.mjs ${problem}`);
};

const publisher = readFileSync(join(import.meta.dirname, "publish.mjs"), "utf8");
for (const planted of [
  'import { parse } from "yaml";',
  'import "./release.mjs";',
  'import { spawnSync } from "node:child_process";',
  'import * as programs from "node:child_process";',
  'await import("yaml");',
  'process.getBuiltinModule("module").createRequire("/")("yaml");',
  'step("install", "npm", "ci");',
  'step("install", "npm", "install", "--global", "pnpm");',
  'ask("pnpm", "install");',
  'ask("npx", "pnpm", "view");',
  'ask("n" + "pm", "ci");',
  'execFileSync("npm", ["ci"]);',
  "const run = execFileSync;",
  "const more = step;",
])
  if (problemsOfPublisher(`${publisher}\n${planted}`).length === 0)
    throw new Error(`a planted publisher is not refused: ${planted}`);
if (problemsOfPublisher(publisher.replace('"--ignore-scripts"', "")).length === 0)
  throw new Error("a publisher that runs scripts is not refused");

export const publisherProblems = problemsOfPublisher(publisher);
