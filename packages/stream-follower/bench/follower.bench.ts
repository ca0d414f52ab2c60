/**
 * Benchmarks of the follower: CPU and memory per page, speed, and the delay of the event loop.
 *
 * Each figure is measured beside a program written by hand (gunzip, `JSON.parse` and a SQLite commit of
 * each row, one page after the other) or beside another setting, in turn, because machines are shared.
 * Usage: pnpm bench follower [--json] [--pages N] [--only cost,speed,delay,memory]
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    pages: { type: "string", default: "40" },
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

/** What `run.ts` and `baseline.ts` print. */
interface Measured {
  readonly pagesPerSecond: number;
  readonly cpuMillisPerPage: number;
  readonly mainCpuMillisPerPage: number;
  readonly peakRssMebibytes: number;
  readonly delayMillis: { readonly p99: number; readonly max: number };
}

const round = (value: number) => Math.round(value * 100) / 100;

/** Runs a program of this folder. */
const node = async (program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const path = join(import.meta.dirname, program);
  return (await promisify(execFile)(process.execPath, [path, ...args])).stdout;
};
const measure = async (program: string, ...args: ReadonlyArray<string>) =>
  JSON.parse(await node(program, ...args)) as Measured;
const follow = (order: object) => measure("run.ts", JSON.stringify({ pages, ...order }));

/** Starts a page server that ends with this process. Returns its address. */
const serve = (latency: number): Promise<string> => {
  const args = [join(import.meta.dirname, "pageServer.ts"), String(pages), String(latency)];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => server.kill());
  return new Promise((resolve) =>
    server.stdout.once("data", (line: Buffer) => resolve(line.toString().trim())),
  );
};

/** Measures both sides three times, in turn. */
const inTurn = async (ours: () => Promise<Measured>, theirs: () => Promise<Measured>) => {
  const all: { ours: Array<Measured>; theirs: Array<Measured> } = { ours: [], theirs: [] };
  for (let turn = 0; turn < 3; turn += 1) {
    all.ours.push(await ours());
    all.theirs.push(await theirs());
  }
  return all;
};

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

const folder = mkdtempSync(join(tmpdir(), "bench-"));

/** The least CPU counts: other programs only add to it. */
const cost = async (): Promise<ReadonlyArray<Figure>> => {
  await node("makePages.ts", folder, String(pages));
  const { ours, theirs } = await inTurn(
    () => follow({ folder }),
    () => measure("baseline.ts", String(pages)),
  );
  const least = (all: ReadonlyArray<Measured>, name: "cpuMillisPerPage" | "mainCpuMillisPerPage") =>
    Math.min(...all.map((one) => one[name]));
  const peers = { "gunzip + JSON.parse + SQLite": least(theirs, "cpuMillisPerPage") };
  return [
    figure("CPU of a 5 MB page, all threads", "ms", least(ours, "cpuMillisPerPage"), peers),
    figure("CPU of a 5 MB page, main thread", "ms", least(ours, "mainCpuMillisPerPage"), peers),
  ];
};

const speed = async (): Promise<ReadonlyArray<Figure>> => {
  const figures: Array<Figure> = [];
  for (const latency of [0, 100]) {
    const url = await serve(latency);
    const { ours, theirs } = await inTurn(
      () => follow({ url }),
      () => measure("baseline.ts", String(pages - 5), url),
    );
    const most = (all: ReadonlyArray<Measured>) =>
      Math.max(...all.map(({ pagesPerSecond }) => pagesPerSecond));
    const peers = { serial: most(theirs) };
    figures.push(figure(`pages at ${latency} ms of latency`, "pages/s", most(ours), peers));
  }
  return figures;
};

/** The indexer in the follower's process, beside the follower alone. */
const delay = async (): Promise<ReadonlyArray<Figure>> => {
  await node("makePages.ts", folder, String(pages));
  const { ours, theirs } = await inTurn(
    () => follow({ folder, isIndexed: true }),
    () => follow({ folder }),
  );
  const least = (all: ReadonlyArray<Measured>, name: "p99" | "max") =>
    Math.min(...all.map(({ delayMillis }) => delayMillis[name]));
  return (["p99", "max"] as const).map((name) =>
    figure(`event loop delay with the state indexer, ${name}`, "ms", least(ours, name), {
      "without it": least(theirs, name),
    }),
  );
};

const memory = async (): Promise<ReadonlyArray<Figure>> => {
  const url = await serve(0);
  const fast = await follow({ url });
  const slow = await follow({ url, slowMillis: 500 });
  const peers = { "fast store": fast.peakRssMebibytes };
  return [figure("peak RSS with a slow store", "MiB", slow.peakRssMebibytes, peers)];
};

const show = (found: Figure): void => {
  const peers = Object.entries(found.peers)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  process.stderr.write(
    `${found.name}: ${found.ours} ${found.unit} (${peers}); ratio ${found.ratio}\n`,
  );
  if (values.json) process.stdout.write(`${JSON.stringify(found)}\n`);
};

for (const [name, work] of Object.entries({ cost, speed, delay, memory })) {
  if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
  for (const found of await work()) show(found);
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);
