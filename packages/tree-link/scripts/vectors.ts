/**
 * Writes `vectors/*.json`: `node packages/tree-link/scripts/vectors.ts`, or with `--check` fails if
 * a file is stale. The same files on every machine.
 *
 * The expectations are spelled out here, byte by byte, from the specification's tables. The codec
 * is not asked: `test/PublishedVectors.test.ts` holds it against them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { conversions } from "./vectors/conversions.ts";
import { refused } from "./vectors/refused.ts";
import { urls } from "./vectors/urls.ts";
import { valid } from "./vectors/valid.ts";

/** Version of the files' format; a change that breaks readers raises it. */
const FORMAT = 1;
const folder = join(import.meta.dirname, "../vectors");

const render = (kind: string, cases: ReadonlyArray<{ readonly id: string }>): string => {
  const ids = new Set(cases.map(({ id }) => id));
  if (ids.size !== cases.length) throw new Error(`${kind}: two cases have one id`);
  const lines = cases.map((one) => `    ${JSON.stringify(one)}`).join(",\n");
  const head = [
    `  "$schema": "./${kind}.schema.json"`,
    `  "format": ${FORMAT}`,
    `  "kind": "${kind}"`,
    `  "count": ${cases.length}`,
  ].join(",\n");
  return `{\n${head},\n  "cases": [\n${lines}\n  ]\n}\n`;
};

/** The text of each file, by its name. */
export const vectorFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ["valid.json", render("valid", valid())],
    ["refused.json", render("refused", refused())],
    ["urls.json", render("urls", urls())],
    ["conversions.json", render("conversions", conversions())],
  ]);

if (import.meta.main) {
  for (const [name, text] of vectorFiles()) {
    const path = join(folder, name);
    if (!process.argv.includes("--check")) writeFileSync(path, text);
    else if (readFileSync(path, "utf8") !== text) {
      console.error(`vectors/${name} is stale: run node packages/tree-link/scripts/vectors.ts`);
      process.exitCode = 1;
    }
  }
}
