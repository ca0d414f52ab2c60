// The page of benchmarks, docs/benchmarks.md, written from docs/benchmarks.json, which holds the lines
// that the benchmarks print.
//
//   node scripts/benchmarks.mjs run NAME…   runs them, keeps their lines, and writes the page
//   node scripts/benchmarks.mjs             writes the page
//   node scripts/benchmarks.mjs --check     fails if the page is stale
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { conclude, put, readJson, root, table } from "./repository.mjs";

const RESULTS = "docs/benchmarks.json";

/** In the order of the page: benchmark, title, what is compared. */
const SECTIONS = [
  [
    "tree-link",
    "Passive-tree links",
    "A link of 120 nodes where nothing else is said. `bare` is the platform's own base64url alone; the other peers are what programs commonly do, and check less. A refusal stands beside a decode of the same length. In Chromium a link of 5 nodes, beside a strict table.",
  ],
  [
    "size",
    "Size and import",
    "Gzipped bytes of a program that uses one entry, bundled and minified, against its budget; CPU time of an import in a fresh process.",
  ],
  ["decode", "Checking records", "CPU time of a check beside `JSON.parse` of the same bytes."],
  [
    "client",
    "Calls of the client",
    "Beside undici with `JSON.parse` and the same check, and beside Effect's own HttpClient.",
  ],
  ["users", "Many users on one client", "A thousand users over one client and one limiter."],
  [
    "rate-limit",
    "Rate limits",
    "Share of the requests that a planner with full knowledge could have sent, in virtual time; violations are answers with 429.",
  ],
  [
    "sessions",
    "Sessions",
    "Obtaining a fresh token from a store, beside plain reads of that store.",
  ],
  [
    "follower",
    "The follower",
    "Pages of the public stash stream into a store, beside a serial follower that parses and inserts rows.",
  ],
  ["scale", "The stream beyond one machine", "Publisher, log and consumers on one machine."],
  ["sandbox", "The sandbox", "Beside oidc-provider and beside a bare `node:http` answer."],
  ["stash-index", "The search index", "Searches over a generated index."],
];

const results = readJson(RESULTS);

const run = (name) => {
  const output = execFileSync(process.execPath, ["scripts/tool.mjs", "bench", name, "--json"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  if (lines.length === 0) throw new Error(`${name} printed no figure`);
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu.model.trim()}, Node ${process.versions.node}`;
  results[name] = { machine, lines };
};

const number = (value) =>
  typeof value !== "number"
    ? ""
    : Math.abs(value) >= 100
      ? Math.round(value).toLocaleString("en-US")
      : String(Number(value.toPrecision(3)));

const peersOf = (peers) =>
  Object.entries(peers ?? {})
    .map(([name, value]) => `${name} ${number(value)}`)
    .join(", ");

/** The regimes of the limiter have other members than the other figures. */
const tableOf = (lines) => {
  const regimes = lines.filter(({ utilisation }) => utilisation !== undefined);
  return regimes.length > 0
    ? table(
        ["regime", "utilisation", "violations", "oracle"],
        regimes.map(({ name, regime, oracle, utilisation, violations }) => [
          name ?? regime,
          ...[utilisation, violations, oracle].map(number),
        ]),
      )
    : table(
        ["figure", "unit", "ours", "peers", "ratio"],
        lines.map(({ name, ours, peers, ratio, unit }) => [
          name,
          unit,
          number(ours),
          peersOf(peers),
          peersOf(peers) && number(ratio),
        ]),
      );
};

const page = () => {
  const parts = SECTIONS.flatMap(([name, title, text]) => {
    if (results[name] === undefined) return [];
    const { lines, machine } = results[name];
    const told = `\`pnpm bench ${name} --json\`, on ${machine}:`;
    return [`## ${title}`, text, told, tableOf(lines)];
  });
  return `# Benchmarks

Each figure is measured beside its peers in interleaved rounds of one run, and a ratio says more than the figure: machines differ. A
benchmark runs by the command above its table. Written by \`node scripts/benchmarks.mjs\`; do not edit.

${parts.join("\n\n")}
`;
};

const [mode, ...names] = process.argv.slice(2);
if (mode === "run") {
  for (const name of names) run(name);
  put(RESULTS, `${JSON.stringify(results, undefined, 1)}\n`);
}
conclude(
  put("docs/benchmarks.md", page(), "node scripts/benchmarks.mjs"),
  "benchmarks: the page is up to date",
);
