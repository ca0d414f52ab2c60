// Runs what a package measures or endures: node scripts/tool.mjs KIND NAME [arguments …]
//
//   bench   {packages,apps}/*/bench/NAME.bench.ts. With --json it prints a line per figure:
//           {"name","unit","ours","peers":{…},"ratio"}
//   chaos, fuzz   packages/NAME/KIND/main.ts, such as `pnpm fuzz tree-link --minutes 10`;
//           `follower` is short for stream-follower
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");
const [kind, given, ...rest] = process.argv.slice(2);
const nameOf = (file) =>
  kind === "bench" ? basename(file, ".bench.ts") : file.split("/")[1].replace(/^stream-/, "");
const files = globSync(
  kind === "bench" ? "{packages,apps}/*/bench/*.bench.ts" : `packages/*/${kind}/main.ts`,
  { cwd: root },
);
const programs = Map.groupBy(files, nameOf);

const name = kind === "bench" ? given : given?.replace(/^stream-/, "");
if (!programs.has(name)) {
  console.error(`usage: pnpm ${kind} NAME [arguments]; NAME: ${[...programs.keys()].join(", ")}`);
  process.exit(64);
}
for (const program of programs.get(name)) {
  const args = ["--expose-gc", program, ...rest];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
