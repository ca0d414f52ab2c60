/**
 * `pnpm bench decode [--json] [--only refusal] [page.json]`: how long the validation of a stash page
 * takes, against `JSON.parse` of the same text and against other validators on equal schemas, in one
 * run; and how long a refusal takes (`refusal.ts`).
 *
 * Every contender gets a page that was parsed just before, as in a client: most of it has left the
 * processor's cache by then. `again` is the same page once more right after. Lazy readers touch a
 * tenth of the changes. The order turns from round to round; the best time of each counts, of the
 * clock: the processor time of a thread is counted in steps that are longer than a check.
 *
 * One peer of the validators is a walk that visits every member and checks nothing. It is the least
 * that a full validation takes, and on large pages most of it is waiting for memory.
 *
 * The pages are generated, as dense in members, lists and texts as captured ones: three of 5 MB in
 * three varieties of their objects' shapes, and one that stays in the cache. The other libraries
 * take so long that one page is enough for them. A captured page may be given as well: members that
 * it lacks and the specification requires are filled in, so that every contender accepts it.
 */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Schema } from "effect";
import { PublicStashPage as PublicStashPageSchema } from "../src/effect/index.ts";
import { PublicStashChange, PublicStashPage } from "../src/index.ts";
import { salvage } from "../src/salvage.ts";
import { generatePage, type Variety } from "./page.ts";
import { peersOf, type Contender } from "./peers.ts";
import { hostileBodies, timesOf } from "./refusal.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The number of rounds, of which the best counts. Small pages need more, because the clock is coarse. */
const rounds = (text: string): number => (text.length > 1_000_000 ? 15 : 100);
/** The number of rounds of validators that take many times as long. */
const SLOW_ROUNDS = 2;
const BYTES = 5_000_000;
const SMALL_BYTES = 500_000;
/** A lazy reader looks at every tenth change. */
const STEP = 10;

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

const accept = (isAccepted: boolean): void => {
  if (!isAccepted) throw new Error("a good page was refused");
};

/** Full validations: of the plain record, and of the Effect Schema over the same check. */
const ours: Readonly<Record<string, Contender>> = {
  ours: (page) => accept(PublicStashPage.is(page)),
  "ours, Effect Schema": Schema.decodeUnknownSync(PublicStashPageSchema),
};

/** Visits every member and checks nothing. */
const walk = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) walk(value[index]);
    return;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) walk(members[key]);
};

/** Readers of a tenth of the changes. */
const readers: Readonly<Record<string, Contender>> = {
  salvage: (page) => {
    const changes = salvage(page);
    let left = Math.ceil(changes.size / STEP);
    for (const { rejects } of changes) {
      accept(rejects.length === 0);
      if (--left === 0) break;
    }
  },
  lazy: (page) => {
    const { stashes } = page as { readonly stashes: ReadonlyArray<unknown> };
    for (let index = 0; index < stashes.length; index += STEP)
      accept(PublicStashChange.is(stashes[index]));
  },
};

type Times = Record<string, number>;

const WALK = "a walk that checks nothing";

const measure = (
  name: string,
  text: string,
  slow: Readonly<Record<string, Contender>> = {},
): void => {
  const fast = { ...ours, [WALK]: walk, ...readers };
  const [first, again]: [Times, Times] = [{}, {}];
  const keep = (times: Times, key: string, ms: number): void => {
    times[key] = Math.min(times[key] ?? Number.POSITIVE_INFINITY, ms);
  };
  const run = (contender: string, check: Contender): void => {
    const start = performance.now();
    const page: unknown = JSON.parse(text);
    const parsed = performance.now();
    check(page);
    const checked = performance.now();
    check(page);
    keep(again, contender, performance.now() - checked);
    keep(first, contender, checked - parsed);
    keep(first, "JSON.parse", parsed - start);
  };
  for (let turn = 0; turn < rounds(text); turn++) {
    collectGarbage();
    const all = Object.entries(turn < SLOW_ROUNDS ? { ...fast, ...slow } : fast);
    for (let index = 0; index < all.length; index++) run(...all[(turn + index) % all.length]!);
  }
  const parse = first["JSON.parse"]!;
  const peers = (times: Times) =>
    Object.fromEntries([WALK, ...Object.keys(slow)].map((key) => [key, times[key]!]));
  const schema = { "Effect Schema over our check": first["ours, Effect Schema"]! };
  print(`${name}, just parsed`, first["ours"]!, parse, { ...schema, ...peers(first) });
  print(`${name}, again`, again["ours"]!, parse, peers(again));
  // A tenth of a small page is one change or two, of any size.
  if (text.length <= SMALL_BYTES * 2) return;
  print(`${name}, salvage of the first tenth`, first["salvage"]!, parse);
  print(`${name}, every tenth change`, first["lazy"]!, parse);
};

const rounded = (ms: number): number => Number(ms.toFixed(3));

const print = (name: string, ms: number, parse: number, others: Times = {}): void => {
  const peers = Object.fromEntries(
    Object.entries({ "JSON.parse": parse, ...others }).map(([key, value]) => [key, rounded(value)]),
  );
  const figure = { name, unit: "ms", ours: rounded(ms), peers, ratio: rounded(ms / parse) };
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify(figure));
    return;
  }
  console.log(`${name}: ${figure.ours} ms, ${figure.ratio} × JSON.parse`);
  if (Object.keys(others).length > 0) console.table(peers);
};

const VARIETIES: ReadonlyArray<Variety> = ["few", "usual", "many"];

/** The number of different sets of members that objects of the page have. */
const shapesIn = (text: string): number => {
  const shapes = new Set<string>();
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      shapes.add(Object.keys(value).join(","));
    return value;
  });
  return shapes.size;
};

const generated = (bytes: number, variety: Variety): readonly [name: string, text: string] => {
  const text = generatePage(bytes, 1, variety);
  const size = bytes / 1_000_000;
  return [`decode, generated page of ${size} MB with ${shapesIn(text)} object shapes`, text];
};

const [, only] = /--only (\w+)/u.exec(process.argv.join(" ")) ?? [];
const peers = peersOf(PublicStashPage);

if (only === undefined) {
  for (const variety of VARIETIES)
    measure(...generated(BYTES, variety), variety === "usual" ? peers : {});
  measure(...generated(SMALL_BYTES, "usual"));
  const file = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
  if (file !== undefined)
    measure("decode, captured page", completed(readFileSync(file, "utf8")), peers);
}

const refusing = {
  ours: PublicStashPage.decode,
  "ours, Effect": ours["ours, Effect Schema"]!,
  ajv: peers["ajv"]!,
};
for (const { name, text } of hostileBodies(generatePage(BYTES, 1, "usual"))) {
  const { "JSON.parse": parse, ours: own, ...others } = timesOf(text, refusing);
  print(`refusal, ${name}`, own!, parse!, others);
}
