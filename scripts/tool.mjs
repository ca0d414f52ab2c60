// Runs a long test of one package: node scripts/tool.mjs chaos|fuzz PACKAGE [arguments …], for
// example `pnpm fuzz tree-link --minutes 10`. The program is packages/PACKAGE/KIND/main.ts;
// `follower` is short for stream-follower.
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";

const SHORT_NAMES = { follower: "stream-follower" };
const root = join(import.meta.dirname, "..");
const [kind, name, ...rest] = process.argv.slice(2);
const program = join(root, "packages", SHORT_NAMES[name] ?? `${name}`, `${kind}`, "main.ts");
if (!existsSync(program)) {
  const known = globSync(`packages/*/${kind}/main.ts`, { cwd: root }).map(
    (file) => file.split("/")[1],
  );
  console.error(`usage: pnpm ${kind} PACKAGE [arguments]; PACKAGE: ${known.toSorted().join(", ")}`);
  process.exit(64);
}
const { status } = spawnSync(process.execPath, [program, ...rest], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
