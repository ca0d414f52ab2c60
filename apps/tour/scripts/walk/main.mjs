// The files that a reader opens to follow a request: node apps/tour/scripts/walk/main.mjs [NAME]
// [--check | --write] (`pnpm walk`). Runs each walk of walks.mjs, and prints the files of src/ with
// functions that ran, and how many ran in each. --check compares them with the lists of
// docs/architecture.md, both ways, and --write writes those. No tool reports what a stretch of a
// program ran: coverage tools report a whole process, and what did not run.
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startCounting, takeCounts } from "./coverage.mjs";
import { WALKS } from "./walks.mjs";

const PAGE = new URL("../../../../docs/architecture.md", import.meta.url);
const WIDTH = 120;

/** The functions of each file that ran in both of two runs, after one that only warmed up. */
const countsOf = async ({ walk, without = [], of }) => {
  await using stack = new AsyncDisposableStack();
  const prepare = await walk(stack);
  const runs = [];
  for (let round = 0; round < 3; round += 1) {
    const run = await prepare();
    // What the preparation left to do is not of the walk.
    await sleep(50);
    await takeCounts();
    await run();
    runs.push(await takeCounts());
  }
  const [, second, third] = runs;
  const isOf = (file) =>
    of.some((start) => file.startsWith(start)) || !without.some((start) => file.startsWith(start));
  return new Map([...second].filter(([file]) => third.has(file) && isOf(file)).toSorted());
};

const wrapped = (text) => {
  const lines = [""];
  for (const word of text.split(" ")) {
    const next = `${lines.at(-1)} ${word}`.trim();
    if (next.length <= WIDTH) lines[lines.length - 1] = next;
    else lines.push(word);
  }
  return lines.join("\n  ");
};

/** The list of a walk, as the page has it. */
const listOf = ({ of }, files) => {
  const isListed = (file) => of.some((start) => file.startsWith(start));
  const parts = of.map((start) => {
    const folder = start.endsWith("/src/") || start.includes("/src/") ? start : `${start}src/`;
    const names = files
      .filter((file) => file.startsWith(folder))
      .map((file) => `\`${file.slice(folder.length)}\``);
    return wrapped(`- \`${folder}\` (${names.length}): ${names.join(", ")}`);
  });
  const others = new Set(files.filter((file) => !isListed(file)).map((file) => file.split("/")[0]));
  const also = Array.from(others, (name) => `\`${name}\``).join(", ");
  return [...parts, ...(also === "" ? [] : [`- Also runs: ${also}`])].join("\n");
};

/** Where the page has the list of a walk. */
const blockOf = (name) => new RegExp(`(<!-- walk: ${name} -->\n\n)([\\s\\S]*?)(\n\n<!-- end -->)`);
const namesIn = (list) => list.match(/`[^`]+`/g) ?? [];

/** What is wrong with the list that a page has of a walk. */
const differences = (page, name, list) => {
  const [, , written = ""] = blockOf(name).exec(page) ?? [];
  const [ran, named] = [list, written].map((text) => new Set(namesIn(text)));
  const isSame = ran.symmetricDifference(named).size > 0 || list === written;
  return [
    ...(isSame ? [] : [`${name}: has the right names in another list`]),
    ...[...named.difference(ran)].map((file) => `${name}: names ${file}, which did not run`),
    ...[...ran.difference(named)].map((file) => `${name}: lacks ${file}, which ran`),
  ];
};

const options = { check: { type: "boolean" }, write: { type: "boolean" } };
const { positionals, values } = parseArgs({ allowPositionals: true, options });
const unknown = positionals.find((name) => WALKS[name] === undefined);
if (unknown !== undefined) {
  console.error(`${unknown}: no such walk; there are ${Object.keys(WALKS).join(", ")}`);
  process.exit(64);
}
let page = readFileSync(PAGE, "utf8");
const problems = [];
await startCounting();
for (const name of positionals.length > 0 ? positionals : Object.keys(WALKS)) {
  const counts = await countsOf(WALKS[name]);
  const list = listOf(WALKS[name], [...counts.keys()]);
  if (values.check) problems.push(...differences(page, name, list));
  else if (values.write) page = page.replace(blockOf(name), `$1${list}$3`);
  else for (const [file, count] of counts) console.log(`${name}\t${count}\t${file}`);
  console.log(`${name}: ${counts.size} files`);
}
if (values.write) writeFileSync(PAGE, page);
for (const [, name] of page.matchAll(/^<!-- walk: (.+) -->$/gm))
  if (WALKS[name] === undefined) problems.push(`${name}: no such walk`);
for (const problem of problems) console.error(`docs/architecture.md, walk ${problem}`);
if (problems.length > 0) console.error("Run `pnpm walk --write`, and read what it changed.");
process.exit(problems.length > 0 ? 1 : 0);
