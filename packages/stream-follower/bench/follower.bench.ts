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
const node = async <A>(program: string, ...args: ReadonlyArray<string>): Promise<A> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    here(program),
    ...args,
  ]);
  return JSON.parse(stdout) as A;
};

/** The page server of a latency, from its first use to the end: its pages take longer to make than a run. */
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

const speed = async (latency: number): Promise<ReadonlyArray<Figure>> => {
  const serial = await follow(latency, "none");
  const afterBody = await follow(latency, "afterBody");
  const early = await follow(latency, "early");
  return [
    {
      name: `pages per second at ${latency} ms latency`,
      unit: "pages/s",
      ours: round(early.pagesPerSecond),
      peers: {
        serial: round(serial.pagesPerSecond),
        "after-body": round(afterBody.pagesPerSecond),
      },
      ratio: round(early.pagesPerSecond / serial.pagesPerSecond),
    },
  ];
};

/** The least of each side of pairs: these hosts are shared, and what disturbs only ever adds. */
const leastOf = async (
  count: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<readonly [ours: number, theirs: number]> => {
  let [mine, other] = [Infinity, Infinity];
  for (let pair = 0; pair < count; pair += 1) {
    mine = Math.min(mine, await ours());
    other = Math.min(other, await theirs());
  }
  return [mine, other];
};

const cost = async (): Promise<ReadonlyArray<Figure>> => {
  const [mine, floor] = await leastOf(
    3,
    async () => (await follow(0, "early")).cpuMillisPerPage,
    async () => (await node<Measured>("baseline.ts", String(pages))).cpuMillisPerPage,
  );
  return [
    {
      name: "CPU per 5 MB page, HTTP included",
      unit: "ms",
      ours: round(mine),
      peers: { "gunzip + JSON.parse + SQLite commit": round(floor) },
      ratio: round(mine / floor),
    },
  ];
};

const delay = async (): Promise<ReadonlyArray<Figure>> => {
  const [mine, without] = await leastOf(
    12,
    async () => (await follow(0, "early", { isIndexed: true })).delayMillis.p99,
    async () => (await follow(0, "early")).delayMillis.p99,
  );
  return [
    {
      name: "event loop delay p99 with the state indexer",
      unit: "ms",
      ours: round(mine),
      peers: { "without it": round(without) },
      ratio: round(mine / without),
    },
  ];
};

const memory = async (): Promise<ReadonlyArray<Figure>> => {
  const fast = await follow(0, "early");
  const slowMillis = Math.round(10_000 / fast.pagesPerSecond);
  const slow = await follow(0, "early", { slowMillis });
  return [
    {
      name: "peak RSS under a ten times slower sink",
      unit: "MiB",
      ours: round(slow.peakRssMebibytes),
      peers: { "fast sink": round(fast.peakRssMebibytes) },
      ratio: round(slow.peakRssMebibytes / fast.peakRssMebibytes),
    },
  ];
};

/** The store alone: scanner, ingest, indexer, status, growth. */
const store = (): Promise<ReadonlyArray<Figure>> =>
  node<ReadonlyArray<Figure>>(
    "store.ts",
    JSON.stringify({ stashes: Number(values.stashes), smallPages: Number(values.small) }),
  );

/**
 * The follower at no latency beside a serial program that requests, parses and inserts rows: three
 * pairs in turn, the best of each.
 */
const throughput = async (): Promise<ReadonlyArray<Figure>> => {
  const ours: Array<Measured> = [];
  const theirs: Array<Measured> = [];
  for (let round_ = 0; round_ < 3; round_ += 1) {
    ours.push(await follow(0, "early"));
    theirs.push(await node<Measured>("baseline.ts", String(pages), await urlOf(0)));
  }
  const best = (of: (measured: Measured) => number) => {
    const [mine, serial] = [ours, theirs].map((all_) => Math.max(...all_.map(of))) as [
      number,
      number,
    ];
    const peers = { "serial, parses and inserts rows": round(serial) };
    return { unit: "pages/s", ours: round(mine), peers, ratio: round(mine / serial) };
  };
  return [
    { name: "pages per second at 0 ms latency", ...best((one) => one.pagesPerSecond) },
    {
      name: "pages per second of CPU at 0 ms latency",
      ...best((one) => 1000 / one.cpuMillisPerPage),
    },
  ];
};

const all = {
  store,
  throughput,
  speed: async () => [...(await speed(250)), ...(await speed(100)), ...(await speed(0))],
  cost,
  delay,
  memory,
};
const measurements = Object.entries(all).flatMap(([name, measure]) =>
  values.only === undefined || values.only.split(",").includes(name) ? [measure] : [],
);
const show = (figure: Figure): void => {
  const peers = Object.entries(figure.peers)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  log(`${figure.name}: ${figure.ours} ${figure.unit} (${peers}); ratio ${figure.ratio}`);
  if (values.json) process.stdout.write(`${JSON.stringify(figure)}\n`);
};
for (const measure of measurements) {
  for (const figure of await measure()) show(figure);
}
process.exit(0);
