/**
 * Benchmarks of the follower: its speed, the CPU cost of a page, and its memory under a slow sink.
 *
 * Every figure is measured side by side in one run: pages per second of early look-ahead beside
 * after-body and serial reading, CPU per page beside a hand-written gunzip + JSON.parse + SQLite
 * commit of the same page; the delay of the event loop with the state indexer beside none. Usage: pnpm bench follower [--json]
 * [--pages N] [--stashes N] [--small N] [--only store,speed,…]
 */
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    pages: { type: "string", default: "25" },
    /** Stashes that the state indexer holds at the end. */
    stashes: { type: "string", default: "10000" },
    /** Small pages, for the growth of the log. */
    small: { type: "string", default: "5000" },
    /** Measurements to run, by name. */
    only: { type: "string" },
  },
});
const pages = Number(values.pages);

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly ratio: number;
}

interface Measured {
  readonly pagesPerSecond: number;
  readonly cpuMillisPerPage: number;
  readonly peakRssMebibytes: number;
  readonly delayMillis: { readonly p99: number; readonly max: number };
}

const here = (name: string) => join(import.meta.dirname, name);
const log = (line: string) => process.stderr.write(`${line}\n`);
const round = (value: number) => Math.round(value * 100) / 100;
const median = (values_: ReadonlyArray<number>) =>
  values_.toSorted((a, b) => a - b)[Math.floor(values_.length / 2)] ?? 0;
const node = async <A>(program: string, ...args: ReadonlyArray<string>): Promise<A> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    here(program),
    ...args,
  ]);
  return JSON.parse(stdout) as A;
};

/** A page server, until the end: its pages take longer to make than a run. */
const serve = (latency: number): Promise<string> => {
  const args = [here("pageServer.ts"), String(pages + 5), String(latency)];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => server.kill());
  return new Promise((resolve) =>
    server.stdout.once("data", (line: Buffer) => resolve(line.toString().trim())),
  );
};
const servers = new Map<number, Promise<string>>();
const urlOf = (latency: number): Promise<string> => {
  const url = servers.get(latency) ?? serve(latency);
  servers.set(latency, url);
  return url;
};

const follow = async (
  latency: number,
  prefetch: string,
  more: { readonly slowMillis?: number; readonly isIndexed?: boolean } = {},
): Promise<Measured> =>
  node("run.ts", JSON.stringify({ url: await urlOf(latency), prefetch, ...more }));

const figure = (
  name: string,
  unit: string,
  ours: number,
  peers: Readonly<Record<string, number>>,
): Figure => ({
  name,
  unit,
  ours: round(ours),
  peers: Object.fromEntries(Object.entries(peers).map(([peer, value]) => [peer, round(value)])),
  ratio: round(ours / Object.values(peers)[0]!),
});

const speed = async (latency: number): Promise<Figure> => {
  const serial = await follow(latency, "none");
  const afterBody = await follow(latency, "afterBody");
  const early = await follow(latency, "early");
  return figure(`pages per second at ${latency} ms latency`, "pages/s", early.pagesPerSecond, {
    serial: serial.pagesPerSecond,
    "after-body": afterBody.pagesPerSecond,
  });
};

/** Both sides of so many pairs, in turn: these hosts are shared. */
const pairs = async (
  count: number,
  ours: () => Promise<Measured>,
  theirs: () => Promise<Measured>,
): Promise<readonly [ours: ReadonlyArray<Measured>, theirs: ReadonlyArray<Measured>]> => {
  const all_: [Array<Measured>, Array<Measured>] = [[], []];
  for (let pair = 0; pair < count; pair += 1) {
    all_[0].push(await ours());
    all_[1].push(await theirs());
  }
  return all_;
};

/** Of CPU the least: what disturbs only ever adds. */
const cost = async (): Promise<ReadonlyArray<Figure>> => {
  const [mine, floor] = (
    await pairs(
      3,
      () => follow(0, "early"),
      () => node("baseline.ts", String(pages)),
    )
  ).map((all_) => Math.min(...all_.map((one) => one.cpuMillisPerPage))) as [number, number];
  const peers = { "gunzip + JSON.parse + SQLite commit": floor };
  return [figure("CPU per 5 MB page, HTTP included", "ms", mine, peers)];
};

/** Of delays the median: one run in which nothing else wants the processor is no measure. */
const delay = async (): Promise<ReadonlyArray<Figure>> => {
  const [mine, without] = (
    await pairs(
      12,
      () => follow(0, "early", { isIndexed: true }),
      () => follow(0, "early"),
    )
  ).map((all_) => median(all_.map((one) => one.delayMillis.p99))) as [number, number];
  const peers = { "without it": without };
  return [figure("event loop delay p99 with the state indexer", "ms", mine, peers)];
};

const memory = async (): Promise<ReadonlyArray<Figure>> => {
  const fast = await follow(0, "early");
  const slowMillis = Math.round(10_000 / fast.pagesPerSecond);
  const slow = await follow(0, "early", { slowMillis });
  const peers = { "fast sink": fast.peakRssMebibytes };
  return [figure("peak RSS under a ten times slower sink", "MiB", slow.peakRssMebibytes, peers)];
};

/** The store alone: scanner, ingest, indexer, status, growth. */
const store = (): Promise<ReadonlyArray<Figure>> =>
  node<ReadonlyArray<Figure>>(
    "store.ts",
    JSON.stringify({ stashes: Number(values.stashes), smallPages: Number(values.small) }),
  );

/** The follower at no latency beside a serial program that requests, parses and inserts rows. */
const throughput = async (): Promise<ReadonlyArray<Figure>> => {
  const [ours, theirs] = await pairs(
    3,
    () => follow(0, "early"),
    async () => node("baseline.ts", String(pages), await urlOf(0)),
  );
  const best = (name: string, of: (measured: Measured) => number) =>
    figure(name, "pages/s", Math.max(...ours.map(of)), {
      "serial, parses and inserts rows": Math.max(...theirs.map(of)),
    });
  return [
    best("pages per second at 0 ms latency", (one) => one.pagesPerSecond),
    best("pages per second of CPU at 0 ms latency", (one) => 1000 / one.cpuMillisPerPage),
  ];
};

const all = {
  store,
  throughput,
  speed: async () => [await speed(250), await speed(100), await speed(0)],
  cost,
  delay,
  memory,
};
const measurements = Object.entries(all).flatMap(([name, measure]) =>
  values.only === undefined || values.only.split(",").includes(name) ? [measure] : [],
);
const show = (found: Figure): void => {
  const peers = Object.entries(found.peers)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  log(`${found.name}: ${found.ours} ${found.unit} (${peers}); ratio ${found.ratio}`);
  if (values.json) process.stdout.write(`${JSON.stringify(found)}\n`);
};
for (const measure of measurements) for (const found of await measure()) show(found);
process.exit(0);
