/**
 * `pnpm bench tree-link [--json]`: decode, encode and `view` of a link of 120 nodes, 4 extended
 * hashes and 5 masteries on Node, and decode of a link of 5 nodes in Chromium, each over 64
 * distinct links.
 *
 * The approaches take turns in rounds of a few milliseconds in one process, so that a busy host
 * slows all of them alike. The ratio is the median of the rounds' ratios to the reference: on Node
 * the platform's own conversion between text and bytes (`bare`), in Chromium a strict table lookup
 * of the same text. Chromium is found by `GAME_DATA_CHROMIUM` or on PATH; without it that figure is
 * left out, and said so on standard error.
 */
import { encode, encodeBytes } from "@game-data/tree-link";
import { approaches, makeLinks } from "./approaches.ts";
import { measureInChromium } from "./chromium.ts";
import { interleave, type Task } from "./interleave.ts";

const links = makeLinks(120, 4, 5);
const bytes = links.map((link) => Buffer.from(encodeBytes(link)));
// Copied, so that every text is flat, as one that came over the wire is.
const payloads = links.map((link) => Buffer.from(encode(link), "latin1").toString("latin1"));

const tasksOf = (kind: "decode" | "encode" | "view"): Record<string, Task> =>
  Object.fromEntries(
    Object.entries(approaches).flatMap(([name, approach]) => {
      const run = approach[kind];
      return run === undefined
        ? []
        : [[name, (i: number) => run(payloads[i]!, links[i]!, bytes[i]!)] as const];
    }),
  );

const figures = [
  { name: "tree-link decode", ...interleave(tasksOf("decode"), "bare", links.length) },
  { name: "tree-link encode", ...interleave(tasksOf("encode"), "bare", links.length) },
  { name: "tree-link view", ...interleave(tasksOf("view"), "bare", links.length) },
];
const inChromium = await measureInChromium(makeLinks(5, 0, 0).map((link) => encode(link)));
if (inChromium === undefined) console.error("no Chromium: its figure is left out");
else figures.push({ name: "tree-link decode of 5 nodes in Chromium", ...inChromium });

for (const { name, ours, peers, ratio } of figures) {
  if (process.argv.includes("--json"))
    console.log(JSON.stringify({ name, unit: "ns", ours, peers, ratio }));
  else console.table({ [name]: { ours, ...peers, ratio } });
}
