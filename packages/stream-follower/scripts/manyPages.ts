/**
 * Compares the reader of pages with JSON.parse and the WebAssembly scanner with the walk, over very many
 * random pages and the pages of a folder of captures:
 * `node scripts/manyPages.ts [--pages 1000000] [--seed N] [--captures DIR]`.
 */
import * as fc from "fast-check";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  compareWithParse,
  compareWithWalk,
  damaged,
  written,
} from "../test/support/RandomPages.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    captures: { type: "string" },
  },
});
const pages = Number(values.pages);
const seed = Number(values.seed);
const counts: Record<string, number> = {};
const count = (name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const whole = (raw: Uint8Array) => {
  for (const level of ["envelope", "items"] as const) {
    count(`JSON.parse, ${level}: ${compareWithParse(raw, level)}`);
  }
  count(`walk: ${compareWithWalk(raw)}`);
};
fc.assert(fc.property(written, whole), { numRuns: pages, seed });
fc.assert(
  fc.property(damaged, (raw) => {
    count(`damaged, JSON.parse: ${compareWithParse(raw)}`);
    count(`damaged, walk: ${compareWithWalk(raw)}`);
  }),
  { numRuns: pages, seed },
);
if (values.captures !== undefined) {
  for (const file of globSync("**/*.json", { cwd: values.captures })) {
    const raw = readFileSync(join(values.captures, file));
    if (!raw.subarray(0, 4096).includes('"next_change_id"')) continue;
    count(`captures, JSON.parse: ${compareWithParse(raw)}`);
    count(`captures, walk: ${compareWithWalk(raw)}`);
  }
}
process.stdout.write(`${JSON.stringify({ seed, pages, ...counts })}\n`);
