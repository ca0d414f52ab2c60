// Keeps the list of exceptions in limits.oxlintrc.json short: node scripts/check-limits.mjs [--write].
// Oxlint itself refuses a function, a file or a list of parameters that is too long. It cannot say
// that an exception is no longer needed, nor that the list has grown: this script does.
// --write takes out what is no longer needed; nothing adds an exception but an edit that is read.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Places that break a limit. Lower it with each one that goes; it never rises. */
const MOST = 13;

const root = join(import.meta.dirname, "..");
const path = join(root, "limits.oxlintrc.json");
const limits = JSON.parse(readFileSync(path, "utf8"));
const [scope, ...exceptions] = limits.overrides;

/** Every place that breaks a limit, exceptions or not, as "rule file". */
const broken = () => {
  const folder = mkdtempSync(join(tmpdir(), "limits-"));
  const config = join(folder, "oxlintrc.json");
  const categories = { correctness: "off" };
  writeFileSync(config, JSON.stringify({ ...limits, categories, overrides: [scope] }));
  const args = ["exec", "oxlint", "-c", config, "--format", "json", "."];
  const { stdout, stderr } = spawnSync("pnpm", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    shell: process.platform === "win32",
  });
  rmSync(folder, { recursive: true });
  if (!stdout.startsWith("{")) throw new Error(`oxlint: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout);
  return diagnostics.map(({ code, filename }) => `${/\((.*)\)/.exec(code)?.[1]} ${filename}`);
};

const places = broken();
const needed = new Set(places);
const listed = exceptions.flatMap(({ files, rules }) =>
  Object.keys(rules).flatMap((rule) => files.map((file) => `${rule} ${file}`)),
);
const stale = listed.filter((pair) => !needed.has(pair));
if (process.argv.includes("--write")) {
  const overrides = exceptions
    .map(({ files, rules }) => {
      const [rule] = Object.keys(rules);
      return { files: files.filter((file) => !stale.includes(`${rule} ${file}`)), rules };
    })
    .filter(({ files }) => files.length > 0);
  const text = JSON.stringify({ ...limits, overrides: [scope, ...overrides] }, null, 2);
  writeFileSync(path, `${text}\n`);
  stale.length = 0;
}
for (const pair of stale)
  console.error(`No longer needed: ${pair}. Run \`node scripts/check-limits.mjs --write\`.`);
if (places.length !== MOST)
  console.error(
    `${places.length} places break a limit, and MOST in scripts/check-limits.mjs is ${MOST}. ` +
      "If they are fewer, lower MOST; if more, make the function or the file shorter.",
  );
if (places.length !== MOST || stale.length > 0) process.exitCode = 1;
else console.log(`${places.length} places break a limit, each in the list of exceptions`);
