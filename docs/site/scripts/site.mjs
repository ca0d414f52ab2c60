// Builds the site into docs/site/dist: node docs/site/scripts/site.mjs [--check [--screenshots FOLDER]] It
// installs the site's own workspace first, which npm start and npm test leave alone; --check then
// tests what was built in Chromium.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const site = join(import.meta.dirname, "..");
const [mode, ...rest] = process.argv.slice(2);
const run = (command, ...args) => {
  const { status } = spawnSync(command, args, {
    cwd: site,
    stdio: "inherit",
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1" },
  });
  if (status !== 0) process.exit(status ?? 1);
};
run("pnpm", "install", "--frozen-lockfile", "--prefer-offline", "--silent");
run("pnpm", "run", "build");
if (mode === "--check") run(process.execPath, "scripts/check.mjs", ...rest);
