// Runs one benchmark of the repository: node scripts/bench.mjs NAME [--json] [arguments for the
// benchmark …] A benchmark is {packages,apps}/*/bench/NAME.bench.ts, or NAME = size (bundle sizes
// and import times of every package). With --json it prints one line per figure:
// {"name","unit","ours","peers":{…},"ratio"}.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");
const SUFFIX = ".bench.ts";
const programs = new Map([["size", ["scripts/check-size.mjs"]]]);
for (const file of globSync(`{packages,apps}/*/bench/*${SUFFIX}`, { cwd: root }))
  programs.set(basename(file, SUFFIX), [...(programs.get(basename(file, SUFFIX)) ?? []), file]);

const [name, ...rest] = process.argv.slice(2);
if (!programs.has(name)) {
  console.error(
    `usage: pnpm bench NAME [--json]; NAME: ${[...programs.keys()].toSorted().join(", ")}`,
  );
  process.exit(64);
}
for (const program of programs.get(name)) {
  const { status } = spawnSync(process.execPath, ["--expose-gc", program, ...rest], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
