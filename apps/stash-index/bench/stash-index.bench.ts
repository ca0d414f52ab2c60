/**
 * Searches and price checks over a large index, in CPU time of their thread, and the pages that the
 * indexer applies in a second of CPU time.
 *
 * Usage: node stash-index.bench.ts [--json] [--items 1000000] [--file PATH]. The index is built from
 * stashes of the sandbox's stream, which are repeated with other ids. With `--file` it is kept, and
 * a later run uses it as it is.
 */
import { createSandboxHandler } from "@game-data/sandbox";
import { parseArgs } from "node:util";
import { splitMod } from "../src/index/facts.ts";
import type { Filters } from "../src/search/Filters.ts";
import { QUERIES } from "../src/search/queries.ts";
import { sql } from "../src/search/Reader.ts";
import { hourPage, openTestIndex, stashPage } from "../test/support/testIndex.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    items: { type: "string", default: "1000000" },
    file: { type: "string" },
  },
});
const ITEMS = Number(options.items);
/** Stashes of a page, and pages that are repeated. */
const PAGE = 300;
const PAGES = 60;
const ROUNDS = 50;

const index = await openTestIndex(options.file);
const { reader } = index;

const sandbox = await createSandboxHandler({
  seed: 5,
  rates: "off",
  now: "2026-01-01T00:00:00Z",
  world: {
    streamStashes: PAGE * PAGES,
    streamPageSize: PAGE,
    streamItems: 70,
    streamHistoryPages: PAGES,
  },
});
const issued = await sandbox.fetch(
  new Request(`${sandbox.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      clientId: "example-service",
      scopes: ["service:psapi", "service:cxapi"],
    }),
  }),
);
const { access_token: token } = (await issued.json()) as { readonly access_token: string };
const get = async (path: string): Promise<any> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await sandbox.fetch(new Request(`${sandbox.baseUrl}${path}`, { headers }))).json();
};

const report = (name: string, unit: string, ours: number, target: number) => {
  const rounded = Math.round(ours * 10) / 10;
  const ratio = Math.round((ours / target) * 100) / 100;
  const figure = { name, unit, ours: rounded, peers: { target }, ratio };
  console.log(
    options.json ? JSON.stringify(figure) : `${name}: ${rounded} ${unit} (target ${target})`,
  );
};

const count = (query: Parameters<typeof reader.get>[0]) =>
  reader.get<{ readonly n: number }>(query)!.n;

/** CPU seconds of an effect on this process. */
const cpuSeconds = async (run: () => Promise<unknown>) => {
  const start = process.cpuUsage();
  await run();
  const { system, user } = process.cpuUsage(start);
  return (system + user) / 1e6;
};

const listed = sql`SELECT coalesce(sum(listed), 0) AS n FROM league`;

/** The same stashes with ids of their own. They are kept as text, which costs the collector nothing. */
const repeated = (stashes: string, seq: number) =>
  (JSON.parse(stashes) as ReadonlyArray<any>).map((stash) => ({
    ...stash,
    id: `${seq}-${stash.id}`,
    items: stash.items?.map((item: any) => ({ ...item, id: `${seq}-${item.id}` })),
  }));

const build = async () => {
  for (let hour: number | undefined, at = 0; at < 48; at += 1) {
    const page = await get(`/currency-exchange${hour === undefined ? "" : `/${hour}`}`);
    if (page.next_change_id === hour) break;
    if (hour !== undefined) await index.apply([hourPage(hour, page.markets)]);
    hour = page.next_change_id;
  }
  const pages: Array<string> = [];
  for (let next = ""; pages.length < PAGES;) {
    const page = await get(`/public-stash-tabs${next}`);
    if (page.stashes.length === 0) break;
    pages.push(JSON.stringify(page.stashes));
    next = `?id=${page.next_change_id}`;
  }
  let [cpu, seq] = [0, 1];
  for (; count(listed) < ITEMS; seq += 1) {
    const page = stashPage(seq, repeated(pages[seq % pages.length]!, seq));
    cpu += await cpuSeconds(() => index.apply([page]));
    if (seq % 50 === 0) console.error(`${count(listed)} listings, ${Math.round(cpu)} s of CPU`);
  }
  report("pages of 300 changes, in a second of CPU", "pages/s", (seq - 1) / cpu, 8);
};

if (count(listed) === 0) await build();
const size = count(listed);
console.error(`${size} listings`);

/** The same choices in every run. */
let state = 42;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)]!;

const WORDS = [
  "ring",
  "band",
  "helm",
  "brass",
  "slate cu",
  "pew",
  "alder r",
  "copperleaf",
  "quiet",
];
const PIECES = ["Helm", "Cuirass", "Band", "Pendant", "Blade", "Longbow", "Girdle", "Treads"];
const MATERIALS = ["Alder", "Brasswork", "Copperleaf", "Slate", "Pewter", "Linen", "Marlstone"];
const leagues = reader.all<{ readonly name: string }>(
  sql`SELECT name FROM league WHERE name <> '' ORDER BY listed DESC LIMIT 6`,
);

/** The mods of most of the newest items, for which searches are the slowest, with their rolls. */
const rolls = Map.groupBy(
  reader
    .all<{ readonly doc: string }>(sql`SELECT doc FROM item_doc ORDER BY no DESC LIMIT 20000`)
    .flatMap(({ doc }) => (JSON.parse(doc) as ReadonlyArray<string>).slice(1).map(splitMod)),
  ([template]) => template,
);
const MODS = [...rolls]
  .toSorted(([, a], [, b]) => b.length - a.length)
  .slice(0, 8)
  .map(([template, mods]) => ({
    template,
    values: mods.map(([, value]) => value).toSorted((a, b) => a - b),
  }));
const mod = () => {
  const { template, values } = pick(MODS);
  return { template, min: values[Math.floor(random() * 0.9 * values.length)]!, max: undefined };
};
const base = () => `${pick(MATERIALS)} ${pick(PIECES)}`;

const SEARCHES: Readonly<Record<string, () => Filters>> = {
  words: () => ({ q: pick(WORDS) }),
  "base, rarity and level": () => ({
    ...{ base: base(), rarity: "rare", ilvlMin: Math.floor(random() * 80) },
  }),
  "one mod": () => ({ mod: [mod()] }),
  "two mods of rare items": () => ({ mod: [mod(), mod()], rarity: "rare" }),
  "three mods": () => ({ mod: [mod(), mod(), mod()] }),
  "price range and rarity": () => ({
    ...{ priceMin: random() * 10, priceMax: 10 + random() * 500, rarity: "unique" },
  }),
  "words, a mod and links": () => ({ q: pick(PIECES), mod: [mod()], linksMin: 1 }),
  "league alone": () => ({}),
};

/** CPU of this thread: the time that a query takes on a quiet machine. */
const timed = (run: () => unknown) => {
  const start = process.threadCpuUsage();
  run();
  const { system, user } = process.threadCpuUsage(start);
  return (system + user) / 1000;
};
const p95 = (times: ReadonlyArray<number>) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;

const target = size > 2_000_000 ? 250 : 100;
const all = Object.entries(SEARCHES).flatMap(([name, filters]) => {
  const times = Array.from({ length: ROUNDS }, () => {
    const search = { league: pick(leagues).name, ...filters() };
    return timed(() => QUERIES.search(reader, search));
  });
  report(`search by price, ${name}, p95`, "ms", p95(times), target);
  return times;
});
report("search by price, p95", "ms", p95(all), target);
const checks = Array.from({ length: 2 * ROUNDS }, (_, at) => {
  const mods = at % 2 === 0 ? {} : { mod: [mod()] };
  const filters: Filters = { league: pick(leagues).name, base: base(), rarity: "rare", ...mods };
  return timed(() => QUERIES.priceCheck(reader, filters));
});
report("price check, p95", "ms", p95(checks), target);
await index.close();
await sandbox.close();
