/**
 * How fast the follower reads, what a page costs it, and what a slow sink does to its memory.
 *
 * Every figure is measured side by side in one run: pages per second of early look-ahead beside after-body and serial reading, CPU per
 * page beside a hand-written gunzip + JSON.parse + SQLite commit of the same page. Usage: pnpm bench follower [--json] [--pages N]
 */
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, pages: { type: "string", default: "25" } },
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
}

const here = (name: string) => join(import.meta.dirname, name);
const log = (line: string) => process.stderr.write(`${line}\n`);
const round = (value: number) => Math.round(value * 100) / 100;
const node = async <A>(program: string, ...args: ReadonlyArray<string>): Promise<A> => {
  const { stdout } = await promisify(execFile)(process.execPath, [here(program), ...args]);
  return JSON.parse(stdout) as A;
};

const withServer = async <A>(
  count: number,
  latency: number,
  use: (url: string) => Promise<A>,
): Promise<A> => {
  const server = spawn(process.execPath, [here("pageServer.ts"), String(count), String(latency)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await new Promise<string>((resolve) =>
      server.stdout.once("data", (line: Buffer) => resolve(line.toString().trim())),
    );
    return await use(url);
  } finally {
    server.kill();
  }
};

const follow = (latency: number, lookAhead: string, slowMillis?: number): Promise<Measured> =>
  withServer(pages + 5, latency, (url) =>
    node<Measured>("run.ts", JSON.stringify({ url, lookAhead, slowMillis })),
  );

const speed = async (latency: number): Promise<Figure> => {
  const serial = await follow(latency, "none");
  const afterBody = await follow(latency, "afterBody");
  const early = await follow(latency, "early");
  return {
    name: `pages per second at ${latency} ms latency`,
    unit: "pages/s",
    ours: round(early.pagesPerSecond),
    peers: { serial: round(serial.pagesPerSecond), "after-body": round(afterBody.pagesPerSecond) },
    ratio: round(early.pagesPerSecond / serial.pagesPerSecond),
  };
};

/** Three pairs, the least of each: these hosts are shared, and what disturbs only ever adds. */
const cost = async (): Promise<Figure> => {
  const ours: Array<number> = [];
  const theirs: Array<number> = [];
  for (let round_ = 0; round_ < 3; round_ += 1) {
    ours.push((await follow(0, "early")).cpuMillisPerPage);
    theirs.push((await node<Measured>("baseline.ts", String(pages))).cpuMillisPerPage);
  }
  const [mine, floor] = [Math.min(...ours), Math.min(...theirs)];
  return {
    name: "CPU per 5 MB page, HTTP included",
    unit: "ms",
    ours: round(mine),
    peers: { "gunzip + JSON.parse + SQLite commit": round(floor) },
    ratio: round(mine / floor),
  };
};

const memory = async (): Promise<Figure> => {
  const fast = await follow(0, "early");
  const slow = await follow(0, "early", Math.round(10_000 / fast.pagesPerSecond));
  return {
    name: "peak RSS under a ten times slower sink",
    unit: "MiB",
    ours: round(slow.peakRssMebibytes),
    peers: { "fast sink": round(fast.peakRssMebibytes) },
    ratio: round(slow.peakRssMebibytes / fast.peakRssMebibytes),
  };
};

const measurements = [() => speed(250), () => speed(100), () => speed(0), cost, memory];
for (const measure of measurements) {
  const figure = await measure();
  const peers = Object.entries(figure.peers)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  log(`${figure.name}: ${figure.ours} ${figure.unit} (${peers}); ratio ${figure.ratio}`);
  if (values.json) process.stdout.write(`${JSON.stringify(figure)}\n`);
}
