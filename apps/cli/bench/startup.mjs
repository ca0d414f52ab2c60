// Start-up of `--help`: the published bundle against the sources, in paired rounds.
// node bench/startup.mjs [--rounds 15] [--json]
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, json: { type: "boolean", default: false } },
});
const root = join(import.meta.dirname, "..");
const outdir = mkdtempSync(join(tmpdir(), "gamedata-startup-"));
try {
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), "--outdir", outdir]);
  const env = { ...process.env, NODE_COMPILE_CACHE: join(outdir, "cache") };
  const start = (script) => {
    const begun = performance.now();
    const { status } = spawnSync(process.execPath, [script, "--help"], { env });
    if (status !== 0) throw new Error(`${script} --help: exit ${status}`);
    return performance.now() - begun;
  };
  const programs = { bundle: join(outdir, "main.js"), sources: join(root, "src/main.ts") };
  for (const script of Object.values(programs)) start(script);
  const ratios = [];
  const times = { bundle: [], sources: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const order = round % 2 === 0 ? ["bundle", "sources"] : ["sources", "bundle"];
    const measured = Object.fromEntries(order.map((name) => [name, start(programs[name])]));
    for (const [name, millis] of Object.entries(measured)) times[name].push(millis);
    ratios.push(measured.bundle / measured.sources);
  }
  const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
  const figure = {
    name: "gamedata --help",
    unit: "ms",
    ours: Math.round(median(times.bundle)),
    peers: { sources: Math.round(median(times.sources)) },
    ratio: Number(median(ratios).toFixed(2)),
  };
  console.log(
    values.json
      ? JSON.stringify(figure)
      : `bundle ${figure.ours} ms, sources ${figure.peers.sources} ms, ratio ${figure.ratio}`,
  );
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
