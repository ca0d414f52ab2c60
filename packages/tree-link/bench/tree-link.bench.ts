/**
 * `pnpm bench tree-link [--json]`: nanoseconds to decode and to encode a link of 120 nodes, 4
 * extended hashes and 5 masteries, for each approach in a process of its own (one process would
 * make the readers of another's arrays slow), over 64 distinct links.
 */
import { execFileSync } from "node:child_process";
import { encode, encodeBytes, type TreeLinkV6 } from "@game-data/tree-link";
import { approaches } from "./approaches.ts";

const LINKS = 64;
const ROUNDS = 40;
const ROUND_MS = 25;

/** A small generator (mulberry32), so that all processes measure the same links. */
const random = (seed: number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xffff;
  };
};

const makeLinks = (): Array<TreeLinkV6> => {
  const next = random(1);
  const list = (length: number) => Array.from({ length }, next);
  return Array.from({ length: LINKS }, () => ({
    version: 6,
    class: next() % 7,
    ascendancy: next() % 4,
    alternateAscendancy: next() % 4,
    hashes: list(120),
    extendedHashes: list(4),
    masteries: list(5).map((node) => ({ node, effect: next() })),
  }));
};

/** The best round's nanoseconds per call: the least disturbed one. */
const measure = (run: (index: number) => unknown): number => {
  let best = Number.POSITIVE_INFINITY;
  let kept: unknown;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let calls = 0;
    do {
      for (let i = 0; i < LINKS; i++) kept = run(i);
      calls += LINKS;
    } while (performance.now() - start < ROUND_MS);
    best = Math.min(best, ((performance.now() - start) * 1e6) / calls);
  }
  if (kept === undefined) throw new Error("the approach gave nothing");
  return best;
};

const measureApproach = (name: string) => {
  const approach = approaches[name]!;
  const links = makeLinks();
  const bytes = links.map((link) => Buffer.from(encodeBytes(link)));
  // Copied, so that every text is flat as one that came over the wire.
  const payloads = links.map((link) => Buffer.from(encode(link), "latin1").toString("latin1"));
  return {
    decode: measure((i) => approach.decode(payloads[i]!)),
    encode: measure((i) => approach.encode(links[i]!, bytes[i]!)),
  };
};

const child = process.argv.indexOf("--approach");
if (child > 0) {
  console.log(JSON.stringify(measureApproach(process.argv[child + 1]!)));
} else {
  const results = Object.fromEntries(
    Object.keys(approaches).map((name) => {
      const output = execFileSync(process.execPath, [import.meta.filename, "--approach", name], {
        encoding: "utf8",
      });
      return [name, JSON.parse(output) as ReturnType<typeof measureApproach>];
    }),
  );
  const round = (value: number) => Math.round(value * 100) / 100;
  for (const task of ["decode", "encode"] as const) {
    const ours = results["ours"]![task];
    const peers = Object.fromEntries(
      Object.entries(results)
        .filter(([name]) => name !== "ours")
        .map(([name, result]) => [name, Math.round(result[task])]),
    );
    const figure = {
      name: `tree-link ${task}`,
      unit: "ns",
      ours: Math.round(ours),
      peers,
      ratio: round(ours / results["bare"]![task]),
      speedups: Object.fromEntries(
        Object.entries(peers).map(([name, value]) => [name, round(value / ours)]),
      ),
    };
    if (process.argv.includes("--json")) console.log(JSON.stringify(figure));
    else
      console.table({ [figure.name]: { ours: figure.ours, ...peers, "ours/bare": figure.ratio } });
  }
}
