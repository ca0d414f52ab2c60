/**
 * `pnpm bench decode [--json] [page.json]`: how long a full validation of a stash page takes, against `JSON.parse` of the same text
 * and against other validators on equal schemas, in one run.
 *
 * Every contender gets a freshly parsed page, as a client does; the order turns from round to round; the best time counts.
 * Without an argument the page is generated (5 MB). A captured page may lack members that the specification requires: they are
 * filled in, so that every contender accepts it.
 */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Schema } from "effect";
import { PublicStashPage } from "../src/index.ts";
import { generatePage } from "./page.ts";
import { peersOf, type Contender } from "./peers.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const ROUNDS = 24;
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

const measure = (name: string, text: string): void => {
  const contenders: Readonly<Record<string, Contender>> = {
    ours: Schema.decodeUnknownSync(PublicStashPage),
    ...peersOf(PublicStashPage),
  };
  const names = Object.keys(contenders);
  const best: Record<string, number> = { "JSON.parse": Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const contender = names[(round + turn) % names.length]!;
      collectGarbage();
      const start = performance.now();
      const page: unknown = JSON.parse(text);
      const parsed = performance.now();
      contenders[contender]!(page);
      const checked = performance.now();
      best["JSON.parse"] = Math.min(best["JSON.parse"]!, parsed - start);
      best[contender] = Math.min(best[contender] ?? Number.POSITIVE_INFINITY, checked - parsed);
    }
    console.error(`${name}: round ${round + 1} of ${ROUNDS}`);
  }
  print(name, best);
};

const print = (name: string, best: Readonly<Record<string, number>>): void => {
  const rounded = Object.fromEntries(
    Object.entries(best).map(([key, ms]) => [key, Number(ms.toFixed(3))]),
  );
  const { ours, ...peers } = rounded;
  const ratio = Number((best["ours"]! / best["JSON.parse"]!).toFixed(3));
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify({ name, unit: "ms", ours, peers, ratio }));
    return;
  }
  console.log(`${name}: ours is ${ratio} × JSON.parse`);
  console.table(rounded);
};

const file = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
measure("decode, generated page of 5 MB", generatePage(BYTES));
if (file !== undefined) measure("decode, captured page", completed(readFileSync(file, "utf8")));
