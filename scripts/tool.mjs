// Runs what a package measures or endures: node scripts/tool.mjs KIND NAME [arguments …]
//
//   bench   {packages,apps}/*/bench/NAME.bench.ts. With --json it prints a line per figure:
//           {"name","unit","ours","peers":{…},"ratio"}
//   chaos, fuzz   packages/NAME/KIND/main.ts, such as `pnpm fuzz tree-link --minutes 10`;
//           `follower` is stream-follower
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");
const [kind, name, ...rest] = process.argv.slice(2);
const isBench = kind === "bench";
const pattern = isBench ? "{packages,apps}/*/bench/*.bench.ts" : `packages/*/${kind}/main.ts`;
const programs = Map.groupBy(globSync(pattern, { cwd: root }), (file) =>
  isBench ? basename(file, ".bench.ts") : file.split("/")[1].replace("stream-", ""),
);
if (!programs.has(name)) {
  console.error(`usage: pnpm ${kind} NAME [arguments]; NAME: ${[...programs.keys()].join(", ")}`);
  process.exit(64);
}
for (const program of programs.get(name)) {
  const args = ["--expose-gc", program, ...rest];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
