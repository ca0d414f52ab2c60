/**
 * Search and price checks over a large index, and how fast the indexer applies pages.
 *
 * Usage: node stash-index.bench.ts [--json] [--stashes 600000] [--seconds 200] [--file FILE]. The
 * stashes are those of the sandbox's generator, nine or ten items each: 4.7 million. With `--file` the index stays
 * and is extended by later calls, so that a large one can be built in several bounded runs; figures
 * are of what there is.
 */
import { createSandboxHandler } from "@game-data/sandbox";
import { Effect, Exit, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { applyPages, hourPage, streamPage } from "../test/support/changes.ts";
import { unpackMods } from "../src/indexer/facets.ts";
import { openIndexers } from "../src/indexer/runIndexers.ts";
import type { Filters } from "../src/web/Parameters.ts";
import { checkPrice } from "../src/web/priceCheck.ts";
import { Reader } from "../src/web/Reader.ts";
import { describe, openScope, search } from "../src/web/search.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    stashes: { type: "string", default: "600000" },
    seconds: { type: "string", default: "200" },
    file: { type: "string" },
    queries: { type: "string", default: "400" },
  },
});
const STASHES = Number(options.stashes);
const BULK = 1000;
const PRICE_WORDS = 100_000;
/** A page of the service: 300 changes. */
const PAGE = 300;
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
  "harbour",
];
const PIECES = ["Helm", "Cuirass", "Band", "Pendant", "Blade", "Longbow", "Girdle", "Treads"];
const MATERIALS = ["Alder", "Brasswork", "Copperleaf", "Slate", "Pewter", "Linen", "Marlstone"];

const folder = mkdtempSync(join(tmpdir(), "stash-index-bench-"));
const path = options.file ?? join(folder, "bench.items");
const scope = await Effect.runPromise(Scope.make());
const { items, markets } = await Effect.runPromise(Scope.provide(openIndexers(path), scope));
for (const { db } of [items, markets])
  db.exec("PRAGMA cache_size = -262144; PRAGMA journal_size_limit = 1000000000");

const sandbox = await createSandboxHandler({
  seed: 5,
  rates: "off",
  now: "2026-01-01T00:00:00Z",
  world: {
    streamStashes: STASHES,
    streamPageSize: BULK,
    streamItems: 70,
    streamHistoryPages: (STASHES * 2) / BULK,
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
const token = ((await issued.json()) as { readonly access_token: string }).access_token;
const read = async (route: string): Promise<any> => {
  const response = await sandbox.fetch(
    new Request(`${sandbox.baseUrl}${route}`, { headers: { authorization: `Bearer ${token}` } }),
  );
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return response.json();
};

const one = (sql: string) => Number(Object.values(items.db.prepare(sql).get() as object)[0]);
const say = (text: string) => console.error(text);

// Rates first: a day of hours.
if (one("SELECT count(*) FROM market_hour") === 0) {
  let id: string | undefined;
  for (let hour = 0; hour < 336; hour++) {
    const { markets: found, next_change_id: next } = await read(
      `/currency-exchange${id === undefined ? "" : `/${id}`}`,
    );
    if (id !== undefined) applyPages(markets, [hourPage(Number(id), found)]);
    if (String(next) === id) break;
    id = String(next);
  }
}

// One version of every stash, in bulk; the next ids are kept, so that a later call goes on.
items.db.exec("CREATE TABLE IF NOT EXISTS bench_progress (no INTEGER PRIMARY KEY, next TEXT)");
const progress = () =>
  items.db.prepare("SELECT no, next FROM bench_progress ORDER BY no DESC LIMIT 1").get() as
    | { no: number; next: string }
    | undefined;
const nextChanges = async () => {
  const { next, no } = progress() ?? { no: 0, next: undefined };
  const page = await read(`/public-stash-tabs${next === undefined ? "" : `?id=${next}`}`);
  return {
    no: no + 1,
    next: page.next_change_id as string,
    stashes: page.stashes as ReadonlyArray<unknown>,
  };
};
const keep = items.db.prepare("INSERT INTO bench_progress (no, next) VALUES (?, ?)");
const until = performance.now() + Number(options.seconds) * 1000;
const started = performance.now();
let built = 0;
while (one("SELECT count(*) FROM tab") < STASHES && performance.now() < until) {
  const { next, no, stashes } = await nextChanges();
  if (stashes.length === 0) break;
  applyPages(items, [streamPage(no, stashes)]);
  keep.run(no, next);
  built += stashes.length;
}
const [tabs, held] = [one("SELECT count(*) FROM tab"), one("SELECT count(*) FROM item")];
say(
  `${tabs} stashes, ${held} items (${built} changes in ${Math.round((performance.now() - started) / 1000)} s)`,
);

const report = (name: string, unit: string, ours: number, target: number) => {
  const figure = {
    name,
    unit,
    ours: Math.round(ours * 100) / 100,
    peers: { target },
    ratio: Math.round((ours / target) * 100) / 100,
  };
  console.log(
    options.json ? JSON.stringify(figure) : `${name}: ${figure.ours} ${unit} (target ${target})`,
  );
};

// Words that are no currency, as anybody may write them: one price each, on what people look for.
if (one("SELECT count(*) FROM currency") < PRICE_WORDS) {
  const { league } = items.db
    .prepare("SELECT name AS league FROM league ORDER BY listed DESC LIMIT 1")
    .get() as { league: string };
  const seq = (progress()?.no ?? 0) + 1;
  const tabOf = (tab: number) => ({
    id: tab.toString(16).padStart(8, "f").padEnd(64, "f"),
    public: true,
    accountName: `Words${tab}#0001`,
    stash: "words",
    stashType: "Premium",
    league,
    items: Array.from({ length: 100 }, (_, at) => ({
      id: (tab * 100 + at).toString(16).padStart(12, "e").padEnd(64, "e"),
      name: "",
      typeLine: "Brasswork Band",
      baseType: "Brasswork Band",
      frameType: 2,
      ilvl: 60,
      note: `~price 1 word-${tab * 100 + at}`,
    })),
  });
  const changes = Array.from({ length: PRICE_WORDS / 100 }, (_, tab) => tabOf(tab));
  applyPages(items, [streamPage(seq, changes)]);
  keep.run(seq, progress()!.next);
}
say(`${one("SELECT count(*) FROM currency")} price words`);

// Pages of 300 changes: several in a transaction as when it catches up, then one in each.
const applied: Array<number> = [];
const waited: Array<number> = [];
let busy = 0;
for (let at = 0; at < 8; at++) {
  const { next, no, stashes } = await nextChanges();
  const pages = [];
  for (let from = 0; from + PAGE <= stashes.length; from += PAGE)
    pages.push(streamPage(no, stashes.slice(from, from + PAGE)));
  const rest = stashes.slice(pages.length * PAGE);
  for (const batch of at % 2 === 0 ? [pages] : pages.map((page) => [page])) {
    const begun = process.cpuUsage();
    const from = performance.now();
    applyPages(items, batch);
    const millis = performance.now() - from;
    const { system, user } = process.cpuUsage(begun);
    if (batch.length === 1) {
      waited.push(millis);
    } else {
      applied.push(batch.length);
      busy += (user + system) / 1e6;
    }
  }
  applyPages(items, [streamPage(no, rest)]);
  keep.run(no, next);
}
const count = applied.reduce((sum, each) => sum + each, 0);
report("catching up, pages of 300 changes a CPU second", "pages/s", count / busy, 8);

// The pages arrive three a second, each is applied as long as it took: how many wait at most?
let free = 0;
let lag = 0;
for (const [at, millis] of waited.entries()) {
  const arrived = (at * 1000) / 3;
  free = Math.max(free, arrived) + millis;
  lag = Math.max(lag, Math.floor((free * 3) / 1000) - at);
}
report("lag behind a log of three pages a second", "pages", lag, 2);

items.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
const reader = new Reader(path);
const leagues = reader.all<{ name: string }>(
  "SELECT name FROM league WHERE name <> '' ORDER BY listed DESC LIMIT 6",
);

/** A seeded source of choices: the same queries in every run. */
let state = 42;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)]!;
/** The most common mods, with their rolls in order: searches for these are the hard ones. */
const rolls = new Map<number, Array<number>>();
for (const { mods } of reader.all<{ mods: string }>(
  "SELECT mods FROM item ORDER BY no DESC LIMIT 20000",
))
  for (const [no, value] of unpackMods(mods)) rolls.set(no, [...(rolls.get(no) ?? []), value]);
const MODS = [...rolls]
  .toSorted(([, a], [, b]) => b.length - a.length)
  .slice(0, 8)
  .map(([no, values]) => ({
    template: reader.get<{ template: string }>("SELECT template FROM mod WHERE no = ?", no)!
      .template,
    values: values.toSorted((a, b) => a - b),
  }));
say(
  `common mods: ${MODS.map(({ template, values }) => `${template} (${values.length / 200} %)`).join(", ")}`,
);
/** At least a roll between the least one and the best tenth. */
const mod = () => {
  const { template, values } = pick(MODS);
  return {
    template,
    min: values[Math.floor(random() * 0.9 * values.length)]!,
    max: undefined,
  };
};
const base = () => `${pick(MATERIALS)} ${pick(PIECES)}`;
const KINDS: ReadonlyArray<readonly [string, () => Partial<Filters>]> = [
  ["words", () => ({ q: pick(WORDS) })],
  [
    "base, rarity and level",
    () => ({ base: base(), rarity: "rare", ilvlMin: Math.floor(random() * 80) }),
  ],
  ["one mod", () => ({ mod: [mod()] })],
  ["two mods of rare items", () => ({ mod: [mod(), mod()], rarity: "rare" })],
  ["three mods", () => ({ mod: [mod(), mod(), mod()] })],
  [
    "price range and rarity",
    () => ({ priceMin: random() * 10, priceMax: 10 + random() * 500, rarity: "unique" }),
  ],
  [
    "words, a mod and links",
    () => ({ q: pick(PIECES), mod: [mod()], linksMin: 1 + Math.floor(random() * 3) }),
  ],
  ["league alone", () => ({})],
];
const p95 = (times: ReadonlyArray<number>) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
/** CPU of this thread: what a query takes on a machine that does nothing else. */
const timed = (run: () => void) => {
  const begun = process.threadCpuUsage();
  run();
  const { system, user } = process.threadCpuUsage(begun);
  return (system + user) / 1000;
};
const rounds = Number(options.queries) / KINDS.length;
const byKind = new Map(KINDS.map(([name]) => [name, [] as Array<number>]));
for (let round = 0; round < rounds; round++)
  for (const [name, make] of KINDS) {
    const filters: Filters = { league: pick(leagues).name, ...make() };
    byKind
      .get(name)!
      .push(
        timed(() =>
          describe(reader, search(openScope(reader, filters), { sort: "price", limit: 50 }).hits),
        ),
      );
  }
for (const [name, times] of byKind) report(`search by price, ${name}, p95`, "ms", p95(times), 50);
report("search by price, all kinds, p95", "ms", p95([...byKind.values()].flat()), 50);
const checks: Array<number> = [];
for (let at = 0; at < 100; at++) {
  const filters: Filters = {
    league: pick(leagues).name,
    base: base(),
    rarity: "rare",
    mod: at % 2 === 0 ? [] : [mod()],
  };
  checks.push(timed(() => checkPrice(openScope(reader, filters))));
}
report("price check, p95", "ms", p95(checks), 100);
say(`${one("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") / 1e6} MB`);
reader.close();
await Effect.runPromise(Scope.close(scope, Exit.void));
await sandbox.close();
rmSync(folder, { recursive: true, force: true });
