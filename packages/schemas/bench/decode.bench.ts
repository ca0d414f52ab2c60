/**
 * `pnpm bench decode [--json] [page.json]`: how long a full validation of a stash page takes,
 * against `JSON.parse` of the same text and against other validators on equal schemas, in one run.
 *
 * Every contender gets a page that was parsed just before, as in a client (most of it has left the
 * processor's cache by then), and the same page once more right after. The order turns from round
 * to round; the best time of each counts. Without an argument the page is generated (5 MB, as dense
 * in members, lists and texts as captured pages are). A captured page may lack members that the
 * specification requires: they are filled in, so that every contender accepts it.
 */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Schema } from "effect";
import { PublicStashPage } from "../src/effect/index.ts";
import { generatePage } from "./page.ts";
import { peersOf, type Contender } from "./peers.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const ROUNDS = 20;
const BYTES = 5_000_000;

/** Captured pages of older services lack members that are required today. */
const completed = (text: string): string => {
  const page = JSON.parse(text) as { stashes: Array<{ items?: Array<Record<string, unknown>> }> };
  const complete = (item: Record<string, unknown>): void => {
    item["baseType"] ??= item["typeLine"] ?? "";
    item["name"] ??= "";
    item["ilvl"] ??= 0;
    for (const inner of (item["socketedItems"] ?? []) as Array<Record<string, unknown>>)
      complete(inner);
  };
  for (const { items } of page.stashes) for (const item of items ?? []) complete(item);
  return JSON.stringify(page);
};

type Times = Record<string, number>;

const measure = (name: string, text: string): void => {
  const contenders: Readonly<Record<string, Contender>> = {
    ours: Schema.decodeUnknownSync(PublicStashPage),
    ...peersOf(PublicStashPage),
  };
  const names = Object.keys(contenders);
  const [first, again]: [Times, Times] = [{}, {}];
  const keep = (times: Times, key: string, ms: number): void => {
    times[key] = Math.min(times[key] ?? Number.POSITIVE_INFINITY, ms);
  };
  for (let round = 0; round < ROUNDS; round++) {
    collectGarbage();
    for (let turn = 0; turn < names.length; turn++) {
      const contender = names[(round + turn) % names.length]!;
      const start = performance.now();
      const page: unknown = JSON.parse(text);
      const parsed = performance.now();
      contenders[contender]!(page);
      const checked = performance.now();
      contenders[contender]!(page);
      keep(again, contender, performance.now() - checked);
      keep(first, contender, checked - parsed);
      keep(first, "JSON.parse", parsed - start);
    }
    console.error(`${name}: round ${round + 1} of ${ROUNDS}`);
  }
  print(`${name}, just parsed`, first);
  print(`${name}, again`, { ...again, "JSON.parse": first["JSON.parse"]! });
};

const print = (name: string, best: Readonly<Times>): void => {
  const { ours, ...peers } = Object.fromEntries(
    Object.entries(best).map(([key, ms]) => [key, Number(ms.toFixed(3))]),
  );
  const ratio = Number((best["ours"]! / best["JSON.parse"]!).toFixed(3));
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify({ name, unit: "ms", ours, peers, ratio }));
    return;
  }
  console.log(`${name}: ours is ${ratio} × JSON.parse`);
  console.table({ ours, ...peers });
};

const file = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
measure("decode, generated page of 5 MB", generatePage(BYTES));
if (file !== undefined) measure("decode, captured page", completed(readFileSync(file, "utf8")));
