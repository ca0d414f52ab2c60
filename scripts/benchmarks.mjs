// The page of benchmarks: docs/benchmarks.md and its charts, written from docs/benchmarks.json,
// which holds the lines that the benchmarks print.
//
//   node scripts/benchmarks.mjs run NAME…   runs them, keeps their lines, and writes the page
//   node scripts/benchmarks.mjs             writes the page
//   node scripts/benchmarks.mjs --check     fails if the page is stale
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const RESULTS = "docs/benchmarks.json";
const PAGE = "docs/benchmarks.md";

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

const read = (file) => readFileSync(join(root, file), "utf8");
const results = existsSync(join(root, RESULTS)) ? JSON.parse(read(RESULTS)) : {};

const run = (name) => {
  const output = execFileSync(process.execPath, ["scripts/bench.mjs", name, "--json"], {
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

const hasPeers = (peers) => Object.keys(peers ?? {}).length > 0;
const number = (value) =>
  typeof value !== "number"
    ? ""
    : Math.abs(value) >= 100
      ? Math.round(value).toLocaleString("en-US")
      : String(Number(value.toPrecision(3)));

const escapeXml = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * Bars of one figure: ours and its peers, each with its value. Shorter is better or worse by unit.
 */
const chart = (title, lines) => {
  const [WIDTH, LABEL, ROW, HEAD] = [720, 250, 20, 26];
  const rows = [];
  let y = 8;
  for (const { name, ours, peers, unit } of lines) {
    const bars = [["ours", ours], ...Object.entries(peers)].filter(([, value]) =>
      Number.isFinite(value),
    );
    const most = Math.max(...bars.map(([, value]) => value));
    rows.push(`<text class="h" x="0" y="${y + 14}">${escapeXml(`${name}, ${unit}`)}</text>`);
    y += HEAD;
    for (const [who, value] of bars) {
      const width = Math.max(1, (value / most) * (WIDTH - LABEL - 90));
      rows.push(
        `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escapeXml(who)}</text>` +
          `<rect class="${who === "ours" ? "o" : "p"}" x="${LABEL}" y="${y + 2}" width="${width.toFixed(0)}" height="${ROW - 6}" rx="2"/>` +
          `<text x="${(LABEL + width + 6).toFixed(0)}" y="${y + 13}">${number(value)}</text>`,
      );
      y += ROW;
    }
    y += 6;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="${escapeXml(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#333}.h{font-weight:600}.o{fill:#2b6cb0}.p{fill:#a0aec0}
@media (prefers-color-scheme:dark){text{fill:#ddd}.o{fill:#63b3ed}.p{fill:#5a6778}}</style>
${rows.join("\n")}
</svg>
`;
};

const cell = (text) => text.replaceAll("|", "\\|");
const peersOf = (peers) =>
  Object.entries(peers ?? {})
    .map(([name, value]) => `${name} ${number(value)}`)
    .join(", ");

/** The regimes of the limiter have other members than the other figures. */
const table = (lines) =>
  lines.some(({ utilisation }) => utilisation !== undefined)
    ? [
        "| regime | utilisation | violations | oracle |",
        "| --- | --- | --- | --- |",
        ...lines
          .filter(({ utilisation }) => utilisation !== undefined)
          .map(
            ({ name, regime, oracle, utilisation, violations }) =>
              `| ${cell(name ?? regime)} | ${number(utilisation)} | ${number(violations)} | ${number(oracle)} |`,
          ),
      ]
    : [
        "| figure | unit | ours | peers | ratio |",
        "| --- | --- | --- | --- | --- |",
        ...lines.map(
          ({ name, ours, peers, ratio, unit }) =>
            `| ${cell(name)} | ${unit} | ${number(ours)} | ${cell(peersOf(peers))} | ${hasPeers(peers) ? number(ratio) : ""} |`,
        ),
      ];

/** The files of the page, by path. */
const pages = () => {
  const files = new Map();
  const parts = SECTIONS.flatMap(([name, title, text]) => {
    if (results[name] === undefined) return [];
    const { lines, machine } = results[name];
    const comparable = lines.filter(
      ({ ours, peers }) => typeof ours === "number" && Object.keys(peers ?? {}).length > 0,
    );
    const isCharted = comparable.length > 0 && comparable.length <= 24;
    if (isCharted) files.set(`docs/benchmarks/${name}.svg`, chart(title, comparable));
    return [
      `## ${title}`,
      text,
      `\`pnpm bench ${name} --json\`, on ${machine}:`,
      ...(isCharted ? [`![${title}: ours beside the peers](benchmarks/${name}.svg)`] : []),
      table(lines).join("\n"),
    ];
  });
  const page = `# Benchmarks

Each figure is measured beside its peers in interleaved rounds of one run, and a ratio says more than the figure: machines differ. A
benchmark runs by the command above its table. Written by \`node scripts/benchmarks.mjs\`; do not edit.

${parts.join("\n\n")}
`;
  files.set(PAGE, page);
  return files;
};

/** oxfmt aligns tables. */
const squeeze = (text) => text.replaceAll(/[ \t]+|-{3,}/g, "");

const [mode, ...names] = process.argv.slice(2);
if (mode === "run") {
  for (const name of names) run(name);
  writeFileSync(join(root, RESULTS), `${JSON.stringify(results, undefined, 1)}\n`);
}
const files = pages();
if (mode === "--check") {
  for (const [file, text] of files)
    if (!existsSync(join(root, file)) || squeeze(read(file)) !== squeeze(text)) {
      console.error(`${file} is stale: run node scripts/benchmarks.mjs`);
      process.exitCode = 1;
    }
} else {
  for (const [file, text] of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  execFileSync(join(root, "node_modules/.bin/oxfmt"), [PAGE, RESULTS], {
    cwd: root,
    stdio: "ignore",
  });
}
