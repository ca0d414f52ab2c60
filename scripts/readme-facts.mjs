// Writes a line of facts under the first paragraph of each package's README: the smallest useful
// program (from its size table), what it installs without optional peers (docs/installed.json, which
// check-installed.mjs measures), where it runs (docs/runtimes.md), how stable it is
// (docs/versions.md).
//
//   node scripts/readme-facts.mjs           writes the lines
//   node scripts/readme-facts.mjs --check   fails if a line is stale
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { conclude, put, read, readJson, root } from "./repository.mjs";

const MARK = "<!-- Facts: written by `node scripts/readme-facts.mjs`. -->";

/** The rows of all tables in a text, as lists of cells. */
const rowsOf = (text) =>
  [...text.matchAll(/^\|(.+)\|$/gm)].map(([, row]) => row.split("|").map((cell) => cell.trim()));

const [header, ...runtimes] = rowsOf(read("docs/runtimes.md"));
const stability = rowsOf(read("docs/versions.md"));
const installed = readJson("docs/installed.json");

const runsOn = (name) => {
  const row = runtimes.find(([cell]) => cell === `\`${name}\``);
  if (row === undefined) return undefined;
  const places = row.flatMap((cell, i) => (cell === "yes" ? [header[i]] : []));
  const nodes = places.flatMap((place) => /^Node (\d+)/.exec(place)?.[1] ?? []);
  const others = places
    .filter((place) => !place.startsWith("Node "))
    .map((place) => place.replace(/ [\d.]+$/, ""));
  return [`Node ${nodes.join(", ")}`, ...others].join(", ");
};

const stateOf = (name) =>
  stability.find(([cell]) => cell.includes(`\`${name}\``))?.[1]?.split(/[:;]/)[0];

/** The row with the smallest size; a README without a table has none. */
const sizeOf = (text) =>
  rowsOf(text)
    .flatMap(([shows, size]) => (/^[\d.]+ kB$/.test(size ?? "") ? [{ shows, size }] : []))
    .toSorted((a, b) => Number.parseFloat(a.size) - Number.parseFloat(b.size))[0];

const problems = [];
for (const file of globSync("packages/*/README.md", { cwd: root })) {
  const name = basename(dirname(file));
  // A program that is run once: nobody installs or imports it.
  if (name === "create") continue;
  const text = read(file);
  const places = runsOn(name);
  const state = stateOf(name);
  if (places === undefined) throw new Error(`docs/runtimes.md has no row of ${name}`);
  if (state === undefined) throw new Error(`docs/versions.md has no state of ${name}`);
  const size = sizeOf(text);
  const bytes = installed[name];
  const facts = [
    ...(size === undefined ? [] : [`Size: from ${size.size} gzipped (${size.shows})`]),
    ...(bytes === undefined ? [] : [`Installs: ${(bytes / 1e6).toFixed(1)} MB`]),
    `Runs on: [${places}](../../docs/runtimes.md)`,
    `Stability: [${state}](../../docs/versions.md#stability)`,
  ];
  const line = `${MARK}\n\n${facts.join(" · ")}\n`;
  const without = text.replace(new RegExp(`${MARK}\\n\\n.*\\n\\n?`), "");
  // Behind the title and the first paragraph.
  const at = without.indexOf("\n\n", without.indexOf("\n\n") + 2) + 2;
  const written = `${without.slice(0, at)}${line}\n${without.slice(at)}`;
  problems.push(...put(file, written, "node scripts/readme-facts.mjs"));
}
conclude(problems, "the facts of READMEs are up to date");
