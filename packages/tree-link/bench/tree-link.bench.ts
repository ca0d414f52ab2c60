/**
 * `pnpm bench tree-link [--json]`: decode and encode of a link of 120 nodes, 4 extended
 * hashes and 5 masteries, and of a short link of 5 nodes; decode of a bulky version 4 link; refusals
 * of each kind beside a decode of the same length; and decode of the short link in Chromium. Each
 * over 64 distinct links. Last, the CPU time of `findLinks` over hostile texts of a megabyte.
 *
 * The approaches take turns in rounds of a few milliseconds in one process, so that a busy host
 * slows all of them alike. The ratio is the median of the rounds' ratios to the reference: on Node
 * the platform's own conversion between text and bytes (`bare`), of a refusal a decode, in Chromium
 * a strict table lookup of the same text. Chromium is found by `GAME_DATA_CHROMIUM` or on PATH;
 * without it that figure is left out, and said so on standard error.
 */
import { encode, encodeBytes } from "@game-data/tree-link";
import { approaches, makeLinks } from "./approaches.ts";
import { findLinks } from "@game-data/tree-link/url";
import { measureInChromium } from "./chromium.ts";
import { type Figure, interleave, type Task } from "./interleave.ts";
import { HOSTILE_PARTS, megabyteOf } from "./hostileTexts.ts";
import { refusalsOf } from "./refusals.ts";

/** A copy, so that every text is flat, as one that came over the wire is. */
const flat = (text: string) => Buffer.from(text, "latin1").toString("latin1");

const figures: Array<{ readonly name: string; readonly unit?: string } & Figure> = [];
for (const [of, nodes, extended, masteries] of [
  ["", 120, 4, 5],
  [" of 5 nodes", 5, 0, 0],
] as const) {
  const links = makeLinks(nodes, extended, masteries);
  const bytes = links.map((link) => Buffer.from(encodeBytes(link)));
  const payloads = links.map((link) => flat(encode(link)));
  for (const kind of ["decode", "encode"] as const) {
    const tasks: Record<string, Task> = {};
    for (const [name, { [kind]: run }] of Object.entries(approaches))
      if (run !== undefined) tasks[name] = (i) => run(payloads[i]!, links[i]!, bytes[i]!);
    figures.push({ name: `tree-link ${kind}${of}`, ...interleave(tasks, "bare", links.length) });
  }
}

const { bare, ours } = approaches;
for (const kind of ["decode", "encode"] as const) {
  const links = makeLinks(4_000, 0, 0).map(({ hashes }) => {
    return { version: 4, class: 3, ascendancy: 0, fullscreen: 0, hashes } as const;
  });
  const bytes = links.map((link) => Buffer.from(encodeBytes(link)));
  const payloads = links.map((link) => flat(encode(link)));
  const tasks: Record<string, Task> = {
    ours: (i) => (kind === "decode" ? ours.decode(payloads[i]!) : encode(links[i]!)),
    bare: (i) => (kind === "decode" ? bare.decode(payloads[i]!) : bytes[i]!.toString("base64url")),
  };
  const name = `tree-link ${kind} of 4,000 nodes, version 4`;
  figures.push({ name, ...interleave(tasks, "bare", links.length, 2) });
}

for (const [of, nodes, extended, masteries] of [
  ["", 120, 4, 5],
  [" of 5 nodes", 5, 0, 0],
  [" without nodes", 0, 0, 0],
] as const) {
  const tasks = refusalsOf(makeLinks(nodes, extended, masteries).map((link) => flat(encode(link))));
  figures.push({ name: `tree-link refusal${of}`, ...interleave(tasks, "decode", 64, 5) });
}

const inChromium = await measureInChromium(makeLinks(5, 0, 0).map((link) => encode(link)));
if (inChromium === undefined) console.error("no Chromium: its figure is left out");
else figures.push({ name: "tree-link decode of 5 nodes in Chromium", ...inChromium });

/** CPU time of a run: the least of five, because all else is other work. */
const cpuOf = (run: () => unknown): number => {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    run();
    const { system, user } = process.cpuUsage(before);
    return (system + user) / 1000;
  });
  return Math.round(Math.min(...times));
};
const texts = HOSTILE_PARTS.map((part) => {
  const text = megabyteOf(part);
  return [part, cpuOf(() => findLinks(text))] as const;
}).toSorted(([, a], [, b]) => b - a);
const worst = texts[0]![1];
figures.push({
  name: `tree-link findLinks, 1 MB, the worst of ${texts.length} hostile texts`,
  unit: "ms CPU",
  ours: worst,
  peers: { bound: 150 },
  ratio: Math.round((100 * worst) / 150) / 100,
});

for (const { name, ours: own, peers, ratio, unit = "ns" } of figures) {
  if (process.argv.includes("--json"))
    console.log(JSON.stringify({ name, unit, ours: own, peers, ratio }));
  else console.table({ [name]: { ours: own, ...peers, ratio } });
}
